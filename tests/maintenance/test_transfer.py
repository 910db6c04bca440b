"""Points go from any store to any other, once, and to the last of them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence

import pytest

from pincite.errors import StoreError
from pincite.maintenance.transfer import copy
from pincite.model import Point
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.sqlite.store import SqliteStore
from pincite.testing.filters import filterable_points
from pincite.testing.points import DENSE_SPEC, request_for
from pincite.testing.random_attributes import SPEC, found, points_with, random_filter
from pincite.testing.scores import assert_same
from pincite.testing.visibility import COW, FOX, show
from tests.quick_folder import quick_folder


class Failing(MemoryStore):
    """Gives up after some calls of `stage`, or loses what it is given."""

    stages = 99
    lost = 0

    async def stage(self, collection: str, revisions: Mapping[str, Sequence[Point]]) -> None:
        self.stages -= 1
        if self.stages < 0:
            raise StoreError("the server is gone")
        await super().stage(collection, {r: p[self.lost :] for r, p in revisions.items()})


def test_what_is_copied_answers_like_the_original() -> None:
    async def check() -> None:
        with quick_folder() as folder:
            source, target = EdgeStore(folder / "edge"), SqliteStore(folder / "points.db")
            for store in (source, target):
                await store.create(DENSE_SPEC)
            for number in range(3):
                await show(source, f"r{number}", *filterable_points(120, number))
            await source.stage("main", {"unseen": [*filterable_points(60, 9), FOX]})
            await show(target, "leftover", COW)
            moved = await copy(source, target, DENSE_SPEC)
            assert (moved.points, moved.copied) == (360, 360)
            assert moved.compared > 1
            assert await target.revisions("main") == {"r0": 120, "r1": 120, "r2": 120}
            await source.remove("main", ["unseen"])
            await source.optimise("main")  # or IDF counts it
            request = request_for("fox cow", exact=True)
            assert_same(await target.search("main", request), await source.search("main", request))
            assert (await copy(source, target, DENSE_SPEC)).copied == 0
            for store in (source, target):
                await store.close()

    asyncio.run(check())


def test_a_copy_that_was_cut_off_goes_on() -> None:
    async def check() -> None:
        source, target = MemoryStore(), Failing()
        for store in (source, target):
            await store.create(DENSE_SPEC)
        for number, point in enumerate(filterable_points(600, 0)):
            await show(source, f"r{number}", point)
        target.stages = 2
        with pytest.raises(StoreError, match="gone"):
            await copy(source, target, DENSE_SPEC)
        (dense,) = await target.search("main", request_for("fox", sparse=None))
        assert dense.hits == ()  # nothing is seen in part
        target.stages = 99
        assert (await copy(source, target, DENSE_SPEC)).copied < 600
        assert await target.page("main", None, 999) == await source.page("main", None, 999)

    asyncio.run(check())


def test_a_store_that_loses_points_is_found_out() -> None:
    async def check() -> None:
        source, target = MemoryStore(), Failing()
        for store in (source, target):
            await store.create(DENSE_SPEC)
        await show(source, "r1", FOX, COW)
        target.lost = 1
        with pytest.raises(StoreError, match="1 points after copying, but 2 are expected"):
            await copy(source, target, DENSE_SPEC)

    asyncio.run(check())


def test_attributes_are_copied_and_those_that_changed_meanwhile_again() -> None:
    async def check() -> None:
        with quick_folder() as folder:
            source, target = EdgeStore(folder / "edge"), SqliteStore(folder / "points.db")
            for store in (source, target):
                await store.create(SPEC)
            dice = random.Random(3)
            for number in range(3):
                await show(source, f"r{number}", *points_with(20, dice, first=20 * number))
            assert (await copy(source, target, SPEC)).copied == 60
            await source.set_attributes("main", {"r1": {"course": "changed", "year": None}})
            assert (await copy(source, target, SPEC)).copied == 20
            assert [p.chunk for _, p in await target.export("main", None, 99)] == [
                p.chunk for _, p in await source.export("main", None, 99)
            ]
            for _ in range(50):
                filter_ = random_filter(dice)
                assert await found(target, filter_) == await found(source, filter_)
            for store in (source, target):
                await store.close()

    asyncio.run(check())
