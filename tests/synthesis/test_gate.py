"""The grammar for synthesised anchors: sentences with line numbers for what it refuses, and room for what an anchor needs."""

import pytest

from tests.synthesis.sample import HEAD, sound
from tracedance.catalogue import families
from tracedance.synthesis.gate import problems


def test_a_plain_anchor_passes() -> None:
    assert problems(sound().source, "read_after_failure") == ()


def said(body: str) -> list[tuple[int, str]]:
    source = f"{HEAD}def bad(session, params):\n    {body}\n    yield hits.hit(decision=1, offends=True, why='')\n"
    return [(problem.line, problem.what) for problem in problems(source, "bad")]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("import os", "does not import 'os'"),
        ("from tracedance.store import store", "does not import 'tracedance.store'"),
        ("from tracedance.kit import paths as p; p.posixpath", "'posixpath' is none"),
        ("from collections import namedtuple", "collections offers no 'namedtuple'"),
        ("x = open('f')", "'open' is not known"),
        ("x = __builtins__", "'__builtins__' is not known"),
        ("x = session.__class__", "'__class__' is none"),
        ("x = session.__ｃlass__", "'__class__' is none"),
        ("x = '{0}'.format(session)", "'format' is none"),
        ("x = (y for y in ()).gi_frame", "'gi_frame' is none"),
        ("x = 9 ** 9", "the power operator"),
        ("x = 1 << 9", "a shift to the left"),
        ("x = 10000000", "larger than 1,000,000"),
        ("class X: pass", "a class"),
        ("with session: pass", "a with block"),
        ("del session", "del"),
        ("session.turns = ()", "does not set attributes"),
        ("len = 3", "Python's own"),
        ("f = lambda: (yield from session.labels)", "'labels' is none"),
    ],
)
def test_each_problem_is_a_sentence_with_its_line(body: str, part: str) -> None:
    assert any(line == 6 and part in what and what.endswith(".") for line, what in said(body)), said(body)


@pytest.mark.parametrize(
    "body",
    [
        "import re; x = re.compile('a').search(session.turns[0].text); y = x and x.group(0)",
        "from collections import Counter; x = Counter(call.name for call in session.calls()).most_common(1)",
        "from itertools import chain; x = list(chain.from_iterable(turn.calls for turn in session.turns))",
        "import json; x = json.loads('{}').get('a', [])",
        "from tracedance.kit.shell import parse; x = [command.program for call in session.calls() for command in parse(call.cmd)]",
        "from tracedance.kit import files, git, testing; x = [touch.path for call in session.calls() for touch in files.touches(call)]",
        "x = f'{session.id!r:>9}' if session.compactions else -1; x += '' if x else 'b'",
        "from collections.abc import Iterator; x: list[int] = sorted({1, 2} | set()); x[0] = 3; x.append(4)",
        "x = next((turn for turn in reversed(session.turns) if (mark := turn.mark)), None); assert x is None or mark",
    ],
)
def test_an_anchor_may_do_what_anchors_do(body: str) -> None:
    assert said(body) == []


def test_what_is_no_anchor_or_too_large_is_refused() -> None:
    assert "no Python" in problems("def (", "bad")[0].what
    assert any("NEEDS is missing" in problem.what for problem in problems("def bad(session, params): pass", "bad"))
    assert any("one function bad(session, params)" in problem.what for problem in problems(HEAD, "bad"))
    assert "nodes" in problems(HEAD + "x = [" + "1, " * 9_000 + "]", "bad")[0].what
    assert "levels" in problems(HEAD + "x = " + "-" * 60 + "1", "bad")[0].what
    assert "larger than" in problems("#" * 70_000, "bad")[0].what
    assert "cannot be parsed" in problems("x = " + "(" * 150 + ")" * 150, "bad")[0].what or problems("x = " + "(" * 999, "bad")


def test_shipped_anchors_are_stopped_by_style_alone() -> None:
    """Half of them or more are written in the grammar; the others use classes, decorators or large numbers, never a name from outside."""
    found = {}
    for family in families().values():
        source = (family.folder / "anchors" / family.frame / f"{family.name}.py").read_text()
        found[family.id] = problems(source, family.name)
    assert sum(not each for each in found.values()) >= len(found) / 2, {name: each[:2] for name, each in found.items() if each}


@pytest.mark.parametrize(
    "first",
    [
        "# coding: raw_unicode_escape\n# \\u000aimport os\n",
        "#!x\n# -*- coding: latin-1 -*-\n",
        "# a\x1c# b\n# coding: raw_unicode_escape\n# \\u000aimport os\n",
        "\ufeff",
        "# a\f\n",
        "# a\rimport os\n",
        "# a\u2028import os\n",
        "# \u202ereturn\u2066\n",
        "# a\u200bb\n",
    ],
)
def test_a_source_that_python_would_read_otherwise_than_people_do_is_refused(first: str) -> None:
    assert any("UTF-8" in each.what for each in problems(first + HEAD, "good"))


def test_people_write_in_their_own_letters() -> None:
    assert said("x = 'Größe, размер, サイズ, 大小, \u00a0, 👍'") == []


@pytest.mark.parametrize(
    "body",
    [
        "from typing import get_type_hints",
        "import typing; typing.ForwardRef('1')",
        "import typing; typing.get_type_hints(session)",
        "from tracedance.kit.memo import wraps",
        "from tracedance.kit.shell import dataclass",
        "from tracedance.kit.grounding import cached_property",
        "from json import JSONDecoder",
        "x = Hit.model_construct",
        "x = Hit.update_forward_refs",
        "x = Hit.parse_raw",
        "x = Hit.copy_on_model_validation",
        "import operator; operator.attrgetter('a')",
        "import functools; functools.reduce(getattr, ())",
        "import string; string.Formatter()",
        "import dataclasses",
        "x = str.format_map",
        "x = f'{session.__class__}'",
        "x = f'{1:{session.__class__}}'",
        "x = type(session)",
        "x = getattr(session, 'id')",
    ],
)
def test_nothing_that_evaluates_texts_or_looks_names_up_is_offered(body: str) -> None:
    assert said(body) != []


def test_a_problem_is_short_however_long_a_name_is() -> None:
    assert all(len(what) < 320 for _, what in said("x = " + "a" * 30_000))
