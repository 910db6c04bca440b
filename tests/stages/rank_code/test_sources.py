"""The name of a source, in a question about code."""

from __future__ import annotations

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from tests.builders import chunk

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")


def one(source: str, path: str, score: float) -> Candidate:
    found = chunk(f"{source}:{path}", id=f"{source}:{path}", repo=source, path=path)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def order(question: str, *found: Candidate, named: bool = False) -> list[str]:
    query = prepare(Question(question), PrepareConfig())
    config = RankCodeConfig(source_named=named)
    return [each.chunk.path for each in rank_code(query, found, ENGLISH, config, CODE)]


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("cobra", "cobra.go"),
        ("zig-clap", "clap.zig"),
        ("GsonBuilder", "gson.java"),
        ("Cobra", "src/cobra/mod.rs"),
        ("cobra", "cobra/__init__.py"),
    ],
)
def test_the_name_of_the_source_says_nothing_about_its_files(source: str, path: str) -> None:
    found = one(source, "flags.go", 1.0), one(source, path, 0.9)
    question = f"how {source} integrates pflags for typed values"
    assert order(question, *found) == ["flags.go", path]
    assert order(question, *found, named=True) == [path, "flags.go"]


def test_a_question_that_is_the_name_of_the_source_finds_the_file_of_that_name() -> None:
    found = one("cobra", "flags.go", 1.0), one("cobra", "cobra.go", 0.9)
    for question in ("cobra", "Cobra", "what is cobra?"):
        assert order(question, *found)[0] == "cobra.go"


def test_among_several_sources_the_name_of_one_is_a_word_as_any_other() -> None:
    found = one("viper", "flags.go", 1.0), one("cobra", "cobra.go", 0.9)
    assert order("how cobra integrates pflags", *found)[0] == "cobra.go"


@pytest.mark.parametrize("source", ["", "-", "🐍", "\x1b[31m", "(a+)+$", "x" * 100_000])
def test_whatever_a_source_is_called_nothing_is_lost(source: str) -> None:
    found = one(source, "flags.go", 1.0), one(source, "cobra.go", 0.9)
    assert sorted(order(f"how {source} works", *found)) == ["cobra.go", "flags.go"]
