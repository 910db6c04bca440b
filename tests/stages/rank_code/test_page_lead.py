"""Pages in a collection of code, if they have more of the question than the code."""

from __future__ import annotations

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.known import KnownTerms, asked_terms
from pincite.stages.rank_code.page_lead import raise_pages
from pincite.stages.rank_code.paths import priors_for
from pincite.support.fields import replace
from tests.builders import chunk

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")
TOPIC = "vault rotation schedule"
PAGE = "The vault follows a rotation schedule."


def one(path: str, score: float, text: str) -> Candidate:
    kind = "docs" if path.endswith(".md") else "code"
    found = chunk(text, id=path, path=path, source_type=kind)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def prose(question: str, *found: Candidate, **weights: float) -> float:
    """Return the prior of pages for these candidates."""
    rarity = {"main": {next(iter(ENGLISH(word))): value for word, value in weights.items()}}
    priors = priors_for(question, RankCodeConfig())
    known = KnownTerms(asked_terms(question, ENGLISH, {"acme"}), ENGLISH, rarity)
    return raise_pages(question, found, known, priors).prose


def test_a_page_with_far_more_of_the_question_goes_ahead_of_code() -> None:
    found = one("keys.py", 0.9, "def vault(): ..."), one("page.md", 1.0, PAGE)
    query = prepare(Question(TOPIC), PrepareConfig())
    ranked = rank_code(query, found, ENGLISH, RankCodeConfig(), CODE)
    assert [each.chunk.path for each in ranked] == ["page.md", "keys.py"]
    known = one("keys.py", 0.9, "def vault(rotation, schedule): ..."), found[1]
    ranked = rank_code(query, known, ENGLISH, RankCodeConfig(), CODE)
    assert [each.chunk.path for each in ranked] == ["keys.py", "page.md"]


def test_the_prior_grows_with_the_lead() -> None:
    found = one("keys.py", 1.0, "def vault(rotation): ..."), one("page.md", 0.9, PAGE)
    assert prose(TOPIC, *found) == pytest.approx(0.5 + 0.5 * (1 / 3 - 0.2) / 0.2)
    assert prose(TOPIC, *found, schedule=0.2) == 0.5  # a common word is a small lead
    assert prose(TOPIC, *found, schedule=2.0) == 1.0


def test_what_two_passages_of_code_have_together_is_no_lead_of_a_page() -> None:
    halves = one("a.py", 1.0, "def vault(rotation): ..."), one("b.py", 0.9, "schedule = 1")
    assert prose(TOPIC, *halves, one("page.md", 0.8, PAGE)) == 0.5


def test_a_question_for_code_by_its_form_lowers_pages() -> None:
    found = one("keys.py", 1.0, "def run(): ..."), one("page.md", 0.9, PAGE)
    assert prose(TOPIC, *found) == 1.0
    for question in (
        *("how does the vault follow a rotation schedule", "Where is the vault rotation schedule"),
        *("which class has the vault rotation schedule", "what happens in the vault rotation"),
    ):
        assert prose(question, *found) == 0.5


def test_pages_without_code_and_code_without_pages() -> None:
    assert prose(TOPIC, one("keys.py", 1.0, PAGE)) == 0.5
    assert prose(TOPIC, one("page.md", 1.0, PAGE)) == 1.0
    assert prose(TOPIC) == 0.5
    assert prose("the of", one("page.md", 1.0, PAGE)) == 0.5  # no terms, no lead


def test_only_the_first_passages_of_each_kind_are_compared() -> None:
    others = [one(f"n{number}.md", 0.9, "nothing") for number in range(8)]
    assert prose(TOPIC, *others, one("page.md", 0.1, PAGE)) == 0.5


def test_the_name_of_the_source_and_changelogs_give_no_lead() -> None:
    found = one("keys.py", 1.0, "def vault(rotation, schedule): ..."), one("page.md", 0.9, "acme")
    assert prose("acme schedule", *found) == 0.5
    changes = one("CHANGELOG.md", 0.9, PAGE)
    assert prose(TOPIC, one("keys.py", 1.0, "def run(): ..."), changes) == 0.5


def test_headings_and_names_of_code_are_known() -> None:
    page = one("page.md", 0.9, PAGE)
    bare = one("keys.py", 1.0, "x")
    headed = replace(bare, chunk=replace(bare.chunk, headings=("VaultRotation", "schedule")))
    assert prose(TOPIC, bare, page) == 1.0
    assert prose(TOPIC, headed, page) == 0.5
