"""Models by name are opened once, and closed once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest

from pincite.encoders.by_name import CollectionEncoder, Models
from pincite.errors import FingerprintMismatch, Unavailable
from pincite.model import CollectionSpec, Vector
from pincite.providers.registry import Registry
from pincite.settings.load import load_settings
from pincite.settings.sections.models import ModelSettings
from pincite.support.concurrency import left_s, within
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder

NAME = "ollama:embeddinggemma"


class Encoder(HashingEncoder):
    """One that counts how often it is closed."""

    closed = 0

    async def close(self) -> None:
        self.closed += 1


class Opens:
    """Opens `next` whatever is asked for, and keeps what it has opened."""

    def __init__(self) -> None:
        self.opened: list[Encoder] = []
        self.next: Callable[[], Encoder] = lambda: Encoder(8)

    async def open(self, *_: object, **__: object) -> Encoder:
        await asyncio.sleep(0)  # as one that asks a server: others come in between
        self.opened.append(self.next())
        return self.opened[-1]


class Known(Models):
    """Models of a registry that is given."""

    def __init__(self, opens: Opens) -> None:
        nowhere = load_settings({}, Path("nowhere"))
        super().__init__(replace(nowhere, use=ModelSettings()))
        self.opens = opens

    @property
    def registry(self) -> Registry:
        return cast("Registry", self.opens)


def check(work: Callable[[Known], Coroutine[Any, Any, None]]) -> Opens:
    async def session() -> Opens:
        models = Known(Opens())
        try:
            await work(models)
        finally:
            await models.close()
            await models.close()
        return models.opens

    return asyncio.run(session())


def spec_of(encoder: HashingEncoder) -> CollectionSpec:
    return CollectionSpec("docs", "s", "c", encoder.fingerprint, encoder.dimensions, model=NAME)


def test_one_name_is_opened_once_also_at_the_same_time_and_closed_once() -> None:
    async def work(models: Known) -> None:
        one, other = await asyncio.gather(models.dense(NAME), models.dense(NAME))
        assert one is other is await models.dense(NAME)
        assert await models.sparse("local:x") is await models.sparse("local:x")
        await models.dense(NAME, dimensions=8)

    opens = check(work)
    assert [encoder.closed for encoder in opens.opened] == [1, 1, 1]


def test_collections_with_one_model_share_it_however_often_they_are_opened() -> None:
    async def work(models: Known) -> None:
        for _ in range(3):
            await CollectionEncoder(models, spec_of(HashingEncoder(8))).embed_query("key")

    assert len(check(work).opened) == 1


def test_a_model_of_a_collection_has_all_the_time_of_its_caller() -> None:
    had: list[float] = []

    class Patient(Encoder):
        async def embed_query(self, text: str) -> Vector:
            had.append(left_s())
            return await super().embed_query(text)

    async def work(models: Known) -> None:
        models.opens.next = lambda: Patient(8)
        async with within(1_000):
            await CollectionEncoder(models, spec_of(HashingEncoder(8))).embed_query("key")

    check(work)
    assert had[0] > 900


def test_what_was_made_with_a_newer_model_opens_it_again() -> None:
    async def work(models: Known) -> None:
        await CollectionEncoder(models, spec_of(HashingEncoder(8))).embed_query("key")
        newer = CollectionEncoder(models, spec_of(HashingEncoder(16)), NAME)
        models.opens.next = lambda: Encoder(16)
        held = (await newer.opened()).fingerprint
        assert held == HashingEncoder(16).fingerprint
        assert models.opens.opened[0].closed == 0  # of other dimensions
        models.opens.next = lambda: Encoder(24)
        with pytest.raises(FingerprintMismatch):
            await CollectionEncoder(models, spec_of(HashingEncoder(32)), NAME).opened()

    check(work)


def test_another_fingerprint_under_one_name_takes_its_place() -> None:
    async def work(models: Known) -> None:
        first = await models.dense(NAME)
        models.opens.next = lambda: Encoder(16)
        assert await models.dense(NAME, made_with=first.fingerprint) is first
        second = await models.dense(NAME, made_with=HashingEncoder(16).fingerprint)
        assert second.dimensions == 16
        assert await models.dense(NAME) is second
        assert models.opens.opened[0].closed == 0  # somebody may be using it
        assert await models.dense(NAME, made_with="older") is second
        assert models.opens.opened[2].closed == 1

    assert [encoder.closed for encoder in check(work).opened] == [1, 1, 1]


def test_what_cannot_be_opened_is_tried_again() -> None:
    def fails() -> Encoder:
        raise Unavailable("away")

    async def work(models: Known) -> None:
        usual, models.opens.next = models.opens.next, fails
        with pytest.raises(Unavailable):
            await models.dense(NAME)
        models.opens.next = usual
        await models.dense(NAME)

    assert len(check(work).opened) == 1
