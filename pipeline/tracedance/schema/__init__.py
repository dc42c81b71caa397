"""The records, in the order in which a run makes them; no logic."""

from tracedance.schema.behavior_contract import BehaviorContract as BehaviorContract
from tracedance.schema.behavior_spec import BenchmarkResultsSpec as BenchmarkResultsSpec
from tracedance.schema.behavior_spec import ComparisonSpec as ComparisonSpec
from tracedance.schema.behavior_spec import GateSpec as GateSpec
from tracedance.schema.behavior_spec import Invariants as Invariants
from tracedance.schema.behavior_spec import Order as Order
from tracedance.schema.behavior_spec import SprtSpec as SprtSpec
from tracedance.schema.behavior_spec import Thresholds as Thresholds
from tracedance.schema.behavior_trace import (
    BehaviorTrace as BehaviorTrace,
)
from tracedance.schema.behavior_trace import (
    Redaction as Redaction,
)
from tracedance.schema.behavior_trace import (
    Span as Span,
)
from tracedance.schema.behavior_trace import (
    SpanAttributes as SpanAttributes,
)
from tracedance.schema.behavior_trace import (
    SpanStatus as SpanStatus,
)
from tracedance.schema.behavior_trace import (
    SpanType as SpanType,
)
from tracedance.schema.behavior_trace import (
    TraceRun as TraceRun,
)
from tracedance.schema.behavior_trace import (
    TraceSource as TraceSource,
)
from tracedance.schema.call import ModelAnswer as ModelAnswer
from tracedance.schema.call import ModelRequest as ModelRequest
from tracedance.schema.call import Usage as Usage
from tracedance.schema.family import (
    Cut as Cut,
)
from tracedance.schema.family import (
    FamilyCard as FamilyCard,
)
from tracedance.schema.family import (
    Frame as Frame,
)
from tracedance.schema.family import (
    Group as Group,
)
from tracedance.schema.family import (
    Hit as Hit,
)
from tracedance.schema.family import (
    Parameters as Parameters,
)
from tracedance.schema.family import (
    Question as Question,
)
from tracedance.schema.family import (
    Rubric as Rubric,
)
from tracedance.schema.gate import Category as Category
from tracedance.schema.gate import Check as Check
from tracedance.schema.gate import Diff as Diff
from tracedance.schema.gate import EvidenceRow as EvidenceRow
from tracedance.schema.gate import GateReport as GateReport
from tracedance.schema.gate import Side as Side
from tracedance.schema.gate import Sprt as Sprt
from tracedance.schema.gate import Verdict as Verdict
from tracedance.schema.gate import WilsonBound as WilsonBound
from tracedance.schema.grade import Grade as Grade
from tracedance.schema.grade import JudgeScore as JudgeScore
from tracedance.schema.grade import PassRate as PassRate
from tracedance.schema.grade import ProbeScore as ProbeScore
from tracedance.schema.grade import Response as Response
from tracedance.schema.instance import (
    Benchmark as Benchmark,
)
from tracedance.schema.instance import (
    CallMade as CallMade,
)
from tracedance.schema.instance import (
    CheckRow as CheckRow,
)
from tracedance.schema.instance import (
    FileEntry as FileEntry,
)
from tracedance.schema.instance import (
    Instance as Instance,
)
from tracedance.schema.instance import (
    Manifest as Manifest,
)
from tracedance.schema.instance import (
    Message as Message,
)
from tracedance.schema.instance import (
    SourceTurn as SourceTurn,
)
from tracedance.schema.instance import (
    Tool as Tool,
)
from tracedance.schema.label import Label as Label
from tracedance.schema.label import LabelKind as LabelKind
from tracedance.schema.occurrence import Answer as Answer
from tracedance.schema.occurrence import Candidate as Candidate
from tracedance.schema.occurrence import Confirmation as Confirmation
from tracedance.schema.occurrence import Place as Place
from tracedance.schema.properties import Bound as Bound
from tracedance.schema.properties import TraceProperties as TraceProperties
from tracedance.schema.receipt import FileReceipt as FileReceipt
from tracedance.schema.receipt import Loss as Loss
from tracedance.schema.receipt import Receipt as Receipt
from tracedance.schema.receipt import RecordCounts as RecordCounts
from tracedance.schema.receipt import SessionCounts as SessionCounts
from tracedance.schema.record import Exchanged as Exchanged
from tracedance.schema.record import Record as Record
from tracedance.schema.record import unknown_fields as unknown_fields
from tracedance.schema.representation import RepresentationTrajectory as RepresentationTrajectory
from tracedance.schema.representation import RepresentedStep as RepresentedStep
from tracedance.schema.request import Built as Built
from tracedance.schema.request import Near as Near
from tracedance.schema.request import Operator as Operator
from tracedance.schema.request import Outcome as Outcome
from tracedance.schema.request import Request as Request
from tracedance.schema.run import RunBenchmark as RunBenchmark
from tracedance.schema.run import RunManifest as RunManifest
from tracedance.schema.session import (
    Author as Author,
)
from tracedance.schema.session import (
    ErrorClass as ErrorClass,
)
from tracedance.schema.session import (
    Figures as Figures,
)
from tracedance.schema.session import (
    Mark as Mark,
)
from tracedance.schema.session import (
    Replayability as Replayability,
)
from tracedance.schema.session import (
    Role as Role,
)
from tracedance.schema.session import (
    Session as Session,
)
from tracedance.schema.session import (
    Setting as Setting,
)
from tracedance.schema.session import (
    Status as Status,
)
from tracedance.schema.session import (
    Text as Text,
)
from tracedance.schema.session import (
    ToolCall as ToolCall,
)
from tracedance.schema.session import (
    ToolClass as ToolClass,
)
from tracedance.schema.session import (
    ToolDefinition as ToolDefinition,
)
from tracedance.schema.session import (
    ToolResult as ToolResult,
)
from tracedance.schema.session import (
    ToolShape as ToolShape,
)
from tracedance.schema.session import (
    Turn as Turn,
)
