"""What a search says of files that are being indexed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pincite.daemon.refresh.freshness import Freshness, Pending, Trouble
from pincite.engine.search_notices import refreshing_notices
from pincite.model import CollectionSpec, Scope
from pincite.settings.load import Settings, load_settings
from pincite.settings.sections.models import CollectionOptions
from pincite.support.fields import replace

FOUND = Freshness(pending=(Pending("main", "docs", 2), Pending("code", "lib", 1)))


def settings(text: str = "") -> Settings:
    given = load_settings({}, Path("/nowhere"))
    if not text:
        return given
    options = {"code": CollectionOptions(require=(text,))}
    return replace(given, use=replace(given.use, options=options))


def said(scope: Scope, known: Settings, found: Freshness = FOUND, **of_search: Any) -> list[str]:
    return [one.message for one in refreshing_notices(found, scope, known, **of_search)]


def test_files_that_are_being_indexed_are_counted() -> None:
    both = "2 files of docs, 1 file of lib changed and are being indexed"
    assert said(Scope(), settings()) == [both]
    one = "1 file of lib changed and is being indexed"
    assert said(Scope(collections=("code",)), settings()) == [one]
    assert said(Scope(sources=("lib",)), settings()) == [one]
    assert said(Scope(sources=("other",)), settings()) == []
    assert said(Scope(), settings(), Freshness()) == []


def test_where_there_are_tenants_neither_sources_nor_numbers_are_told() -> None:
    hidden = "files of main, files of code changed and are being indexed"
    assert said(Scope(tags={"tenant": "a"}), settings()) == [hidden]
    some = "2 files of docs, files of code changed and are being indexed"
    assert said(Scope(), settings("tenant")) == [some]


SPEC = CollectionSpec("main", "bm25", "chunker")


@pytest.mark.parametrize(
    "of_search", [{"checked": True}, {"specs": [SPEC, replace(SPEC, require=("tenant",))]}]
)
def test_whoever_is_kept_apart_by_an_index_or_a_program_is_not_told_either(
    of_search: dict[str, Any],
) -> None:
    hidden = "files of main, files of code changed and are being indexed"
    assert said(Scope(), settings(), **of_search) == [hidden]
    gone = Freshness(troubles=(Trouble("main", "docs", "/d does not exist"),))
    assert said(Scope(), settings(), gone, **of_search) == ["main is not kept up to date"]
    assert said(Scope(), settings(), specs=[SPEC]) == said(Scope(), settings())


def test_a_collection_or_source_that_no_message_shows_is_not_named() -> None:
    hidden = "files of a collection changed and are being indexed"
    bound = Scope(collections=("main",), unshown=("collections",))
    assert said(bound, settings()) == [hidden]
    of_source = Scope(sources=("docs",), unshown=("sources",))
    assert said(of_source, settings()) == ["files of main changed and are being indexed"]
    gone = Freshness(troubles=(Trouble("main", "docs", "/d does not exist"),))
    assert said(bound, settings(), gone) == ["a collection is not kept up to date"]


@pytest.mark.parametrize(
    "bound", [Scope(bound_where="kind = docs"), Scope(kinds=("docs",), unshown=("kinds",))]
)
def test_a_caller_with_a_bound_filter_is_told_of_no_source(bound: Scope) -> None:
    hidden = "files of main, files of code changed and are being indexed"
    assert said(bound, settings()) == [hidden]
    gone = Freshness(troubles=(Trouble("main", "docs", "/d does not exist"),))
    assert said(bound, settings(), gone) == ["main is not kept up to date"]


def test_what_cannot_be_indexed_is_said_with_the_reason_but_not_to_tenants() -> None:
    full = Freshness(troubles=(Trouble("", "", "the disk is full"),))
    assert said(Scope(), settings(), full) == ["the index is not kept up to date: the disk is full"]
    assert said(Scope(), settings("tenant"), full) == ["the index is not kept up to date"]
    gone = Freshness(troubles=(Trouble("main", "docs", "/d does not exist"),))
    assert said(Scope(), settings(), gone) == ["docs is not kept up to date: /d does not exist"]
    assert said(Scope(tags={"tenant": "a"}), settings(), gone) == ["main is not kept up to date"]
    assert said(Scope(sources=("other",)), settings(), gone) == []
    assert said(Scope(collections=("code",)), settings(), gone) == []
