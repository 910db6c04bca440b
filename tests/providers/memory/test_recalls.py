"""Recalls of one user and of several, side by side."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from pincite.providers.memory.kept import KeptMemory
from pincite.providers.memory.rows import FactRow


class SlowRows:
    """Rows of facts, of which those of `slow` come when `free` is set. `most` counts how many reads
    of one user went on at once."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.most = Counter[str]()
        self._reading = Counter[str]()

    async def add(self, user: str, row: FactRow, most: int) -> FactRow:
        raise NotImplementedError

    async def rows(
        self, user: str, *, vectors: bool, after: str = "", limit: int | None = None
    ) -> Sequence[FactRow]:
        self._reading[user] += 1
        self.most[user] = max(self.most[user], self._reading[user])
        if user == "slow":
            await self.free.wait()
        self._reading[user] -= 1
        return (FactRow("1", b"tea in the morning", ""),)

    async def without(self, user: str, encoder: str) -> Sequence[FactRow]:
        raise NotImplementedError

    async def set_vectors(self, user: str, encoder: str, vectors: Mapping[str, bytes]) -> None:
        raise NotImplementedError

    async def forget(self, user: str, fact: str) -> int:
        raise NotImplementedError

    async def close(self) -> None:
        pass


def test_a_user_has_one_recall_at_a_time_and_others_wait_for_none() -> None:
    async def session() -> tuple[int, list[int]]:
        rows = SlowRows()
        memory = KeptMemory("slow", rows)
        slow = [asyncio.create_task(memory.recall("slow", "tea", 5)) for _ in range(8)]
        await asyncio.sleep(0)
        others = [await memory.recall(f"user {n}", "tea", 5) for n in range(3)]
        rows.free.set()
        found = await asyncio.gather(*slow)
        await memory.close()
        return rows.most["slow"], [len(one) for one in (*others, *found)]

    assert asyncio.run(session()) == (1, [1] * 11)
