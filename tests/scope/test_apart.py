"""What a caller may read, whatever part of it is asked for."""

from __future__ import annotations

from pincite.model import CollectionSpec, Scope
from pincite.scope.apart import readable
from pincite.support.fields import replace

SPEC = CollectionSpec("main", "bm25", "chunker")
ASKED = Scope(
    collections=("main",),
    sources=("a",),
    kinds=("code",),
    ref="v1",
    paths=("src",),
    not_paths=("old",),
    where="language = python",
    tags={"team": "public"},
    bound_where="lang = en",
    commits=("c0ffee",),
)


def test_what_a_caller_asks_for_does_not_restrict_what_may_be_read() -> None:
    kept = Scope(collections=("main",), tags={"team": "public"}, bound_where="lang = en")
    assert readable(ASKED, [SPEC]) == kept


def test_what_a_program_sets_and_collections_require_stays() -> None:
    unshown = ("sources", "kinds")
    of_program = readable(replace(ASKED, unshown=unshown), [SPEC])
    assert (of_program.sources, of_program.kinds) == (("a",), ("code",))
    bounded = readable(replace(ASKED, bounds={"space": ("1",)}), [SPEC])
    assert (bounded.sources, bounded.bounds) == (("a",), {"space": ("1",)})
    assert readable(ASKED, [SPEC, replace(SPEC, require=("lang",))]).where == ASKED.where
