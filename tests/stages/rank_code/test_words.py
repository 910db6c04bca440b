"""How words of a question and of names are held against each other where code is ranked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.words import Likeness, Vocabulary, likeness, vocabulary_of
from tests.builders import chunk

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")


def one(path: str, score: float, *symbols: str) -> Candidate:
    found = chunk(path, id=path, path=path, source_type="code", symbols=symbols)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def first(question: str, *found: Candidate) -> str:
    query = prepare(Question(question), PrepareConfig())
    return rank_code(query, found, ENGLISH, RankCodeConfig(), CODE)[0].chunk.path


@pytest.mark.parametrize(
    ("asked", "named", "alike"),
    [
        ("arguments", "args", 0.8),
        ("logging", "logger", 0.8),
        ("parameters", "params", 0.8),
        ("connections", "connection", 1.0),
        ("internals", "int", 0.8),
        ("db", "dbm", 0.0),
        ("parser", "printer", 0.0),
    ],
)
def test_a_word_is_like_one_that_its_stem_begins(asked: str, named: str, alike: float) -> None:
    vocabulary = Vocabulary(ENGLISH)
    (word,), others = vocabulary.words(asked), vocabulary.words(named)
    assert likeness(word, others) == alike
    assert likeness(others[0], (word,)) == alike


def test_a_file_called_by_the_short_form_of_a_word_goes_ahead() -> None:
    found = one("command.go", 1.0, "Command"), one("args.go", 0.9, "NoArgs")
    assert first("where are positional arguments checked", *found) == "args.go"


def test_a_namespace_that_every_file_opens_is_no_definition_of_its_name() -> None:
    opened = [one(f"Part{n}.cs", 0.8, "Dapper", f"Part{n}") for n in range(8)]
    found = (*opened, one("SqlMapper.cs", 0.9, "Query"))
    assert first("how Dapper caches a query", *found) == "SqlMapper.cs"


def test_the_only_file_that_defines_a_name_still_goes_ahead() -> None:
    others = [one(f"use{n}.cs", 0.9, "caller") for n in range(3)]
    assert first("how GridReader moves on", *others, one("x.cs", 0.8, "GridReader")) == "x.cs"


PARTS = ("log", "logger", "logging", "logs", "args", "arguments", "db", "dbm", "int", "internals")
NAMES = st.lists(st.sampled_from((*PARTS, "run", "running", "parse", "42", "of")), max_size=5)


@given(NAMES, st.lists(NAMES.map("_".join), max_size=4))
def test_words_that_are_not_compared_are_not_alike(asked: list[str], names: list[str]) -> None:
    """Each word of the question beside each word of a name, without a look at beginnings."""
    vocabulary = Vocabulary(ENGLISH)
    words = tuple(dict.fromkeys(vocabulary.words("_".join(asked))))
    like = Likeness(words, vocabulary)
    best = [0.0] * len(words)
    for name in names:
        parts = vocabulary.words(name)
        each = [likeness(word, parts) for word in words]
        assert list(like.of_name(name)) == (each if any(each) else [])
        assert like.best(name) == [likeness(part, words) for part in parts]
        best = [max(pair) for pair in zip(best, each, strict=True)]
    expected = sum(best) / len(words) if words else 0.0
    assert like.overlap(names) == pytest.approx(expected)


def test_a_vocabulary_is_kept_for_the_next_question_and_stays_small() -> None:
    asked: list[str] = []

    def terms(text: str) -> frozenset[str]:
        asked.append(text)
        return frozenset((text,))

    assert vocabulary_of(terms).words("sendRequest") == vocabulary_of(terms).words("send_request")
    assert asked == ["send", "request"]
    vocabulary = vocabulary_of(terms)
    for number in range(12_000):
        vocabulary.words(f"n{number}")
    assert len(vocabulary._names) <= 10_000
    assert len(vocabulary._known) <= 10_000
    long = "x" * 5_000
    assert vocabulary.words(long)[0].text == long
    assert long not in vocabulary._names
    assert long not in vocabulary._known
