"""The fail rule and the error classes."""

import pytest

from tracedance.kit.errors import outcome
from tracedance.schema import ErrorClass, ToolClass

CODEX = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {}\nOriginal token count: 1\nOutput:\n{}"


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("shell", "Exit code 127\n/bin/bash: line 1: python: command not found", "cmd_missing"),
        ("shell", "Exit code 1\nzsh: command not found: foo", "cmd_missing"),
        ("shell", "Exit code 1\nsh: 1: ruff: not found", "cmd_missing"),
        ("shell", "Exit code 1\nThe term 'gcloudx' is not recognized as the name of a cmdlet", "cmd_missing"),
        ("shell", "Exit code 1\n404 page not found", "not_found"),
        ("shell", "Exit code 1\ncat: illegal option -- A\nusage: cat", "unknown_option"),
        ("shell", "Exit code 2\nerror: unrecognized subcommand 'bun'", "unknown_option"),
        ("shell", "Exit code 2\nmake: *** No rule to make target 'lint-all'.  Stop.", "unknown_option"),
        ("shell", "Exit code 1\ngit: 'pushh' is not a git command. See 'git --help'.", "unknown_option"),
        ("shell", "Exit code 1\nOSError: [Errno 22] Invalid argument", "other"),
        ("shell", "Exit code 1\n2 failed, 10 passed in 1s", "test_fail"),
        ("shell", "Exit code 1\n\x1b[31mFAILED\x1b[0m tests/test_a.py::test_x", "test_fail"),
        ("shell", "Exit code 1\n--- FAIL: TestX (0.00s)", "test_fail"),
        ("shell", "Exit code 1\nhusky - pre-commit hook exited with code 1", "guard"),
        ("shell", "Permission to use Bash with command ssh -V has been denied.", "guard"),
        ("shell", "Exit code 1\n! [remote rejected] main -> main (protected branch hook declined)", "guard"),
        ("shell", "Exit code 1\nls: x: No such file or directory", "no_such_file"),
        ("shell", "Exit code 1\nconnection reset by peer", "transient"),
        ("shell", "Exit code 1\nline 42 is wrong", "other"),
        (
            "shell",
            "<tool_use_error>InputValidationError: Bash failed: The required parameter `command` is missing</tool_use_error>",
            "schema",
        ),
        ("shell", "<tool_use_error>Error: No such tool available: Bash2</tool_use_error>", "no_such_tool"),
        ("shell", "Exit code 1\nerror[E0425]: unknown function: foo", "other"),
        ("edit", "<tool_use_error>String to replace not found in file.\nString: Found 3 matches</tool_use_error>", "edit_not_found"),
        ("edit", "Failed to edit, expected 1 occurrence(s) but found 0.", "edit_not_found"),
        ("edit", "Could not find oldString in the file.", "edit_not_found"),
        ("edit", "No replacement was performed, old_str did not appear verbatim", "edit_not_found"),
        ("edit", "error: patch failed: a.c:3\nerror: a.c: patch does not apply", "edit_not_found"),
        ("edit", "<tool_use_error>Found 3 matches of the string to replace, but replace_all is false.</tool_use_error>", "edit_not_unique"),
        ("edit", "Failed to edit, expected 1 occurrence(s) but found 3.", "edit_not_unique"),
        ("edit", "Multiple occurrences of old_str in lines 3, 7", "edit_not_unique"),
        ("edit", "<tool_use_error>File has been modified since read, either by the user or by a linter.</tool_use_error>", "edit_stale"),
        ("edit", "File has been unexpectedly modified. Read it again before attempting to write it.", "edit_stale"),
        ("edit", "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", "edit_not_read"),
        ("write", "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", "edit_not_read"),
        ("edit", "<tool_use_error>No changes to make: old_string and new_string are exactly the same.</tool_use_error>", "other"),
        ("edit", "<tool_use_error>File does not exist.</tool_use_error>", "no_such_file"),
        ("search", "Found 4 matches", "other"),
        ("read", "File does not exist. Note: your current working directory is /w.", "no_such_file"),
        ("api", "HTTP 429 Too Many Requests", "transient"),
        ("api", "Error: user not found", "not_found"),
        ("message", "ToolInputError: to required", "schema"),
        ("other", "Model tried to call unavailable tool 'ProxyRead'. Available tools: bash, read", "no_such_tool"),
        ("skill", "<tool_use_error>Unknown skill: commit</tool_use_error>", "not_found"),
    ],
)
def test_a_failed_call_has_the_class_of_its_error(kind: ToolClass, text: str, expected: ErrorClass) -> None:
    assert outcome(kind, text, True, None)[:2] == ("error", expected)


