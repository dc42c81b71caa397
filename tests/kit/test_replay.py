"""The sentence says what the grade says."""

from itertools import product

import pytest

from tracedance.kit.replay import why
from tracedance.schema import Session, ToolDefinition, ToolShape


@pytest.mark.parametrize(("system", "tools", "called"), list(product([True, False], repeat=3)))
def test_the_reason_fits_the_grade(system: bool, tools: bool, called: bool) -> None:
    definitions = [ToolDefinition("look", "", {})] if tools else None
    shapes = {"look": ToolShape(1, {})} if called else {}
    grade = Session("a", "x", (), system="Be brief." if system else None, tools=definitions, shapes=shapes).replayability
    said = why(system, tools, called)
    assert (grade == "replayable") == (system and tools) == (said == "The system prompt and the tool definitions were recorded")
    assert ("inferred" in said) == (called and not tools)
    assert ("no calls" in said) == (not called and not tools)
    assert ("o system prompt was" in said) == (not system)
