"""Messages of programs: names before them, values that are put in, literals on several lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.copied import Copied
from pincite.stages.rank_code.messages import joined, templates, without_names
from tests.builders import chunk

ENGLISH = informative_terms("english")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("InputError: Body too long", ["Body too long"]),
        ("app.options.Error: Option x", ["Option x"]),
        ("ERROR:app.web:Uncaught exception", ["app.web:Uncaught exception", "Uncaught exception"]),
        ("error[E0382]: use of moved value", ["use of moved value"]),
        ("Body too long", []),
        ("https://a.example/b", []),
        ("std::vector has no size", []),
        ("C:\\temp", []),
        ("a: b: c: d: e: f", ["b: c: d: e: f", "c: d: e: f", "d: e: f", "e: f"]),
    ],
)
def test_names_before_a_message_are_left_out_one_by_one(text: str, left: list[str]) -> None:
    assert without_names(text) == left


@pytest.mark.parametrize(
    ("code", "one"),
    [
        ('raise E("Received a "\n    "message")', 'raise E("Received a message")'),
        ("raise E(f'Received {a} '\n    f'message')", "raise E(f'Received {a} message')"),
        ('throw new E("Received a " +\n  "message");', 'throw new E("Received a message");'),
        ('throw new E("Received a "\n  + "message");', 'throw new E("Received a message");'),
        ('$a = "Received a " .\n "message";', '$a = "Received a message";'),
        (r'raise E("no key \"a\" in b")', 'raise E("no key "a" in b")'),
        ('["one",\n "two"]', '["one",\n "two"]'),
        ("'one'\n\"two\"", "'one'\n\"two\""),
        ('f("one" "two")', 'f("one" "two")'),
    ],
)
def test_literals_on_several_lines_become_one(code: str, one: str) -> None:
    assert joined(code) == one


@pytest.mark.parametrize(
    ("code", "pieces"),
    [
        ('"Option %r requires a value" % name', ("Option ", " requires a value")),
        ("f'Option {name!r} requires a value'", ("Option ", " requires a value")),
        ("`Option ${name} requires a value`", ("Option ", " requires a value")),
        ('"Option #{name} requires a value"', ("Option ", " requires a value")),
        ('"Option $name requires a value"', ("Option ", " requires a value")),
        ('"Option \\(name) requires a value"', ("Option ", " requires a value")),
        ('"Option %(name)s requires a value"', ("Option ", " requires a value")),
        ('"Option " + name + " requires a value"', ("Option ", " requires a value")),
        ('"unknown option:\\n %s"', ("unknown option: ", "")),
        ('"100% of it"', None),
        ('"no place"', None),
    ],
)
def test_literals_with_places_are_cut_there(code: str, pieces: tuple[str, ...] | None) -> None:
    assert templates(code) == ([] if pieces is None else [pieces])


OPTION = 'raise Error("Option %r requires a value" % name)'


@pytest.mark.parametrize(
    ("question", "code", "words", "of"),
    [
        ("Option 'port' requires a value", OPTION, 4, 4),
        ("Option <function f at 0x7f1> requires a value", OPTION, 4, 4),
        ("app.options.Error: Option 'port' requires a value", OPTION, 4, 4),
        ("ERROR:app.web:Error: Option 'port' requires a value", OPTION, 4, 4),
        (
            "Callback f(1) raised exception: KeyError('a')",
            "'callback %r raised exception: %r'",
            3,
            3,
        ),
        ("No matching albums found.", "f'No matching {kind}s found.'", 3, 3),
        ("see: Option 'a' requires a value, or not", OPTION, 4, 6),
    ],
)
def test_values_do_not_count(question: str, code: str, words: int, of: int) -> None:
    assert Copied(question).parts([code])[0] == pytest.approx((words / of) ** 4 * (words / 6) ** 2)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("requires a value Option 'port'", OPTION),
        ("why is Option 'port' a value?", OPTION),
        ("how does Option 'port' get to requires a value", "'how does %s get to %s'"),
        ("is there a size of cache in the store?", "'size of %s in the store'"),
        ("the size of the cache", "'the %s of the %s'"),
        ("size of cache", "'size of %s'"),
        ("Option 'port' needs a value", OPTION),
    ],
)
def test_other_texts_are_not_taken_for_a_message(question: str, code: str) -> None:
    assert Copied(question).parts([code])[0] == Copied(question).parts([code.replace("%", "")])[0]


def test_a_message_on_two_lines_of_code_counts_in_full() -> None:
    code = 'raise Error(\n    "Received a body that is "\n    "too long"\n)'
    assert Copied("Received a body that is too long").parts([code])[0] == 1


def test_the_place_that_raises_precedes_the_class_of_the_error() -> None:
    def one(name: str, score: float, path: str, text: str, *symbols: str) -> Candidate:
        found = chunk(text, id=name, path=path, source_type="code", symbols=symbols)
        return Candidate("main", found, (Signal("fused", "normalised", score),))

    message = "Body is too long"
    found = [
        one("error", 1.0, "kinds.py", "class BodyError(Exception):\n    body = 1", "BodyError"),
        one("raises", 0.6, "connection.py", f'raise BodyError("{message}")', "read"),
    ]

    def first(question: str) -> str:
        query = prepare(Question(question), PrepareConfig())
        config = RankCodeConfig()
        return rank_code(query, found, ENGLISH, config, frozenset(("main",)))[0].chunk.id

    assert first(f"BodyError: {message}") == "raises"
    assert first("BodyError: how is the body read?") == "error"
    assert first("BodyError") == "error"


@given(st.text(max_size=60), st.text("ab %{}$\"'\\\n+.", max_size=60))
def test_any_text_has_templates_and_a_value(question: str, code: str) -> None:
    assert all(len(pieces) > 1 for pieces in templates(joined(code)))
    assert 0 <= Copied(question).parts([code])[0] <= 1


def test_a_long_text_is_compared_with_no_template() -> None:
    code = 'raise Error(f"the option {name} requires a value")\n'
    message = "the option port requires a value"
    assert Copied(message).parts([code])[0] > 0.6
    assert Copied(f"{message} {'and another word ' * 100}").parts([code])[0] < 0.1