@pytest.mark.parametrize(
    ("kind", "text", "flagged", "expected"),
    [
        ("shell", "all good", False, ("ok", None)),
        ("shell", "Exit code: 1 stands in a file that was printed", False, None),
        ("shell", CODEX.format(0, "FAILED"), None, 0),
        ("api", '{"status": "error word inside"}', None, None),
        ("read", "Error handling in Go", None, None),
        ("edit", "Success. Updated the following files:\nM a.py", None, None),
        ("shell", "Chunk ID: 1\nProcess running with session ID 7\nOutput:\nProcess exited with code 3", None, None),
    ],
)
def test_what_did_not_fail_is_ok(kind: ToolClass, text: str, flagged: bool | None, expected: object) -> None:
    assert outcome(kind, text, flagged, None)[:2] == ("ok", None)


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        ("shell", CODEX.format(2, "boom"), 2),
        ("job", CODEX.format(1, "boom"), 1),
        ("shell", '{"output":"x","metadata":{"exit_code":3,"duration_seconds":0.1}}', 3),
        ("edit", "Exit code: 1\nWall time: 0 seconds\nOutput:\nfailed", 1),
        ("edit", "apply_patch verification failed: Failed to find expected lines in a.py", None),
        ("api", "Error: payment amount does not add up", None),
    ],
)
def test_an_error_is_read_from_the_text_where_the_harness_flags_none(kind: ToolClass, text: str, code: int | None) -> None:
    status, _, found = outcome(kind, text, None, None)
    assert (status, found) == ("error", code)


def test_a_recorded_exit_code_counts_though_the_harness_calls_it_success() -> None:
    assert outcome("shell", "boom", False, 2)[0] == "error"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The user doesn't want to proceed with this tool use. The tool use was rejected", "refused"),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", "cancelled"),
        ("<tool_use_error>Cancelled: parallel tool call Bash(x) errored", "cancelled"),
        ("[Request interrupted by user for tool use]", "interrupted"),
        ("aborted by user after 29.7s", "interrupted"),
        ("Exit code 1\nThe build was cancelled", "error"),
    ],
)
def test_a_call_that_never_ran_did_not_fail(text: str, status: str) -> None:
    assert outcome("shell", text, True, None)[0] == status
    if status != "error":
        assert outcome("shell", text, None, None)[0] == status
        assert outcome("shell", text, False, None)[0] == "ok"


@pytest.mark.parametrize(
    ("command", "code", "output", "status"),
    [
        ("rg foo src", 1, "", "ok"),
        ('cd x && rg -n "a|b" src', 1, "", "ok"),
        ("git diff --no-index a b", 1, "-x\n+y", "ok"),
        ("gh pr checks 12", 8, "pending", "ok"),
        ("rg foo src", 2, "regex error", "error"),
        ("make && rg foo", 1, "compile error", "error"),
        ("git commit -m 'rg x'", 1, "", "error"),
        ("pytest | tail -3", 1, "", "error"),
        ("echo 'grep x", 1, "", "error"),
    ],
)
def test_an_exit_code_that_says_no_match_is_no_failure(command: str, code: int, output: str, status: str) -> None:
    assert outcome("shell", CODEX.format(code, output), None, None, command)[0] == status


