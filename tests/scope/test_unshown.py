"""Errors do not name collections that no message shows."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pincite.collection.members import member_name
from pincite.encoders.fingerprint import require_fingerprint
from pincite.errors import (
    CollectionsFailed,
    FingerprintMismatch,
    IndexNotFound,
    InvalidRecord,
    PinciteError,
    RateLimited,
    StoreError,
    TagsRequired,
    UntrustedConfig,
)
from pincite.model import CollectionSpec, Fused, Scope, Signal
from pincite.ports import Filter
from pincite.scope.required import require_tags
from pincite.scope.unshown import unnamed, without_names
from pincite.stages.load import LoadConfig, load
from pincite.support.fields import replace
from tests.small_search import make

NAME = "secret-merger"
BOUND = Scope(collections=(NAME, "docs"), unshown=("collections",))


LONG = "a" * 60


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f"the collection '{NAME}' is damaged", "a collection is damaged"),
        (f"a collection {NAME} is damaged", "a collection is damaged"),
        (f"no vector: collection '{NAME}' has another", "no vector: a collection has another"),
        (f"{NAME} gave no answer", "a collection gave no answer"),
        (f"left out: {NAME} was made by another", "left out: a collection was made by another"),
        (f"the collection {NAME}: no answer", "a collection: no answer"),
        (f"'{NAME}__voyage_4_1024' is locked", "a collection is locked"),
        (f"the member {NAME}__voyage_4_1024 is not", "a collection is not"),
        (
            f"the vectors of {NAME} have 3 dimensions",
            "the vectors of a collection have 3 dimensions",
        ),
        (f"S could not search pincite_{NAME}: 404", "S could not search a collection: 404"),
        (f"S could not write to {NAME}.1024: 404", "S could not write to a collection: 404"),
        (f"S could not index a.b of {NAME}: 404", "S could not index a.b of a collection: 404"),
        # of Chroma and of Qdrant, where another program deleted it
        (
            f"C could not search {NAME}.384: Collection [pincite_{NAME}.384] does not exist",
            "C could not search a collection: a collection does not exist",
        ),
        (
            f"Q could not search pincite_{NAME}: Not found: Collection `pincite_{NAME}` doesn't!",
            "Q could not search a collection: Not found: a collection doesn't!",
        ),
        (f"no http://x/collections/{NAME}/points", "no http://x/collections/a collection/points"),
        ("no http://x/collections/team%2Fmerger", "no http://x/collections/a collection"),
        ("no http://x/collections/%C3%BCber?a=b", "no http://x/collections/a collection?a=b"),
        (f"/ix/collections/{NAME}/wal", "/ix/collections/a collection/wal"),
        (
            f"run `pincite index --upgrade -c {NAME}`",
            "run `pincite index --upgrade -c a collection`",
        ),
        (f"no collection is named 'x'; known collections: {NAME}, y", "no collection is named 'x'"),
        # no names, or those of something else
        ("the documents of my-docs", "the documents of my-docs"),
        ("the attribute 'docs' has the type", "the attribute 'docs' has the type"),
        ("no source is named 'docs'", "no source is named 'docs'"),
        ("tag 'docs' has no value", "tag 'docs' has no value"),
        ("Collection [docs-of-all] is", "Collection [docs-of-all] is"),
        ("no answer from docs.example.org", "no answer from docs.example.org"),
        ("see docs/filters.md", "see docs/filters.md"),
        (f"{NAME}s is another one", f"{NAME}s is another one"),
        ("openai: the key is missing", "openai: the key is missing"),
        ("the index does not answer", "the index does not answer"),
        ("nothing is indexed at /home/u/.pincite", "nothing is indexed at /home/u/.pincite"),
        ("see `pincite models`", "see `pincite models`"),
    ],
)
def test_a_name_is_replaced_where_messages_have_names(said: str, told: str) -> None:
    names = (NAME, "docs", "openai", "index", "pincite", "models", "team/merger", "\u00fcber", "")
    bound = Scope(collections=names, unshown=("collections",))
    assert without_names(said, bound) == told
    assert without_names(said, Scope(collections=names)) == said
    assert without_names(said, Scope(unshown=("collections",))) == said


@pytest.mark.parametrize("name", [LONG[:54], LONG[:55], LONG[:56], LONG, f"{LONG}aaaa"])
def test_a_shortened_name_of_a_member_is_replaced(name: str) -> None:
    member = member_name(name, "openai:text-embedding-3-small", 1536, "of the model")
    assert len(member) == 64
    bound = Scope(collections=(name,), unshown=("collections",))
    assert without_names(f"the collection {member!r} is away", bound) == "a collection is away"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("pincite", "pincite index PATH"),
        ("models", "pincite models fetch all-MiniLM-L6-v2"),
        ("index", "pincite index PATH"),
        ("docs", "see docs/filters.md"),
    ],
)
def test_a_hint_of_ordinary_words_is_kept(name: str, hint: str) -> None:
    bound = Scope(collections=(name,), unshown=("collections",))
    told = unnamed(IndexNotFound(f"the collection {name!r} is away", hint=hint), bound)
    assert (told.message, told.hint) == ("a collection is away", hint)


@pytest.mark.parametrize(
    "hint",
    [
        f"pincite index PATH --collection {NAME}",
        f"pincite collections rebuild {NAME}",
        f"pincite reembed {NAME} --to bundled",
        f"fix [collections.{NAME}] in pincite.toml",
        f"fix `model` in [collections.{NAME}]",
    ],
)
def test_a_hint_with_a_name_becomes_a_general_one(hint: str) -> None:
    assert unnamed(StoreError("no answer", hint=hint), BOUND).hint == "pincite status"


@pytest.mark.parametrize(
    "error",
    [
        CollectionsFailed({f"the collection {NAME}": StoreError("x")}, 2, ()),
        UntrustedConfig(f"the collection {NAME}", config="c"),
        InvalidRecord(f"the collection {NAME}", id="1", position=3),
        RateLimited(f"the collection {NAME}", retry_after_s=1.5),
    ],
)
def test_every_error_has_a_copy_without_names(error: PinciteError) -> None:
    told = unnamed(error, BOUND)
    assert type(told) is type(error)
    assert NAME not in str(told)
    assert told.args == (told.message,)
    kept = {name: one for name, one in vars(error).items() if name not in ("message", "hint")}
    assert {name: vars(told)[name] for name in kept} == kept


def test_a_collection_that_is_late_with_its_passages_is_not_named() -> None:
    class Slow:
        async def load(self, *_: Any, **__: Any) -> Any:
            await asyncio.sleep(9)

    async def late() -> None:
        slow: Any = Slow()
        one = replace(await make(None, {"a": "A key."}, NAME), index=slow)
        hit = Fused(NAME, "x", (Signal("fused", "normalised", 1.0),))
        await load([hit], [one], LoadConfig(), timeout_s=0.01)

    with pytest.raises(StoreError) as raised:
        asyncio.run(late())
    told = unnamed(raised.value, BOUND)
    assert isinstance(told, StoreError)
    assert told.message == "a collection gave no answer within 0.01 s"
    assert "retrieve.timeout_s" in told.hint
    assert NAME in str(raised.value)


def test_missing_tags_of_a_collection_that_is_not_named_keep_their_hint() -> None:
    with pytest.raises(TagsRequired) as raised:
        require_tags(CollectionSpec(NAME, "s", "c", require=("tenant",)), Filter())
    told = unnamed(raised.value, BOUND)
    assert isinstance(told, TagsRequired)
    assert told.message == "a collection requires tenant for every search and read"
    assert told.hint == raised.value.hint


def test_a_hint_that_names_a_collection_becomes_a_general_one() -> None:
    with pytest.raises(FingerprintMismatch) as raised:
        require_fingerprint(NAME, "dense model", "a", "b")
    told = unnamed(raised.value, BOUND)
    assert str(told).startswith("a collection was made with the dense model a")
    assert told.hint == "pincite status"
    assert unnamed(raised.value, Scope(collections=(NAME,))) is raised.value
