"""A daemon that nobody asks anything gives its memory back, and answers as before when asked."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

import pytest

from pincite.daemon.server.idle_memory import memory_mb, trim
from pincite.daemon.server.service import Daemon
from pincite.testing.fakes import HashingEncoder
from pincite.testing.points import LEXICAL_SPEC
from tests.daemon.daemons import A1, client, connected, daemon, gone, run

RESTS_AT_ONCE = """
import asyncio, sys
from pathlib import Path
import numpy as np
from pincite.daemon import __main__ as main
from pincite.daemon.server.listener import serve
from pincite.daemon.server.service import Daemon

class Encoder:
    fingerprint, dimensions, languages = "fake", 2, frozenset()
    async def embed_query(self, text):
        return np.array([1, 0], dtype=np.float32)

opened = []
def load(models, name):
    opened.append(models)
    return Encoder()

async def session():
    root = Path(sys.argv[1])
    daemon = Daemon(root, root, load)
    await daemon.open()
    await serve(daemon, root, 60.0, ready=lambda: print("{}", flush=True), rest_s=0.1)
    await daemon.close()

asyncio.run(session())
"""


async def rests(folder: Path) -> None:
    index = client(folder)
    while not (await index.condition()).resting_since:  # noqa: ASYNC110
        await asyncio.sleep(0.05)  # another process
    await index.close()


def test_it_rests_and_answers_right_when_it_is_asked_again() -> None:
    async def check(folder: Path) -> None:
        with daemon(RESTS_AT_ONCE, folder):
            async with connected(folder) as index:
                await index.create(LEXICAL_SPEC)
                await index.replace("main", [A1])
                before = await index.page("main", None, 9)
                assert (await index.embed_query("fake", "fox")).tolist() == [1, 0]
                assert (await index.condition()).loaded == ("encoder of queries",)
                for _ in range(3):
                    await rests(folder)
                    resting = await index.condition()
                    assert resting.loaded == ()
                    assert await index.page("main", None, 9) == before
                    assert (await index.condition()).resting_since == ""
                    assert (await index.embed_query("fake", "fox")).tolist() == [1, 0]

    run(check)


def test_a_rest_releases_the_chunks_that_were_read() -> None:
    async def check(folder: Path) -> None:
        service = Daemon(folder, folder, lambda *_: HashingEncoder())
        await service.open()
        await service.create(LEXICAL_SPEC)
        await service.replace("main", [A1])
        ids = [point.chunk.id for point in A1[1]]
        read = await service.load("main", ids)
        again = await service.load("main", ids)
        assert all(a.chunk is b.chunk for a, b in zip(read, again, strict=True))
        await asyncio.gather(*service._encoders.values())
        service.rest()
        rested = await service.load("main", ids)
        assert rested == read
        assert not any(a.chunk is b.chunk for a, b in zip(read, rested, strict=True))
        await service.close()

    run(check)


def test_one_that_rests_ends_when_its_folder_is_gone() -> None:
    async def check(folder: Path) -> None:
        root = folder / "index"
        root.mkdir()
        with daemon(RESTS_AT_ONCE, root):
            index = client(root)
            pid = (await index.hello()).pid
            await index.close()
            await rests(root)
            shutil.rmtree(root)
            assert await gone(pid)

    run(check)


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell")
def test_freed_memory_goes_back_to_the_system() -> None:
    held = [bytes(100_000) for _ in range(1_000)]
    many = memory_mb()
    del held
    trim()
    assert memory_mb() < many - 50
