"""Which warnings of a search its caller reads."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.model import Notice, Omitted, Scope
from pincite.scope.warnings import omitted_of, warnings_of

FAILED = Notice("collection_failed", "inner was left out: the collection inner is damaged")
WORDS = Notice("lexical_only", "a collection was searched by keywords only")
BOUND = (
    Scope(sources=("merger", "other"), unshown=("sources",)),
    Scope(collections=("inner",), unshown=("collections",)),
    Scope(tags={"tenant": "a"}, unshown=("tags.tenant",)),
    Scope(bounds={"space_id": ("s1",)}),
    Scope(bound_where="kind = docs"),
)
NOTHING = Notice("nothing_in_scope", "no indexed document matches paths=['x']")


def test_what_was_not_searched_has_no_warning_about_the_search() -> None:
    notices = (FAILED, WORDS, NOTHING)
    assert warnings_of(notices, Scope()) == notices
    assert warnings_of(notices, Scope(), searched=False) == (FAILED, NOTHING)


def test_a_failed_collection_is_not_named_if_no_message_shows_the_collections() -> None:
    bound = Scope(collections=("inner",), unshown=("collections",))
    failed, words = warnings_of((FAILED, WORDS, FAILED), bound)
    assert failed.message == ("a collection was left out, because it failed: see `pincite status`")
    assert words == WORDS


@pytest.mark.parametrize(
    "code",
    ["probe_unavailable", "dense_unavailable", "context_unavailable", "subquery_unavailable"],
)
def test_an_error_within_a_warning_names_no_unshown_collection(code: str) -> None:
    notice = Notice(code, "no vector: collection 'inner' was made with another model")
    (told,) = warnings_of((notice,), Scope(collections=("inner",), unshown=("collections",)))
    assert told.message == "no vector: a collection was made with another model"
    assert warnings_of((notice,), Scope(collections=("inner",))) == (notice,)


@pytest.mark.parametrize(
    "code",
    [
        "archive_unchecked",
        "file_unreadable",
        "secrets_masked",
        "source_gone",
        "source_not_answering",
    ],
)
def test_an_unshown_source_is_shown_with_neither_name_nor_place(code: str) -> None:
    notices = [Notice(code, f"/srv/{name}: {name} is not there") for name in ("merger", "other")]
    for bound in BOUND:
        (told,) = warnings_of(notices, bound)
        assert "merger" not in told.message
        assert "/srv" not in told.message
    assert warnings_of(notices, Scope(sources=("merger", "other"))) == tuple(notices)


@pytest.mark.parametrize("why", ["deleted", "stale"])
def test_a_bound_caller_is_not_told_where_files_were(why: Any) -> None:
    gone = Omitted(why, "merger@1a2b:keys.md#L1-L3", "inner", "keys.md", "/srv/merger is gone")
    for bound in BOUND:
        (told,) = omitted_of([gone], bound)
        assert (told.why, told.citation, told.detail) == (why, gone.citation, "")
    assert omitted_of([gone], Scope(sources=("merger",))) == (gone,)
