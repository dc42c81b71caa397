"""A text that is read without the grammar is read as the grammar would."""

import random

import pytest

from tracedance.kit.plain_shell import pipelines
from tracedance.kit.shell import by_grammar, parse
from tracedance.kit.texts import words

WORDS = sorted(
    words(
        """
        git commit -m cd /tmp/x sudo env A=b 2>&1 && || | ; xargs bash -c timeout 30 nohup ssh host find . -exec docker run python test
        tee out.txt sed -i s/a/b/ 's/a/b/' kubectl exec -- in then time nice echo watch command true export if pushd .. a,b x:y 3 +1 %1
        @ - ... '' ""
        """
    )
)
QUOTED = ['"x y"', "'a b'", '"ls; rm x"', "'cat f'", '"a|b"', "'x && y'", '"print(1)"']


def test_it_says_what_the_grammar_says() -> None:
    rng = random.Random(1)
    read = 0
    for _ in range(6_000):
        text = " ".join(rng.choice([*WORDS, *QUOTED]) for _ in range(rng.randint(1, 9))).replace(" ;", ";")
        if pipelines(text) is not None:
            read += 1
            assert parse(text) == by_grammar(text), text
    assert read > 2_000


@pytest.mark.parametrize(
    "text",
    [
        "a $X",
        "a > b",
        "a &",
        "A=b c",
        "if x",
        "cat <<E",
        "a `b`",
        'a "$(b)"',
        "a\nb",
        "a && b 2>&1 | c",
        "",
        " a",
        'a"b"',
        "a (b)",
        "[ a ]",
    ],
)
def test_what_is_not_plain_is_left_to_the_grammar(text: str) -> None:
    assert pipelines(text) is None
