"""A scope that matches nothing says so, with what there is."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn

import pytest

from pincite.model import Scope
from pincite.ports import Readable
from pincite.support.fields import replace
from tests.scene import TEXTS, TopicEncoder, ask, make

PLACES = {f"docs/{path}.md": text for path, text in TEXTS.items()}
ELSEWHERE = "; paths count from the root of a source or checkout, such as "


def said(scope: Scope, text: str = "rotate a key", encoder: TopicEncoder | None = None) -> str:
    """The notice, or nothing."""
    pack = ask(text, asyncio.run(make(encoder, PLACES)), scope=scope)
    found = [one.message for one in pack.warnings if one.code == "nothing_in_scope"]
    return "".join(found).removeprefix("no indexed document matches ")


@pytest.mark.parametrize("encoder", [None, TopicEncoder()])
@pytest.mark.parametrize(
    ("scope", "message"),
    [
        (Scope(where="path ^= keys"), "where='path ^= keys'; near: docs/keys.md"),
        (Scope(where="path = keys.md"), "where='path = keys.md'; near: docs/keys.md"),
        (
            Scope(where="path ^= src/"),
            f"where='path ^= src/'{ELSEWHERE}docs/backups.md, docs/billing.md, docs/keys.md",
        ),
        (Scope(paths=("ba*.md",)), "paths=['ba*.md']; near: docs/backups.md"),
        (Scope(paths=("dosc/*.md",)), "paths=['dosc/*.md']; near: docs/backups.md"),
        (Scope(paths=("docs/kesy.md",)), "paths=['docs/kesy.md']; near: docs/keys.md"),
        (Scope(not_paths=("docs/*",)), "not_paths=['docs/*']"),
        (Scope(sources=("other",)), "sources=['other']; the sources are acme/docs"),
        (Scope(ref="dead"), "ref='dead'"),
        (
            Scope(paths=("docs/*",), kinds=("code",)),
            "kinds=['code'], paths=['docs/*']; the indexed files are of the kinds docs",
        ),
        (
            Scope(paths=("docs/*",), ref="dead"),
            "paths=['docs/*'], ref='dead'; 3 match the paths alone",
        ),
        (
            Scope(where="not path ^= docs/ and repo = acme/docs", kinds=("docs",)),
            "kinds=['docs'], where='not path ^= docs/ and repo = acme/docs'; near: docs/",
        ),
    ],
)
def test_a_scope_without_a_document_is_named(
    encoder: TopicEncoder | None, scope: Scope, message: str
) -> None:
    assert said(scope, encoder=encoder).startswith(message)


def test_what_only_chunks_know_is_named_where_meaning_would_have_found_it() -> None:
    scope = Scope(where="language = go")
    assert said(scope, encoder=TopicEncoder()) == "where='language = go'"
    assert said(scope) == ""  # by word alone, perhaps nothing has the words


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("zebra", Scope()),
        ("zebra", Scope(where="path ^= docs/")),
        ("zebra", Scope(where="path ^= docs/ or text ~ zebra")),
        ("rotate a key", Scope(where="path ^= docs/")),
    ],
)
def test_a_scope_with_documents_is_not_blamed(text: str, scope: Scope) -> None:
    assert said(scope, text) == ""


def test_one_of_two_collections_is_enough() -> None:
    first = asyncio.run(make(None, PLACES, "first"))
    second = asyncio.run(make(None, TEXTS, "second"))
    pack = ask("zebra", first, second, scope=Scope(paths=("keys",)))
    assert "nothing_in_scope" not in [one.code for one in pack.warnings]


class Silent:
    """An index that has documents and is not to be asked for all of them."""

    def __init__(self, index: Readable) -> None:
        self._index = index

    async def documents(self, _collection: str, _source: str | None = None) -> NoReturn:
        pytest.fail("all documents were read")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


@pytest.mark.parametrize("where", ["language = go", "start_line > 1000", "not text ~ key"])
def test_documents_are_read_only_where_the_scope_says_something_of_them(where: str) -> None:
    made = asyncio.run(make(None, PLACES))
    silent = replace(made, index=Silent(made.index), kinds=frozenset({"docs"}))
    pack = ask("zebra", silent, scope=Scope(where=where))
    assert not pack.evidence
    assert "nothing_in_scope" not in [one.code for one in pack.warnings]
