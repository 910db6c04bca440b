"""Questions that ask what changed, or when."""

from __future__ import annotations

import pytest

from pincite.questions.changes import asked_changes


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
    assert asked_changes(question) == "yes"


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
    assert asked_changes(question) != "yes"


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
def test_a_question_may_ask_for_changes(question: str) -> None:
    assert asked_changes(question) == "maybe"


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
def test_a_question_about_changes_in_a_program_asks_for_none(question: str) -> None:
    assert asked_changes(question) == "no"
