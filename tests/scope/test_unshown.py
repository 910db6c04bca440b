"""Errors do not name collections that no message shows."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pincite.encoders.fingerprint import require_fingerprint
from pincite.errors import FingerprintMismatch, StoreError, TagsRequired
from pincite.model import CollectionSpec, Fused, Scope, Signal
from pincite.ports import Filter
from pincite.scope.required import require_tags
from pincite.scope.unshown import unnamed, without_names
from pincite.stages.load import LoadConfig, load
from pincite.support.fields import replace
from tests.scene import make

NAME = "secret-merger"
BOUND = Scope(collections=(NAME, "docs"), unshown=("collections",))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f"the collection '{NAME}' is damaged", "a collection is damaged"),
        (f"a collection {NAME} is damaged", "a collection is damaged"),
        (f"{NAME} gave no answer", "a collection gave no answer"),
        (f"the member {NAME}__voyage_4_1024", "the member a collection"),
        (f"/srv/{NAME}/records.db", "/srv/a collection/records.db"),
        ("the documents of my-docs", "the documents of my-docs"),
        (f"{NAME}s is another one", f"{NAME}s is another one"),
    ],
)
def test_a_name_in_a_text_is_replaced(said: str, told: str) -> None:
    assert without_names(said, BOUND) == told
    assert without_names(said, Scope(collections=(NAME,))) == said
    assert without_names(said, Scope(unshown=("collections",))) == said


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
    assert str(told) == "a collection gave no answer within 0.01 s"
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
