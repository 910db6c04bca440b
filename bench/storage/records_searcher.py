"""Another process that searches while records are written: `python -m
bench.storage.records_searcher INDEX MODELS TOTAL SEED`.

Each line on stdin is a phase and how many of its records are done; that is true of all phases that
were named before. Every 100 ms one question is asked and its answer is held against what must be so
at that moment: what is done when the question is asked has to show, and of what is under way
either the old or the new, but not both. At the end of stdin the figures are printed, as JSON.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from bisect import bisect_left
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.made_records import Work, key, mark
from bench.product import settings_of
from bench.times import Times, times
from pincite.engine import AsyncPincite
from pincite.errors import IndexNotFound, PinciteError, UsageError
from pincite.model import Evidence

_EVERY_S: Final = 0.1
_NAMED: Final = 20


class Seen(msgspec.Struct, frozen=True):
    """Searches by the phase in which they were asked, how many of each kind were checked, and what
    was wrong: the first few, and how many there were."""

    searches: dict[str, Times]
    checked: dict[str, int]
    wrong: list[str]
    wrong_count: int


class Searcher:
    """Asks and checks. `begun` are the phases with how many of their records are done."""

    def __init__(self, engine: AsyncPincite, work: Work, seed: int) -> None:
        self._engine, self._work = engine, work
        self._random = random.Random(seed)
        self.begun: dict[str, int] = {}
        self._phase = ""
        self._numbers: dict[str, list[int]] = {}
        self._took: dict[str, list[float]] = {}
        self.checked: dict[str, int] = {}
        self.wrong: list[str] = []
        self._wrong_count = 0

    def told(self, line: str) -> None:
        """A line of the process that writes."""
        phase, _, done = line.strip().rpartition(" ")
        if phase not in self.begun:
            self._numbers[phase] = self._work.numbers(phase)
        self.begun[phase], self._phase = int(done), phase

    def _state(self, phase: str, number: int) -> str:
        """Has a phase changed this record: `no`, `perhaps` or `yes`?"""
        if phase not in self.begun or not self._work.has(phase, number):
            return "no"
        numbers, done = self._numbers[phase], self.begun[phase]
        return "yes" if bisect_left(numbers, number) < done else "perhaps"

    async def one(self) -> None:
        """Ask for one record, and check the answer."""
        there = self.begun.get("load", 0)
        if not there:
            await asyncio.sleep(_EVERY_S)
            return
        number = self._choose(there)
        kind = self._random.choice(("key", "mark", "filter", "other filter"))
        before = {p: self._state(p, number) for p in ("update", "attributes")}
        gone = {self._state(p, number) for p in ("delete ids", "delete where")}
        given = self._work.given(number, before["attributes"] == "yes")
        new = before["update"] == "yes"
        asked = mark(number, new_text=new) if kind == "mark" else key(number)
        where = ""
        if kind.endswith("filter"):
            year = given["year"] + (kind == "other filter")
            where = f"tenant = '{given['tenant']}' and year = {year} and due <= 2026-12-31"
        phase, started_s = self._phase, time.perf_counter()
        pack = await self._engine.search(asked, where=where, limit=5)
        self._took.setdefault(phase, []).append((time.perf_counter() - started_s) * 1_000)
        found = [one for one in pack.evidence if key(number) in one.text]
        others = [one for one in pack.evidence if one not in found]
        now = {p: self._state(p, number) for p in ("update", "attributes")}
        gone |= {self._state(p, number) for p in ("delete ids", "delete where")}
        moving = "perhaps" in {*before.values(), *now.values(), *gone} or before != now
        self._check(kind, number, found, moving=moving, gone="yes" in gone, new=new, given=given)
        for one in others if where else ():
            if (one.attributes["tenant"], one.attributes["year"]) != (given["tenant"], year):
                self._say(f"{kind} of {number}: {one.path} does not fit {where}")

    def _choose(self, there: int) -> int:
        """Any record, half of the time one of the phase that is going on."""
        numbers = self._numbers[self._phase]
        if self._phase != "load" and numbers and self._random.random() < 0.5:
            return self._random.choice(numbers)
        return self._random.randrange(there)

    def _check(
        self,
        kind: str,
        number: int,
        found: list[Evidence],
        *,
        moving: bool,
        gone: bool,
        new: bool,
        given: dict[str, Any],
    ) -> None:
        said = f"{kind} of {number} while {self._phase!r} ({'moving' if moving else 'still'})"
        if len(found) > 1:
            self._say(f"{said}: found {len(found)} times")
        if moving:
            texts = [self._work.record(number, new_text=one)["text"] for one in (False, True)]
            if any(one.text not in texts for one in found):
                self._say(f"{said}: another text")
            self._count("under way")
            return
        if gone or kind == "other filter":
            if found:
                self._say(f"{said}: found, and {'deleted' if gone else 'outside of the filter'}")
            self._count("gone" if gone else "filtered out")
            return
        if not found:
            self._say(f"{said}: not found")
            return
        one, expected = found[0], self._work.record(number, new_text=new)
        if (one.path, one.text) != (str(number), expected["text"]):
            self._say(f"{said}: another text or id")
        if plain(one.attributes) != plain(given):
            self._say(f"{said}: other attributes {one.attributes}")
        self._count("new text" if new else "present")

    def _count(self, what: str) -> None:
        self.checked[what] = self.checked.get(what, 0) + 1

    def _say(self, what: str) -> None:
        self._wrong_count += 1
        if len(self.wrong) < _NAMED:
            self.wrong.append(what)

    async def until(self, over: asyncio.Event) -> Seen:
        """Ask every 100 ms."""
        while not over.is_set():
            started_s = time.perf_counter()
            try:
                await self.one()
            except (IndexNotFound, UsageError) as error:
                if self._took:  # the collection is there by then
                    self._say(repr(error))
            except PinciteError as error:
                self._say(repr(error))
            left_s = _EVERY_S - (time.perf_counter() - started_s)
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), max(left_s, 0.001))
        took = {phase: times(found) for phase, found in self._took.items()}
        return Seen(took, self.checked, self.wrong, self._wrong_count)


def plain(attributes: Any) -> dict[str, Any]:
    """Attributes with lists in place of tuples."""
    return {k: list(v) if isinstance(v, (list, tuple)) else v for k, v in attributes.items()}


async def main(root: Path, models: Path, work: Work) -> None:
    """See the module's docstring."""
    over = asyncio.Event()
    async with AsyncPincite(settings_of(root, models)) as engine:
        searcher = Searcher(engine, work, seed=1)
        searching = asyncio.create_task(searcher.until(over))
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            searcher.told(line)
        over.set()
        print(msgspec.json.encode(await searching).decode(), flush=True)


if __name__ == "__main__":
    index, models_root, total, seed = sys.argv[1:]
    asyncio.run(main(Path(index), Path(models_root), Work(int(total), int(seed))))
