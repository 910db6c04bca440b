"""Rules find what a document is; filters find what the labels say; a person's value wins."""

from __future__ import annotations

import re
import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.support.fields import replace
from pincite.support.terminal import hidden_in
from pincite.workspace import Access
from pincite.workspace.checks import metadata as checked_metadata
from pincite.workspace.metadata.by_rules import found_metadata
from pincite.workspace.metadata.origins import FIELDS
from tests.workspace.desk import ANNA, HERS, Desk, opened_desk
from tests.workspace.memory import page

pytestmark = pytest.mark.anyio

GOLDEN: list[dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("golden.toml").read_text(encoding="utf-8")
)["document"]
_WORDS = [max(re.findall(r"[A-Za-z]+", one["text"]), key=len) for one in GOLDEN]
_FILTERS = ("category", "document_type", "data_structure")


@pytest.mark.parametrize("document", GOLDEN, ids=[one["filename"] for one in GOLDEN])
def test_rules_find_what_a_person_says_of_a_document(document: dict[str, str]) -> None:
    found = found_metadata(document["filename"], document["text"])
    labels = {field: document[field] for field in FIELDS if field in document}
    assert {field: found.get(field, "") for field in labels} == labels


def test_each_field_says_which_rule_it_is_from() -> None:
    for document in GOLDEN:
        found = found_metadata(document["filename"], document["text"])
        fields = {name for name in found if not name.endswith("_from")}
        assert {f"{name}_from" for name in fields} == set(found) - fields
        assert all(found.values())


def test_a_title_that_a_reader_knows_wins_over_the_first_heading() -> None:
    found = found_metadata("a.docx", "# Another\n\ntext", "The title of the file")
    assert (found["title"], found["title_from"]) == ("The title of the file", "file")


@given(
    name=st.text(max_size=30),
    text=st.lists(
        st.text(max_size=20)
        | st.sampled_from(
            ["\n", "| ", "# ", "\0", "\u202e", "\ud800", "{", "[", "<table>", ",", "```"]
        )
    ).map("".join),
)
def test_metadata_of_any_text_can_be_kept_and_shown(name: str, text: str) -> None:
    found = found_metadata(name, text)
    assert checked_metadata("metadata", found) == found
    assert not any(map(hidden_in, found.values()))
    assert found == found_metadata(name, text)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000_000,
        "\0" * 10_000_000,
        "\u202e" * 1_000_000,
        "[" * 10_000_000,
        '{"a":' * 1_000_000,
        "# heading\n" * 100_000,
        "| " * 5_000_000,
        "<table " * 1_000_000,
        "```\n" * 1_000_000,
        "1." * 5_000_000,
    ],
    ids=lambda text: repr(text[:9]),
)
@pytest.mark.parametrize("filename", ["a.txt", "a.md", "a.html"])
def test_what_is_behind_the_first_characters_changes_nothing(filename: str, text: str) -> None:
    assert found_metadata(filename, text) == found_metadata(filename, text[:200_000])


@pytest.fixture(scope="module")
async def library() -> AsyncIterator[tuple[Desk, list[Any]]]:
    """All documents of the golden file in one space."""
    async with opened_desk() as desk:
        added = []
        for number, one in enumerate(GOLDEN, start=100):
            document = desk.memory.add(number, HERS, ANNA, filename=one["filename"])
            await desk.workspace.index_document(document, page(one["text"]))
            added.append(document)
        yield desk, added


@pytest.mark.parametrize("field", _FILTERS)
async def test_filters_find_exactly_what_labels_say(
    library: tuple[Desk, list[Any]], field: str
) -> None:
    desk, added = library
    labels = {d.id: one[field] for d, one in zip(added, GOLDEN, strict=True) if field in one}
    ids = tuple(labels)
    for value in sorted(set(labels.values()) - {""}):
        access = replace(Access(ANNA, HERS, ids), **{field: value})
        found = [await desk.found(access, word, limit=50) for word in _WORDS]
        wanted = {id_ for id_, label in labels.items() if label == value}
        assert set().union(*found) == wanted, value


async def test_a_value_of_a_person_wins_and_stays_when_a_document_is_indexed_again(
    library: tuple[Desk, list[Any]],
) -> None:
    desk, added = library
    mail = desk.memory.change(added[0], given={"category": "logistics"})
    for _ in range(2):
        found = await desk.workspace.index_document(mail, page("From: a\nSubject: b\n\nokapi"))
        assert found["category"] == "correspondence", "what rules found is kept beside it"
        assert await desk.found(Access(ANNA, category="logistics"), "okapi") == {mail.id}
        assert await desk.found(Access(ANNA, category="correspondence"), "okapi") == set()
