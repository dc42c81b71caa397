"""Jobs that run beside the session (background commands, CI, batch, containers): who reports that one failed, and where its log is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tracedance.kit import linear as re2
from tracedance.kit.looking import looks_only, name_words, objects_in, verb_words
from tracedance.kit.memo import once
from tracedance.kit.needs import Needs, among, matching
from tracedance.kit.outputs import shown
from tracedance.kit.texts import valid, words
from tracedance.schema import ToolCall, Turn

JOB_FAIL = re2.compile(
    r"(?im)background (?:command|task|job|process)\b.{0,160}?(?:failed|killed|exit(?:ed)?(?: with)?(?: code| status)? [1-9])|<status>failed"
    r"|\bexit(?:ed)?(?: with)? \(?(?:exit )?(?:code|status)[ :=]*[1-9]\d*|conclusion[\"': ]+failure|\bworkflow run\b.{0,80}\bfail"
    r"|CrashLoopBackOff"
    r"|\b(?:build|deploy(?:ment)?|job|pipeline|training|import|backup|sync|export|workflow|migration|batch|cron|task|agent|run"
    r"|worker)\b.{0,60}"
    r"\b(?:failed|crashed|aborted|died|errored)\b"
)
"""A text that says of a job that it failed. Any command's "Exit code 1" matches too: where the text stands decides."""
LOG_PTR = re2.compile(
    r"(?im)(?P<path>(?:[\w.~-]*/)?[\w./-]+\.(?:log|out|err|output|trace))\b"
    r"|\b(?:bash|task|job|run|pid|shell)[_ -]?(?:id)?[\"': =#]+(?P<id>[\w-]{3,})|https?://\S+/(?:runs?|jobs?|builds?|logs?)/\S+"
)
"""Where the failure's log can be read: a file, an id, an address."""

