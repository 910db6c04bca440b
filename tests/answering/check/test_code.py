"""What code denies: in its words, not in its operators."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answering.check.check_answer import check_answer
from pincite.answering.check.passages import Told
from pincite.answering.sentences.code_comments import said_in_code, words_of_code
from tests.answering.evidence import TERMS, evidence
from tests.time_limits import GROWS_S

ROTATE = '''\
def rotate_key(name: str, secret: str | None = None) -> None:
    """Rotate a key: call `rotate_key` with the new secret.

    Keys that have expired cannot be restored, not
        only by this function.
    """
    if not secret:
        raise ValueError("no secret is given")
    store.replace(name, secret)  # never twice
'''


def doubts(text: str, *code: str) -> list[tuple[str, str]]:
    items = [
        evidence(one, number, source_type="code", path=f"{number}.py")
        for number, one in enumerate(code, 1)
    ]
    passages = [Told(one, one.text, one.citation) for one in items]
    return [(one.why, one.detail) for one in check_answer(text, passages, TERMS).doubts]


@pytest.mark.parametrize(
    "text",
    [
        "Rotate a key: call `rotate_key` with the new secret [1].",
        "Expired keys cannot be restored [1].",
        "A `ValueError` is raised if a secret is given as `None` [1].",
    ],
)
def test_what_code_says_of_itself_is_not_doubted(text: str) -> None:
    assert doubts(text, ROTATE) == []


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("Do not call `rotate_key` [1].", "not"),
        ("Never rotate a key [1].", "Never"),
        ("Keys that have expired can be restored [1].", "cannot"),
    ],
)
def test_what_it_denies_is(text: str, by: str) -> None:
    assert doubts(text, ROTATE) == [("negation", by)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("None of the keys is rotated with the secret [1].", [("negation", "None")]),
        ("The rotated keys are none of the secret [1].", [("negation", "none")]),
        ("The secret rotates keys and returns None [1].", []),
        ("None is returned when the secret rotates keys [1].", []),
    ],
)
def test_none_is_a_value_but_for_none_of_them(text: str, found: list[tuple[str, str]]) -> None:
    code = '# All keys are rotated with the secret; then it returns "None" when done.\nkeys = []\n'
    assert doubts(text, code) == found


def test_comments_and_docstrings_are_prose_and_the_rest_is_lines() -> None:
    code = (
        "/**\n * Never call this. Or\n * call it twice.\n */\nint f(int x); // not this\n"
        'x = """\nnot prose\n"""\n# but this\n#include <x>\n#[derive(A)]\n/// Rust says no.\n'
        "-- SQL\n@doc '''\nElixir.\n'''\ni--\n"
        "#: Sphinx\n#: says so.\n#:\n#: Twice.\n#' roxygen\n#:a\n#'b\n"
    )
    assert [(one.text, one.code) for one in said_in_code(code)] == [
        ("Never call this.", False),
        ("Or\ncall it twice.", False),
        ("int f(int x); // not this", True),
        ('x = """', True),
        ("not prose", True),
        ('"""', True),
        ("but this", False),
        ("#include <x>", True),
        ("#[derive(A)]", True),
        ("Rust says no.", False),
        ("SQL", False),
        ("Elixir.", False),
        ("i--", True),
        ("Sphinx\nsays so.", False),
        ("Twice.", False),
        ("roxygen", False),
        ("#:a", True),
        ("#'b", True),
    ]


@given(
    st.lists(st.sampled_from(["# a b.", '"""', "x = 1", "/* c", "*/", " * d e", "", "\r", "// f"]))
)
def test_sentences_lie_in_the_text_one_behind_the_other(lines: list[str]) -> None:
    text = "\n".join(lines)
    words, found = words_of_code(text)
    assert len(words) == len(text)
    ends = [0, *(one.end for one in found)]
    for one, before in zip(found, ends, strict=False):
        assert before <= one.start < one.end <= len(text)
        assert words[one.start : one.end].strip()


@pytest.mark.parametrize("line", ["# a\nx\n", "# a b c\n", '"""\n', "/* a */\n"])
def test_long_code_takes_linear_time(line: str) -> None:
    begun = time.process_time()
    words_of_code(line * 20_000)
    assert time.process_time() - begun < GROWS_S / 6
