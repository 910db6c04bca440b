"""Which warnings of a search its caller reads."""

from __future__ import annotations

from pincite.model import Notice, Scope
from pincite.scope.warnings import warnings_of

FAILED = Notice("collection_failed", "inner was left out: the collection inner is damaged")
WORDS = Notice("lexical_only", "a collection was searched by keywords only")
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