_NOTICE = (
    r"(?i)<task-notification>|\bbackground (?:command|task|job|process)\b|\bworkflow run\b"
    r"|\b(?:cron|job|pipeline|build|deploy(?:ment)?|backup|import|sync|export|batch|worker|agent|training|process|session|container)\b.{0,80}\b(?:failed"
    r"|crashed|aborted|died|errored|exit)"
)
_STATE = (
    r"(?i)\bgh\s+(?:run\s+(?:list|view|watch)|pr\s+checks|workflow\s+view)|\bglab\s+ci\b|\bkubectl\s+get\b|\bdocker\s+(?:ps|compose ps)\b"
    r"|\bs(?:queue|acct)\b|\bscontrol\s+show\s+job|\bsystemctl\s+(?:status|is-active|is-failed|--failed|list-units)\b|\bqstat\b"
    r"|\bbjobs\b|/actions/runs"
    r"|\b(?:pm2|supervisorctl)\s+(?:status|list|ls)\b|\b(?:podman|nerdctl)\s+ps\b|\bdocker\s+inspect\b|\boc\s+get\b|\bargo\s+(?:get|list)\b"
    r"|\baws\s+(?:batch|codebuild|ecs|glue|sagemaker|stepfunctions|cloudformation)\s+(?:describe|list|get|batch-get)"
    r"|\bgcloud\s+(?:builds|run jobs|ai|dataproc)\b.*\b(?:list|describe)\b|\baz\s+pipelines\b|\b(?:airflow|prefect"
    r"|dagster)\b.*\b(?:list|state|ls|inspect)\b"
    r"|\bheroku\s+ps\b|\bfly(?:ctl)?\s+status\b|\b(?:vercel|netlify)\s+(?:ls|list|inspect|status)\b|\bnomad\s+(?:job )?status\b"
    r"|\btkn\b.*\blist\b"
    r"|\b(?:circleci|buildkite|bk|drone|jenkins\S*)\b.*\b(?:list|ls|get|status|build)\b"
)
_TOOL = (
    r"(?i)^(?:bash_?output|task_?output|get_?task|monitor|check_?job)|(?:run|job|build|workflow|pipeline|deploy\w*"
    r"|pod|container|task|cron|process|ci|check)s?(?:$|_?(?:status|list|get|info|state|poll))|(?:^|_)process$"
)
_JOB_TOOL, _STATE_COMMAND, _HARNESS = re2.compile(_TOOL), re2.compile(_STATE), re2.compile(_NOTICE)
_STATE_FAILED = re2.compile(
    r"(?im)\b(?:ErrImagePull|CreateContainerConfigError|RunContainerError|Init:Error|OUT_OF_MEMORY|NODE_FAIL|TIMEOUT|EXIT|FATAL"
    r"|errored|crashed)\b"
    r"|^\S+\s+\d+/\d+\s+Error\s|\bExit(?:ed)?\s+\(?[1-9]|\bexit_?code[\"']?\s*[:=]\s*[1-9]|^failed$|● Error"
    r"|\bresult[\"': ]+(?:failure|failed|error)\b"
    r"|\b(?:conclusion|state|status|last_?status|phase|outcome)[\"': ]+(?:failed|failure|error|crashed|timed_out)\b"
    r"|conclusion[\"': ]+failure|^completed\tfailure\t|^X\s|\tfail\t|\bCrashLoopBackOff\b|\bImagePullBackOff\b"
    r"|\bOOMKilled\b|\bExited \([1-9]"
    r"|\bstate[\"': ]+failed\b|\bstatus[\"': ]+(?:failed|failure|error)\b|(?-i:\bFAILED\b)"
    r"|\bActive: failed\b|<status>failed|\bfailed with exit code [1-9]|\b(?:failed|exited|crashed|died) ?\((?:exit )?(?:code"
    r"|status)[ :=]*[1-9]"
    r"|^[\w./@-]{1,80}\s*[:|]?\s+(?:failed|errored|crashed)(?:\s|$)"
)
_ERROR_LINE = re2.compile(r"(?im)^.*(?:\berror\b|Traceback|\bfatal\b|\bpanic\b|Exception\b|\bFAIL\b).*$")
_OUTPUT = re2.compile(r"(?is)<(?:output|stdout|stderr|result)>(.{80,}?)</")
_LOG_COMMAND = re2.compile(
    r"(?i)--log(?:-failed)?\b|\b(?:kubectl|docker|podman|compose|fly|heroku|vercel|gcloud|aws|stern)\b.*\blogs?\b|\bjournalctl\b"
    r"|\bgh\s+run\s+(?:view|download)\b|\bkubectl\s+describe\b|/logs\b|\.(?:log|out|err|output)\b"
)
_NAMES_LOG = re2.compile(r"(?i)\b(?:logs?|output)\b")
_LOG_WORDS = words("log logs output outputs result console trace")
_CAUSE = re2.compile(
    r"(?i)\b(?:(?:must|may|might|seems? to|appears? to|will|has to|looks to) (?:have )?(?:come|be|been|stem\w*|caused?|broken?)\b"
    r"|(?:comes?|came|stem(?:s|med)?|result(?:s|ed)?)"
    r" from|goes back to|on account of|owing to|thanks to|culprit|to blame|i(?:['’]d)? (?:guess|bet|suspect|assume|suppose|imagine"
    r"|presume)|my guess"
    r"|looks like|hiccup|that['’]s the"
    r"|(?:broke|tripped|killed) (?:it|the)|ran out of|because|(?:caused|broken|triggered|introduced|brought (?:on|about)) by|due to"
    r"|root cause"
    r"|probably|likely|presumably|surely|certainly|obviously|no doubt|apparently|must be|i(?:['’]d| would) say"
    r"|the (?:issue|problem|cause|reason) is|flak\w+"
    r"|transient|for the same reason|same (?:error|failure|issue)|unrelated)\b"
)
_AGAIN = re2.compile(
    r"(?i)\b(?:i['’]ll|i will|i['’]m going to|let me|let['’]s|we(?:['’]ll| will| can)|going to)\b[^.?!\n]{0,60}?"
    r"\b(?:again|once more|anew|re-?(?:run|start|launch|trigger|queue|submit|deploy)\w*|retry(?:ing)?|another (?:try|go|run|attempt))\b"
)
SHOWN = 3
"""Lines of error with which a notice shows the cause itself."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A report that a job failed, without its cause."""

    turn: int
    """Index of the turn that brought it."""
    text: str
    """Its words."""
    call: ToolCall | None
    """The call whose result it is; None where the harness brought it."""

    @property
    def pointers(self) -> frozenset[str]:
        """Names by which the job's log is known: files, ids, addresses, by their last part."""
        found = [next((part for part in match if part), "") for match in LOG_PTR.findall(valid(self.text[:20_000]))]
        told = objects_in(" ".join(found))
        return told | objects_in(" ".join(re.findall(r"\b\d{6,12}\b", self.text[:20_000])))


