"""Pages in a collection of code, if they have more of the question than the code."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pincite.model import Candidate, Question, Signal, SourceType
from pincite.providers.sparse.analyser import informative_terms
from pincite.questions.asked import asked_of
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.known import KnownTerms, asked_terms
from pincite.stages.rank_code.page_lead import raise_pages
from pincite.stages.rank_code.priors import priors_for
from pincite.support.fields import replace
from tests.builders import chunk

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")
TOPIC = "vault rotation schedule"
PAGE = "The vault follows a rotation schedule."
KINDS: Mapping[str, SourceType] = {"md": "docs", "yaml": "data", "py": "code"}


def one(path: str, score: float, text: str) -> Candidate:
    kind = KINDS[path.rpartition(".")[2]]
    found = chunk(text, id=path, path=path, source_type=kind)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def pages(question: str, *found: Candidate, **weights: float) -> float:
    """Return the prior of pages for these candidates."""
    rarity = {"main": {next(iter(ENGLISH(word))): value for word, value in weights.items()}}
    asked = asked_of(question)
    priors = priors_for(asked, RankCodeConfig())
    known = KnownTerms(asked_terms(question, ENGLISH, {"acme"}), ENGLISH, rarity)
    return raise_pages(asked.kinds, found, known, priors).pages


def prior_of(found: tuple[Candidate, ...], code: frozenset[str] = CODE) -> dict[str, float]:
    """Return the signal `prior` of each candidate."""
    query = prepare(Question(TOPIC), PrepareConfig())
    ranked = rank_code(query, found, ENGLISH, RankCodeConfig(), code)
    signals = {each.chunk.path: each.signal("prior") for each in ranked}
    return {path: signal.value for path, signal in signals.items() if signal}


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
    assert pages(TOPIC, *found) == pytest.approx(0.5 + 0.5 * (1 / 3 - 0.2) / 0.2)
    assert pages(TOPIC, *found, schedule=0.2) == 0.5  # a common word is a small lead
    assert pages(TOPIC, *found, schedule=2.0) == 1.0


def test_what_two_passages_of_code_have_together_is_no_lead_of_a_page() -> None:
    halves = one("a.py", 1.0, "def vault(rotation): ..."), one("b.py", 0.9, "schedule = 1")
    assert pages(TOPIC, *halves, one("page.md", 0.8, PAGE)) == 0.5


def test_a_question_for_code_by_its_form_lowers_pages() -> None:
    found = one("keys.py", 1.0, "def run(): ..."), one("page.md", 0.9, PAGE)
    assert pages(TOPIC, *found) == 1.0
    for question in (
        *("how does the vault follow a rotation schedule", "Where is the vault rotation schedule"),
        *("which class has the vault rotation schedule", "what happens in the vault rotation"),
        "where do we follow the vault rotation schedule",
    ):
        assert pages(question, *found) == 0.5
    for question in (
        *("where do I report a vault rotation schedule", "where can I see the vault rotation"),
        "where should I put the vault rotation",
    ):
        assert pages(question, *found) > 0.5


def test_pages_without_code_and_code_without_pages() -> None:
    assert pages(TOPIC, one("keys.py", 1.0, PAGE)) == 0.5
    assert pages(TOPIC, one("page.md", 1.0, PAGE)) == 1.0
    assert pages(TOPIC) == 0.5
    assert pages("the of", one("page.md", 1.0, PAGE)) == 0.5  # no terms, no lead


def test_only_the_first_passages_of_each_kind_are_compared() -> None:
    others = [one(f"n{number}.md", 0.9, "nothing") for number in range(8)]
    assert pages(TOPIC, *others, one("page.md", 0.1, PAGE)) == 0.5


def test_the_name_of_the_source_and_changelogs_give_no_lead() -> None:
    found = one("keys.py", 1.0, "def vault(rotation, schedule): ..."), one("page.md", 0.9, "acme")
    assert pages("acme schedule", *found) == 0.5
    changes = one("CHANGELOG.md", 0.9, PAGE)
    assert pages(TOPIC, one("keys.py", 1.0, "def run(): ..."), changes) == 0.5


@pytest.mark.parametrize(
    "path", ["tests/fixtures/page.md", "vendor/acme/README.md", "src/__snapshots__/page.md"]
)
def test_pages_of_tests_and_of_vendored_packages_give_no_lead_and_have_none(path: str) -> None:
    code, other = one("keys.py", 1.0, "def run(): ..."), one(path, 0.9, PAGE)
    assert pages(TOPIC, code, other) == 0.5
    found = code, other, one("page.md", 0.8, PAGE)
    assert prior_of(found)["page.md"] == 1.0
    assert prior_of(found)[path] == prior_of((code, other))[path]


@pytest.mark.parametrize(
    "path", ["docs/UnitTest.md", "docs/testing/page.md", "docs/legacy.md", "examples/page.md"]
)
def test_a_page_about_tests_or_examples_gives_a_lead(path: str) -> None:
    assert pages(TOPIC, one("keys.py", 1.0, "def run(): ..."), one(path, 0.9, PAGE)) == 1.0


def test_files_of_data_are_no_pages() -> None:
    found = one("keys.py", 1.0, "def run(): ..."), one("values.yaml", 0.9, "vault")
    assert prior_of((*found, one("page.md", 0.8, PAGE))) == {
        "keys.py": 1.0,
        "values.yaml": 0.5,
        "page.md": 1.0,
    }


def test_in_a_collection_that_is_not_code_no_text_of_tests_is_raised() -> None:
    found = one("keys.py", 1.0, "def run(): ..."), one("tests/fixtures/page.md", 0.9, PAGE)
    of_tests = prior_of((*found, one("page.md", 0.8, PAGE)), frozenset())["tests/fixtures/page.md"]
    config = RankCodeConfig()
    assert of_tests == pytest.approx(config.tests * config.prose * config.tests)  # in two steps


def test_headings_and_names_of_code_are_known() -> None:
    page = one("page.md", 0.9, PAGE)
    bare = one("keys.py", 1.0, "x")
    headed = replace(bare, chunk=replace(bare.chunk, headings=("VaultRotation", "schedule")))
    assert pages(TOPIC, bare, page) == 1.0
    assert pages(TOPIC, headed, page) == 0.5
