"""Tool classes and the command column."""

from typing import Any

import pytest

from tracedance.kit.tools import command, scripted, tool_class

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Move to: src/b.py\n*** Delete File: c.py\n*** End Patch"


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "said"),
    [
        ("Bash", {"command": "git status"}, "shell", "git status"),
        ("PowerShell", {"command": "ls"}, "shell", "ls"),
        ("exec_command", {"cmd": "ls -l"}, "shell", "ls -l"),
        ("functions.exec_command", {"cmd": "ls"}, "shell", "ls"),
        ("shell", {"command": ["bash", "-lc", "ls | head"]}, "shell", "ls | head"),
        ("shell", {"command": ["echo", "it's"]}, "shell", "echo 'it'\"'\"'s'"),
        ("shell", {"command": ["apply_patch", PATCH]}, "edit", "src/a.py\nsrc/b.py\nc.py"),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}, "edit", "src/a.py\nsrc/b.py\nc.py"),
        ("apply_patch", {"input": PATCH}, "edit", "src/a.py\nsrc/b.py\nc.py"),
        ("exec", {"input": "const r = await tools.exec_command({cmd: 'ls'})"}, "shell", "ls"),
        ("exec", {"input": f"await tools.apply_patch(`{PATCH}`)"}, "edit", "src/a.py\nsrc/b.py\nc.py"),
        ("Edit", {"file_path": "/w/a.py", "old_string": "x", "new_string": "y"}, "edit", "/w/a.py"),
        ("MultiEdit", {"file_path": "/w/a.py", "edits": []}, "edit", "/w/a.py"),
        ("NotebookEdit", {"notebook_path": "/w/a.ipynb"}, "edit", "/w/a.ipynb"),
        ("str_replace_editor", {"command": "view", "path": "/w"}, "read", "/w"),
        ("str_replace_editor", {"command": "create", "path": "/w/n"}, "write", "/w/n"),
        ("str_replace_editor", {"command": "str_replace", "path": "/w/n"}, "edit", "/w/n"),
        ("Write", {"file_path": "/w/a.py", "content": "x"}, "write", "/w/a.py"),
        ("Read", {"file_path": "/w/a.py"}, "read", "/w/a.py"),
        ("read_file", {"path": "a"}, "read", "a"),
        ("Grep", {"pattern": "x.*y", "path": "src"}, "search", "x.*y"),
        ("Glob", {"pattern": "**/*.py"}, "search", "**/*.py"),
        ("WebFetch", {"url": "https://e.com", "prompt": "p"}, "web", "https://e.com"),
        ("TodoWrite", {"todos": []}, "plan", ""),
        ("update_plan", {"plan": []}, "plan", ""),
        ("AskUserQuestion", {"questions": []}, "ask", ""),
        ("BashOutput", {"bash_id": "b1"}, "job", ""),
        ("write_stdin", {"session_id": 1, "chars": ""}, "job", ""),
        ("Task", {"subagent_type": "Explore", "prompt": "p"}, "subagent", "Explore"),
        ("Skill", {"skill": "commit"}, "skill", "commit"),
        ("send_message", {"to": "x"}, "message", ""),
        ("mcp__slack__send_message", {"text": "x"}, "message", ""),
        ("mcp__linear-server__get_issue", {"id": "x"}, "api", ""),
        ("mcp__filesystem__read_file", {"path": "/a"}, "read", "/a"),
        ("mcp__jira__wait", {}, "api", ""),
        ("get_user_details", {"user_id": "u"}, "api", ""),
        ("execute_sql", {"query": "select 1"}, "db", "select 1"),
        ("ReportFindings", {"findings": []}, "other", ""),
        ("", {}, "other", ""),
    ],
)
def test_a_call_has_the_class_and_command_of_its_tool(name: str, arguments: dict[str, Any], kind: str, said: str) -> None:
    found = tool_class(name, arguments)
    assert (found, command(name, found, arguments)) == (kind, said)


def test_arguments_of_a_wrong_type_are_no_obstacle() -> None:
    for value in (None, 3, [], {}, [1, None], {"a": 1}):
        for name in ("Bash", "Edit", "Read", "Grep", "exec", "apply_patch", "Task"):
            arguments = {"command": value, "file_path": value, "pattern": value, "input": value}
            assert isinstance(command(name, tool_class(name, arguments), arguments), str)


def test_commands_and_patches_are_found_in_scripts() -> None:
    script = f"""
    // "cmd": a comment
    const a = tools.exec_command({{"cmd": "git log \\"-1\\"\\nls", yield_time_ms: 1000}});
    const patch = `{PATCH}`;
    await tools.apply_patch(patch);
    const note = 'cmd stands in a text';
    """
    assert scripted(script) == (['git log "-1"\nls'], [PATCH])
    assert scripted("tools.exec_command({cmd: 'unclosed") == (["unclosed"], [])
