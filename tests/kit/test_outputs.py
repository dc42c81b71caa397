"""What a program printed, with and without a harness's envelope."""

import pytest

from tracedance.kit.outputs import shown
from tracedance.schema import ToolResult


@pytest.mark.parametrize(
    "text, output",
    [
        ('{"output": "a\\nb", "metadata": {"exit_code": 0}}', "a\nb"),
        ('{"output": "cut', '{"output": "cut'),
        ('{"output": 3}', '{"output": 3}'),
        ('{"other": "a"}', '{"other": "a"}'),
        ("plain", "plain"),
        ('{"output": "\ud800"}', '{"output": "\ud800"}'),
    ],
)
def test_the_envelope_comes_off(text: str, output: str) -> None:
    assert shown(ToolResult("c", text)) == output


def test_no_result_shows_nothing() -> None:
    assert shown(None) == ""