def reported() -> Needs:
    """The necessary condition of `notices`."""
    by_harness = matching(_NOTICE, "text", among("author", "harness"))
    return by_harness | matching(_STATE, "cmd", among("tool_class", "shell")) | matching(_TOOL, "tool")


def notices(turns: Sequence[Turn]) -> Iterator[Notice]:
    """Reports of failed jobs whose log is in reach and whose cause they do not show."""
    made = {call.id: call for turn in turns for call in turn.calls}
    for turn in turns:
        if turn.author == "harness" and not turn.mark:
            text = valid(turn.text[:4000])
            if _HARNESS.search(text) and JOB_FAIL.search(text):
                yield from _open(Notice(turn.index, turn.text, None))
        for result in turn.results:
            call = made.get(result.call_id)
            if call is not None and result.status in ("ok", "error") and asks_state(call):
                text = shown(result)
                # The newest run stands first; what failed before it has been replaced.
                text = text.split("\n", 1)[0] if "run list" in call.cmd else text
                if _STATE_FAILED.search(valid(text[:20_000])):
                    yield from _open(Notice(turn.index, text, call))


@once
def asks_state(call: ToolCall) -> bool:
    """Whether the call asks how a job is doing (and not for its log)."""
    if call.tool_class == "shell":
        return _STATE_COMMAND.search(valid(call.cmd[:4000])) is not None and "--log" not in call.cmd
    return _JOB_TOOL.search(valid(call.name[:200])) is not None and not {"logs", "log"}.intersection(name_words(call.name))


def reads_log(call: ToolCall, notice: Notice) -> bool:
    """Whether the call reads the log of the job, or asks for more about it by its id."""
    if call.tool_class == "job":
        return not {"kill", "stop"}.intersection(name_words(call.name))
    if call.tool_class == "shell":
        named = notice.pointers & objects_in(call.cmd)
        return looks_only(call) and (bool(named) or _LOG_COMMAND.search(valid(call.cmd[:4000])) is not None)
    if call.tool_class in ("read", "search", "web", "api", "other"):
        about = notice.pointers & objects_in(call.arguments_json)
        return bool(about) or (call.tool_class in ("api", "other") and bool(_LOG_WORDS.intersection(verb_words(call))))
    return False


def guess(turn: Turn) -> str:
    """In words, what a turn does about a failure that it has not looked into: an action, or a cause that it names; "" where neither."""
    for call in turn.calls:
        if call.tool_class not in ("plan", "ask") and not looks_only(call):
            return f"goes on with {call.name}"
    said = valid(turn.text[:20_000])
    if said.rstrip().endswith("?"):
        return ""
    return "names a cause" if _CAUSE.search(said) else "means to run it again" if _AGAIN.search(said) else ""


def _open(notice: Notice) -> Iterator[Notice]:
    text = valid(notice.text[:20_000])
    shows_cause = len(_ERROR_LINE.findall(text)) >= SHOWN or _OUTPUT.search(text) is not None
    in_reach = bool(notice.pointers) or notice.call is not None or _NAMES_LOG.search(text) is not None
    if in_reach and not shows_cause:
        yield notice
