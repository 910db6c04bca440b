"""Questions that ask what changed, or when: changelogs come first."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.changes import keeps_changelogs, wants_changes
from pincite.stages.rank_code.paths import is_changelog, priors_for
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
    "question",
    [
        *(
            "which version removed the flag",
            "What release added retries?",
            "since when is it async",
        ),
        *("in which version did it become stable", "which minor version first supported zstd"),
        *(
            "when was the flag removed",
            "when did the client deprecate proxies",
            "which release fixes it",
        ),
        *("When was support for Python 3.7 dropped?", "when was yargs replaced by parseArgs"),
        *("what is new in 2.0", "what's new in v3", "what has changed since 0.9"),
        *("what was fixed in 1.8.2", "features that were promoted to stable in 24.1.0"),
        *(
            "breaking changes in the last version",
            "release notes of 1.8.1",
            "when was 3.0.1 released",
        ),
        *("what do I have to know when I upgrade to 1.9", "which version of httpx removed proxies"),
        *("what changed since version 3", "What changed in version 2.0?", "upgrade to version 2"),
        *("when was the feature promoted to stable", "which version was the fix backported to"),
        *("when did requests drop support for Python 2.7", "when did the option become stable"),
        *("in which version of flask is async supported", "until which version is 3.7 supported"),
        *("what changed after 1.2.3", "what is new with 2.0", "support dropped in 2.0"),
        *("which version did they drop proxies in", "since when does flask require Python 3.8"),
    ],
)
def test_a_question_asks_for_changes(question: str) -> None:
    assert wants_changes(question)


@pytest.mark.parametrize(
    "question",
    [
        *(
            "which versions are supported",
            "which version is required to build",
            "what version is this",
        ),
        *("which version of the protocol is rejected", "which version of the file was added"),
        *("generate a changelog from commits", "where are release notes written"),
        *("when is a connection dropped", "when was the lock released", "when was a file added"),
        *(
            "when was the key removed from the map",
            "when messages were removed",
            "when did it start",
        ),
        *(
            "what changes the state",
            "what was added to the cart",
            "what happens when a row is removed",
        ),
        *("upgrade a connection to TLS 1.3", "sort releases by version", "compare two versions"),
        *(
            "since when the cache is full are entries evicted",
            "in which version negotiation does the client pick TLS 1.3",
            "how does the linter detect breaking changes in an API",
            "when did the socket get dropped",
        ),
        *("added in the same order", "time out in 0.5 seconds", "detect breaking changes"),
        "which fields were added in version 2 of the protocol",
        *("when did the connection drop", "when did the session drop during the handshake"),
        *("in which version of TLS does the handshake start", "when did the upgrade fail"),
        *("in which release mode is the build run", "since when does the daemon hold the lock"),
        *("what is changed after 0.5 seconds", "what is added with 1.5 weight"),
        *("removed in 0.5 seconds", "since when is the lock held", "which version do I revert to"),
        *(
            "Was gibt es Neues in 2.0?",
            "Seit welcher Version?",
            "quelle version a supprimé le drapeau",
        ),
        "which version removed the flag " + "and then " * 60,
    ],
)
def test_a_question_about_what_a_program_does_does_not(question: str) -> None:
    assert not wants_changes(question)


@pytest.mark.parametrize(
    "question",
    [
        *("why was pygments removed", "was foo removed?", "has the API of the client changed?"),
        *("option X no longer works", "is Ruby 2.5 still supported in 4.0", "since version 3"),
        *("what replaced X", "What has changed recently?", "what broke in 4.0", "latest changes"),
        *("v2.0.0 changes", "news in 2.0", "deprecations in 4.0", "changes in 3", "change log"),
        *("which functions are deprecated", "is foo deprecated?", "deprecated functions"),
        *("Which CVEs were fixed?", "security fixes", "history of changes", "how do I upgrade"),
        *("Did 4.0 drop support for Python 3.8?", "why did the default timeout change"),
    ],
)
def test_a_question_that_may_ask_for_changes_keeps_changelogs_as_they_are(question: str) -> None:
    assert keeps_changelogs(question)
    assert not wants_changes(question)
    assert priors_for(question, RankCodeConfig()).changelog == 1.0


@pytest.mark.parametrize(
    "question",
    [
        *("which entries are removed when the cache is full", "remove files that no longer exist"),
        *("rewrite deprecated options into the new form", "add a key since the last sync"),
        *("work out which entries were added or removed", "linear regression of latencies"),
        *("how is version 2 of the message format parsed", "where is the still image decoded"),
        *("count commits since the version was last changed", "when was a file added"),
        "security fixes " + "and then " * 60,
    ],
)
def test_a_question_about_changes_in_a_program_lowers_changelogs(question: str) -> None:
    assert not keeps_changelogs(question)
    config = RankCodeConfig()
    assert priors_for(question, config).changelog == config.prose


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


def test_in_a_collection_of_code_a_changelog_counts_in_full_if_it_is_asked_for() -> None:
    config = RankCodeConfig()
    for question, of_news in ((REMOVED, 1.0), ("the retry policy", config.prose)):
        priors = priors_for(question, config)
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
