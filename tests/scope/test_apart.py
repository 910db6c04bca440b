"""What a caller may read, whatever part of it is asked for."""

from __future__ import annotations

from pincite.model import CollectionSpec, Scope
from pincite.ports import AnyOf, Filter
from pincite.scope.apart import readable_filter
from pincite.scope.schema import schema_of
from pincite.support.fields import replace

SPEC = CollectionSpec(
    *("main", "bm25", "chunker"), attributes={"team": "keyword", "lang": "keyword"}
)
ASKED = Scope(
    collections=("main",),
    sources=("a",),
    kinds=("code",),
    ref="v1",
    paths=("src",),
    not_paths=("old",),
    where="language = python and team = public",
    tags={"team": ("public", "shared")},
    bound_where="lang = en",
    commits=("c0ffee",),
)
EN, TEAMS = AnyOf("lang", ("en",)), AnyOf("team", ("public", "shared"))
PUBLIC = AnyOf("team", ("public",))


def readable(scope: Scope, *require: str) -> Filter:
    spec = replace(SPEC, require=require)
    return readable_filter(spec, scope, schema_of([spec], scope))


def test_what_a_caller_asks_for_does_not_restrict_what_may_be_read() -> None:
    assert readable(ASKED) == Filter(must=(EN, TEAMS))


def test_what_a_program_sets_stays() -> None:
    of_program = readable(replace(ASKED, unshown=("sources", "kinds")))
    listed = (AnyOf("repo", ("a",)), AnyOf("source_type", ("code",)))
    assert of_program == Filter(must=(EN, TEAMS, *listed))
    bounded = readable(replace(ASKED, tags={}, bounds={"team": ("public",)}))
    assert bounded == Filter(must=(EN, PUBLIC, listed[0]))


def test_of_where_only_what_alone_fixes_required_attributes_stays() -> None:
    """A collection that requires nothing keeps nothing of it."""
    asked = replace(ASKED, tags={}, bound_where="")
    assert readable(asked) == Filter()
    assert readable(asked, "team") == Filter(must=(PUBLIC,))
    assert readable(ASKED, "team") == Filter(must=(EN, TEAMS))
    both = replace(asked, where="team = public and lang = en and path = a.py", tags={"lang": "en"})
    assert readable(both, "team", "lang") == Filter(must=(EN, PUBLIC))
