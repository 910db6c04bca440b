"""Changelogs: first if the question asks what changed, or when; otherwise behind other pages."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.questions.asked import asked_of
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.paths import is_changelog
from pincite.stages.rank_code.priors import priors_for
from tests.builders import chunk

ENGLISH = informative_terms("english")
CODE = frozenset(("main",))
REMOVED = "which version removed the retry policy"


def one(name: str, score: float, path: str, kind: Any = "code") -> Candidate:
    found = chunk(name, id=name, path=path, source_type=kind)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


POLICY = one("policy", 1.0, "retry_policy.py")
GUIDE = one("guide", 0.9, "docs/retries.md", "docs")
NEWS = one("news", 0.6, "NEWS.md", "docs")


def ranked(
    question: str, *found: Candidate, code: frozenset[str] = CODE, unasked: float = 0.4
) -> dict[str, Candidate]:
    query = prepare(Question(question), PrepareConfig())
    order = rank_code(query, found, ENGLISH, RankCodeConfig(unasked=unasked), code)
    return {candidate.chunk.id: candidate for candidate in order}


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        *(
            (name, True)
            for name in ("CHANGELOG", "ChangeLog", "CHANGES.rst", "NEWS.md", "History.md")
        ),
        *(
            (name, True)
            for name in ("changelog/1.2/issue-7", "docs/release-notes.md", "relnotes/2.adoc")
        ),
        *(
            (name, True)
            for name in ("docs/whatsnew/3.12.rst", "docs/releases/4.2.txt", "doc/HISTORY")
        ),
        *(
            (name, True)
            for name in ("UPGRADE-3.0.md", "docs/upgrading/3-to-4.md", "CHANGELOG-1.28.md")
        ),
        *((name, False) for name in ("docs/Pro-Changes.md", "exchanges.md", "Pro-History.md")),
        *((name, True) for name in ("Ent-Changes.md", "Pro-Changes.md")),
        *(
            (name, False)
            for name in ("docs/history.md", "docs/news.md", "shell/changes.md", "exchange.md")
        ),
        *((name, False) for name in ("tests/fixtures/CHANGELOG.md", "vendor/zlib/ChangeLog")),
        *((name, False) for name in ("docs/changelog_generator.md", "docs/releases/cutting.md")),
    ],
)
def test_changelogs_are_recognised_by_their_paths(path: str, is_one: bool) -> None:
    assert is_changelog(path) is is_one


@pytest.mark.parametrize("code", [CODE, frozenset[str]()])
def test_a_changelog_comes_first_in_collections_of_code_and_beside_pages(
    code: frozenset[str],
) -> None:
    found = ranked(REMOVED, POLICY, GUIDE, NEWS, code=code)
    assert next(iter(found)) == "news"
    assert next(iter(ranked("the retry policy", POLICY, GUIDE, NEWS, code=code))) != "news"


def test_beside_pages_the_others_are_lowered_and_their_prior_says_so() -> None:
    found = ranked(REMOVED, POLICY, GUIDE, NEWS, code=frozenset())
    values = {name: candidate.rank_signal.value for name, candidate in found.items()}
    assert values == pytest.approx({"news": 0.6, "policy": 0.4, "guide": 0.36})
    priors = {name: candidate.signal("prior") for name, candidate in found.items()}
    assert priors == {
        "news": None,
        "policy": Signal("prior", "share", 0.4),
        "guide": Signal("prior", "share", 0.4),
    }


def test_without_code_a_changelog_comes_first_among_pages() -> None:
    assert list(ranked(REMOVED, GUIDE, NEWS, code=frozenset())) == ["news", "guide"]


@pytest.mark.parametrize(
    ("question", "in_full"),
    [(REMOVED, True), ("security fixes", True), ("the retry policy", False)],
)
def test_in_a_collection_of_code_a_changelog_counts_in_full_if_it_may_be_asked_for(
    question: str, in_full: bool
) -> None:
    config = RankCodeConfig()
    of_news = 1.0 if in_full else config.prose
    priors = priors_for(asked_of(question), config)
    assert priors.of(["docs"], "NEWS.md") == priors.of(["data"], "NEWS.yml") == of_news
    assert priors.of(["docs"], "docs/retries.md") == config.prose


@pytest.mark.parametrize("code", [CODE, frozenset[str]()])
def test_without_a_changelog_nothing_changes(code: frozenset[str]) -> None:
    asked = ranked("which version removed it", POLICY, GUIDE, code=code)
    assert asked == ranked("which version removed it", POLICY, GUIDE, code=code, unasked=1.0)


def test_a_factor_of_one_switches_the_rule_off() -> None:
    found = ranked(REMOVED, POLICY, GUIDE, NEWS, code=frozenset(), unasked=1.0)
    assert list(found) == ["policy", "guide", "news"]


def test_code_in_a_folder_of_changelogs_is_code() -> None:
    writer = one("writer", 0.5, "changelog/writer.py")
    assert list(ranked(REMOVED, POLICY, writer, code=frozenset())) == ["policy", "writer"]


def test_scores_below_zero_are_not_raised() -> None:
    below = one("below", -1.0, "docs/other.md", "docs")
    found = ranked(REMOVED, below, NEWS, code=frozenset())
    assert found["below"].rank_signal.value == -1.0
