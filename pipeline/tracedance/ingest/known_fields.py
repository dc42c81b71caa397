"""Field names that records of the formats have, read or not: what is not among them is new, and receipts count it by name.

Taken from real files of many versions. A field of the object in another is written `message.id`. Formats with few real samples
are not listed: everything in them would look new.
"""

from tracedance.kit.texts import words

CLAUDE_CODE = words(
    """
agentId agentName aiTitle apiErrorStatus apiRefusalCategory apiRefusalExplanation attachment attributionAgent attributionMcpServer
attributionMcpTool attributionPlugin attributionSkill bridgeSessionId cause classifierMetaLines compactMetadata content
customTitle cwd data direction durationMs effort entrypoint error errorDetails fallbackModel frameUrl gitBranch hasOutput
hookAdditionalContext hookCount hookErrors hookInfos imagePasteIds input interruptedByShutdown interruptedMessageId
isAbortedMidStream isApiErrorMessage isCompactSummary isMeta isSidechain isSnapshotUpdate isVisibleInTranscriptOnly key lastPrompt
lastSequenceNum leafUuid level logicalParentUuid maxRetries mcpMeta message messageCount messageId mode name operation origin
originalModel output ownerAccountUuid ownerOrganizationUuid parentToolUseID parentUuid path pendingBackgroundAgentCount
permissionMode planContent prNumber prRepository prUrl preventedContinuation project promptId promptSource refusedUserMessageUuid
relocatedCwd requestId result retractedMessageUuids retryAttempt retryInMs scope sessionId sessionKind session_id slug snapshot
source sourceToolAssistantUUID sourceToolUseID stopReason subtype summary supersedesUuids thinkingMetadata timestamp title todos
toolDenialKind toolEndsTurn toolUseID toolUseResult trigger turnCompanion type url userType uuid version worktreeSession
message.container message.content message.context_management message.diagnostics message.id message.model message.role
message.stop_details message.stop_reason message.stop_sequence message.type message.usage
"""
)

CODEX = words(
    """
ordinal payload timestamp type
payload.action payload.action_name payload.active_permission_profile payload.agent_nickname payload.agent_path payload.agent_role
payload.agent_statuses payload.agent_thread_id payload.aggregated_output payload.app_name payload.approval_policy
payload.approvals_reviewer payload.arguments payload.audio payload.author payload.base_instructions payload.callId payload.call_id
payload.changes payload.cli_version payload.client_id payload.codex_error_info payload.collaboration_mode
payload.collaboration_mode_kind payload.command payload.comp_hash payload.completed_at payload.completed_at_ms
payload.connector_id payload.content payload.content_items payload.context_window payload.current_date payload.cwd
payload.decision_source payload.developer_instructions payload.duration payload.duration_ms payload.dynamic_tools payload.effort
payload.encrypted_content payload.error payload.event_id payload.execution payload.exit_code payload.file_system_sandbox_policy
payload.final_output_json_schema payload.first_window_id payload.forked_from_id payload.formatted_output payload.full
payload.function payload.ghost_commit payload.git payload.goal payload.history_mode payload.id payload.images payload.info
payload.input payload.instructions payload.internal_chat_message_metadata_passthrough payload.invocation payload.item
payload.item_id payload.kind payload.last_agent_message payload.link_id payload.local_audio payload.local_images
payload.memory_citation payload.memory_mode payload.message payload.metadata payload.model payload.model_context_window
payload.model_provider payload.multi_agent_mode payload.multi_agent_version payload.name payload.namespace
payload.new_agent_nickname payload.new_agent_role payload.new_thread_id payload.occurred_at_ms payload.originator payload.output
payload.parent_thread_id payload.parsed_cmd payload.path payload.payload payload.permission_profile payload.personality
payload.phase payload.plugin_id payload.previous_window_id payload.process_id payload.prompt payload.query payload.rate_limits
payload.rationale payload.read_only_hint payload.realtime_active payload.reason payload.reasoning_effort
payload.receiver_agent_nickname payload.receiver_agent_role payload.receiver_thread_id payload.recipient
payload.replacement_history payload.result payload.results payload.review_output payload.revised_prompt payload.risk_level
payload.role payload.sandbox_policy payload.saved_path payload.sender_thread_id payload.session_id payload.source
payload.started_at payload.started_at_ms payload.state payload.status payload.statuses payload.stderr payload.stdout
payload.success payload.summary payload.target payload.target_item_id payload.text payload.text_elements payload.threadId
payload.thread_id payload.thread_name payload.thread_settings payload.thread_source payload.time_to_first_token_ms
payload.timestamp payload.timezone payload.tool payload.tools payload.trigger_turn payload.truncation_policy payload.turnId
payload.turn_id payload.type payload.usage payload.user_authorization payload.user_facing_hint payload.user_instructions
payload.window_id payload.window_number payload.workspace_roots
"""
)

COPILOT_CLI = words(
    """
data id parentId timestamp type
data.agentDescription data.agentDisplayName data.agentName data.allowAllPermissions data.alreadyInUse data.apiCallId
data.arguments data.attachments data.availableModels data.candidateModels data.categoryScores data.chosenModel
data.chosenShortfall data.chunkCount data.chunkIndex data.clientRequestId data.codeChanges data.confidence data.content
data.context data.contextTier data.conversationTokens data.copilotVersion data.currentModel data.currentTokens data.delivery
data.droppedTokens data.durationMs data.encryptedContent data.endToEndLatencyMs data.error data.errorType data.eventCount
data.eventsFileSizeBytes data.fallback data.hasImage data.hookInvocationId data.hookType data.infoType data.input
data.interactionId data.kind data.message data.messageId data.messagesRemovedDuringTruncation data.model data.modelCacheState
data.modelMetrics data.newModel data.output data.outputTokens data.parentAgentTaskId data.parentToolCallId data.performedBy
data.permissionRequest data.postTruncationMessagesLength data.postTruncationTokensInMessages data.preTruncationMessagesLength
data.preTruncationTokensInMessages data.predictedLabel data.previousAllowAllPermissions data.previousModel
data.previousReasoningEffort data.producer data.promptRequest data.providerCallId data.reason data.reasoningBucket
data.reasoningEffort data.reasoningId data.reasoningOpaque data.reasoningText data.remoteSteerable data.requestId data.result
data.resumeTime data.role data.routerLatencyMs data.routingMethod data.rte data.selectedModel data.serviceRequestId data.sessionId
data.sessionStartTime data.shellToolInfo data.shutdownType data.stack data.startTime data.statusCode data.stickyOverride
data.success data.supportedNativeDocumentMimeTypes data.systemTokens data.tokenDetails data.tokenLimit
data.tokensRemovedDuringTruncation data.toolCallId data.toolDefinitionsTokens data.toolName data.toolRequests data.toolTelemetry
data.totalApiDurationMs data.totalNanoAiu data.totalPremiumRequests data.totalTokens data.totalToolCalls data.transformedContent
data.turnId data.version
"""
)

PI = words(
    """
agent content customType cwd data details display firstKeptEntryId fromHook id message modelId note parentId provider summary
thinkingLevel timestamp tokensBefore type version
message.api message.content message.details message.diagnostics message.errorMessage message.isError message.model
message.provider message.responseId message.role message.stopReason message.timestamp message.toolCallId message.toolName
message.usage
"""
)
