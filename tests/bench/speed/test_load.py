"""The load bench: its clients are answered, and what would be a leak is counted as one."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import bench.speed.load
import httpx
import msgspec
import pytest
from bench.frame import Options


def test_clients_are_answered_and_find_nothing_of_each_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench.speed.load, "_QUICK", (3, 1.0))
    options = Options(tmp_path, tmp_path, tmp_path, tmp_path, quick=True)
    (found,) = asyncio.run(bench.speed.load.run(options))
    assert (found.errors, found.leaks, found.clients) == ({}, 0, 3)
    uploads = found.routes["upload"]
    assert uploads.requests >= 3
    assert found.indexed + found.waited == uploads.requests
    assert "3 clients" in bench.speed.load.load(msgspec.to_builtins([found]))


def test_faults_and_texts_of_others_are_counted() -> None:
    said = iter((httpx.Response(200, text="of mark00002"), httpx.Response(503)))

    def answer(request: httpx.Request) -> httpx.Response:
        try:
            return next(said)
        except StopIteration:
            raise httpx.ConnectError("away", request=request) from None

    async def ask() -> bench.speed.load._Tally:
        tally = bench.speed.load._Tally()
        transport = httpx.MockTransport(answer)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            for _ in range(3):
                await bench.speed.load._ask(client, "search", "mark00001", random.Random(1), tally)
        return tally

    tally = asyncio.run(ask())
    assert (tally.leaks, dict(tally.errors)) == (1, {"503": 1, "ConnectError": 1})
    assert (len(tally.took_ms["search"]), tally.failed["search"]) == (1, 2)