def test_hostile_text_is_classified_in_linear_time() -> None:
    for text in ("(" * 200_000, "tool " * 50_000, "\x1b[" * 100_000, "Exit code 1\n" + "a: " * 100_000, "\ud800" * 1000):
        assert outcome("shell", text, True, None)[0] == "error"


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("shell", "/bin/bash: line 1: python: command not found", "cmd_missing"),
        ("shell", "zsh: command not found: foo", "cmd_missing"),
        ("shell", "The term 'gcloudx' is not recognized as the name of a cmdlet", "cmd_missing"),
        ("shell", "sh: 1: ruff: not found", "cmd_missing"),
        ("shell", "404 page not found", "not_found"),
        ("shell", "ModuleNotFoundError: No module named 'x'", "other"),
        ("shell", "error: pathspec 'x' did not match", "other"),
        ("shell", "error: unknown option '--list-models'", "unknown_option"),
        ("shell", "error: unexpected argument '--foo' found", "unknown_option"),
        ("shell", 'npm error Missing script: "typecheck:all"', "unknown_option"),
        ("shell", "git: 'pushh' is not a git command. See 'git --help'.", "unknown_option"),
        ("shell", "make: *** No rule to make target 'lint-all'.  Stop.", "unknown_option"),
        ("shell", 'Unknown JSON field: "reviewThreads"', "unknown_option"),
        ("shell", "OSError: [Errno 22] Invalid argument", "other"),
        ("shell", "an unknown error occurred", "other"),
        ("other", "Error: No such tool available: mcp__x", "no_such_tool"),
        ("other", "Model tried to call unavailable tool 'ProxyRead'. Available tools: bash, read", "no_such_tool"),
        ("other", "Unknown function: foo", "no_such_tool"),
        ("other", "Tool 'add' denied by connectonion.auto: unknown tools", "no_such_tool"),
        ("other", "tool call finished", "other"),
        ("other", "the tool returned nothing", "other"),
        ("write", "InputValidationError: Write failed due to the following issue: The required parameter content is missing", "schema"),
        ("search", "The grep tool was called with invalid arguments: [", "schema"),
        ("message", "ToolInputError: to required", "schema"),
        ("message", "Action send requires a target.", "schema"),
        ("read", "file not found", "no_such_file"),
        ("api", "order is not eligible for return", "other"),
        ("api", "Found 1 validation errors parsing tool input arguments:\n- 'x' is a required property", "schema"),
        ("shell", "Permission to use Bash with command ssh -V has been denied.", "guard"),
        ("shell", "husky - pre-commit hook exited with code 1", "guard"),
        ("shell", "exec denied: allowlist miss", "guard"),
        ("shell", "! [remote rejected] main -> main (protected branch hook declined)", "guard"),
        ("api", "403 Forbidden", "guard"),
        ("api", "denial of service test", "other"),
        ("other", "hooked up the callback", "other"),
        ("edit", "String to replace not found in file.", "edit_not_found"),
        ("edit", "Failed to edit, expected 1 occurrence(s) but found 3.", "edit_not_unique"),
        ("edit", "error: patch failed: a.c:3\nerror: a.c: patch does not apply", "edit_not_found"),
        ("edit", "File has been modified since read", "edit_stale"),
        ("edit", "File has not been read yet. Read it first before writing to it.", "edit_not_read"),
        ("edit", "found the string", "other"),
        ("edit", "no matches for grep", "other"),
    ],
)
def test_the_lexicon_of_errors(kind: ToolClass, text: str, expected: ErrorClass) -> None:
    assert outcome(kind, text, True, None)[1] == expected


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", "cancelled"),
        ("The user doesn't want to proceed with this tool use.", "refused"),
        ("<tool_use_error>Cancelled: parallel tool call Bash(x) errored", "cancelled"),
        ("Exit code 1", "error"),
    ],
)
def test_the_lexicon_of_calls_that_never_ran(text: str, status: str) -> None:
    assert outcome("shell", text, True, None)[0] == status


@pytest.mark.parametrize(
    ("kind", "text", "status"),
    [
        ("shell", "bash: line 1: exiftool: command not found\n", "error"),
        ("shell", "header\nbash: line 1: exiftool: command not found\n", "ok"),
        ("api", '{"error": "InvalidRequestException: Missing required parameter: query."}', "error"),
        ("api", '{"error": null, "id": 3}', "ok"),
        ("api", '{"error": "", "id": 3}', "ok"),
        ("read", '{"error": "x"}', "ok"),
    ],
)
def test_a_failure_that_no_flag_tells_of_is_read_from_the_text(kind: ToolClass, text: str, status: str) -> None:
    assert outcome(kind, text, None, None)[0] == status
