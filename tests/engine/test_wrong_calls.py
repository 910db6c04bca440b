"""What is wrong with a call is said in the words of the caller, not of the program inside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pincite import EvidencePack, Pincite, SourceError, UsageError
from pincite.asking import SearchOptions
from pincite.model.answers import Answer

QUESTION = "how is a key rotated?"


def test_find_takes_options_and_says_so() -> None:
    text: Any = QUESTION
    with Pincite(".pincite") as pincite, pytest.raises(UsageError) as raised:
        pincite.find(text)
    assert "asked is 'how is a key rotated?'; it takes SearchOptions" in raised.value.message


@pytest.mark.parametrize("method", ["answer", "answer_stream", "context_for"])
def test_an_unknown_argument_is_named(method: str) -> None:
    with Pincite(".pincite") as pincite, pytest.raises(UsageError) as raised:
        list(getattr(pincite, method)(QUESTION, limits=3))
    assert "does not take 'limits'; known names:" in raised.value.message
    assert raised.value.hint == "limit=..."


@pytest.mark.parametrize("limit", [0, -1, 1_001])
def test_recall_refuses_a_number_that_no_list_has(limit: int) -> None:
    with Pincite(".pincite") as pincite, pytest.raises(UsageError, match=f"limit is {limit}"):
        pincite.recall("ada", "an example?", limit=limit)


@pytest.mark.parametrize(
    "address", ["https://example.org/x.git", "git@example.org:acme/x.git", "ssh://example.org/x"]
)
@pytest.mark.parametrize("made", [str, Path])
def test_an_address_is_not_fetched(address: str, made: type[str] | type[Path]) -> None:
    with Pincite(".pincite") as pincite, pytest.raises(SourceError) as raised:
        pincite.index(made(address))
    assert "is an address, and Pincite does not fetch sources" in raised.value.message
    assert "clone" in raised.value.hint


def test_a_collection_has_a_name() -> None:
    with Pincite(".pincite") as pincite:
        assert [one.name for one in pincite.collections()] == ["main"]


def test_packs_and_answers_are_short_on_a_screen() -> None:
    with Pincite(".pincite") as pincite:
        pack, answer = pincite.search(QUESTION), pincite.answer(QUESTION, kinds="docs")
    assert repr(pack).startswith(f"<EvidencePack {QUESTION!r}: grounded, ")
    assert pack[0].citation in repr(pack)
    assert repr(answer).startswith(f"<Answer {QUESTION!r}: extractive, 'To rotate a key")
    assert max(len(repr(pack)), len(repr(answer))) < 500


def test_json_of_a_later_major_version_is_refused() -> None:
    with Pincite(".pincite") as pincite:
        pack, answer = pincite.search(QUESTION), pincite.answer(QUESTION, kinds="docs")
    assert EvidencePack.from_dict(pack.to_dict() | {"schema_version": "1.99"}) is not None
    for made, name in ((EvidencePack, "evidence pack"), (Answer, "answer")):
        given = (pack if made is EvidencePack else answer).to_dict()
        with pytest.raises(UsageError, match=f"the {name} has the schema version '99.0'"):
            made.from_dict(given | {"schema_version": "99.0"})


def test_the_nearest_passages_are_shown_on_request() -> None:
    asked = "lorem ipsum of a key and quantum zebras in the ferment"
    with Pincite(".pincite") as pincite:
        usual, all_ = pincite.search(asked), pincite.search(asked, show_all=True)
    assert (usual.verdict.level, usual.evidence) == ("none", ())
    assert [one.path for one in all_] == [one.path for one in usual.closest]
    assert all_.verdict.level == "none"


@pytest.mark.parametrize("here", [5, "", "~", "docs", "/tmp/\0"])
def test_a_folder_of_the_caller_is_an_absolute_path(here: Any) -> None:
    with Pincite(".pincite") as pincite:
        for call in (
            lambda: pincite.get("docs/keys.md", here=here),
            lambda: pincite.get_many("docs/keys.md", here=here),
            lambda: pincite.files("docs", here=here),
            lambda: pincite.find(SearchOptions(QUESTION, here=here)),
        ):
            with pytest.raises(UsageError, match=r"here is .*; it takes the absolute path"):
                call()
