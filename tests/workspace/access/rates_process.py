"""A process that asks for more than it may: prints when each request was let pass, by the clock
that all processes of a machine share."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from pincite.surfaces.http.rates import KeyRates
from pincite.workspace.access.rates import Rate
from pincite.workspace.database.open import open_workspaces


async def ask(place: str, operator: str, key: str, rate: Rate, seconds: float) -> list[float]:
    """Three clients that never wait, while there is time."""
    target = place if "://" in place else Path(place)
    workspaces = open_workspaces(target, operator=operator)
    rates = KeyRates(workspaces, rate)
    passed: list[float] = []
    end_s = time.monotonic() + seconds

    async def client() -> None:
        while time.monotonic() < end_s:
            if wait_s := await rates.take(key):
                await asyncio.sleep(min(wait_s, 0.02))
            else:
                passed.append(time.monotonic())

    try:
        await asyncio.gather(*(client() for _ in range(3)))
    finally:
        await workspaces.close()
    return passed


def main(place: str, operator: str, key: str, per_minute: str, burst: str, seconds: str) -> None:
    found = asyncio.run(
        ask(place, operator, key, Rate(int(per_minute), int(burst)), float(seconds))
    )
    print(" ".join(f"{one:.6f}" for one in found))


if __name__ == "__main__":
    main(*sys.argv[1:])
