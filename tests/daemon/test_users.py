"""An index of one user, and another user who comes along."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pincite.daemon.wire import protocol
from pincite.engine import AsyncPincite
from pincite.errors import IndexUnavailable
from pincite.profile import Profile
from pincite.settings.load import Settings
from pincite.testing.points import LEXICAL_SPEC
from tests.daemon.daemons import client, connected, run, script

_NOBODY = 65534
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user, too")

AS_NOBODY = """
import asyncio, contextlib, os, sys
from pathlib import Path
from pincite.engine import searcher  # imported late, when Python may be out of reach
from pincite.engine import AsyncPincite
from pincite.daemon.client import remote_index
from pincite.daemon.wire import peers
from pincite.daemon.wire import protocol
from pincite.profile import Profile
from pincite.settings.load import Settings
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
root = Path(sys.argv[1])
async def open_index():
    await remote_index.RemoteIndex(root, root, 60.0).collections()
async def search():
    settings = Settings(index=root, models=root, profile=Profile(), offline=True)
    async with AsyncPincite(settings) as pincite:
        await pincite.search("fox")  # with its log
async def talk():
    reader, writer = await asyncio.open_unix_connection(root / protocol.SOCKET)
    try:
        await protocol.write_frame(writer, protocol.encode(("collections", ())))
        print("answered" if await protocol.read_frame(reader) else "hung up")
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):  # the daemon hung up while it was asked
            await writer.wait_closed()
async def answer():
    async def served(reader, writer):
        await protocol.read_frame(reader)
        writer.close()
    server = await asyncio.start_unix_server(served, root / protocol.SOCKET)
    print("there", flush=True)
    await asyncio.sleep(60)
try:
    asyncio.run({"open": open_index, "talk": talk, "answer": answer, "search": search}[
        sys.argv[2]
    ]())
except (BrokenPipeError, ConnectionResetError):
    print("hung up")
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""


def as_nobody(folder: Path, what: str) -> str:
    """What another user is told."""
    output, errors = script(AS_NOBODY, folder, what).communicate(timeout=600)
    assert errors == ""
    return output


def allow(path: Path, mode: int) -> None:
    path.chmod(mode)


async def opened(folder: Path) -> None:
    await client(folder).collections()


async def searched(folder: Path) -> None:
    settings = Settings(index=folder, models=folder, profile=Profile(), offline=True)
    async with AsyncPincite(settings) as pincite:
        await pincite.search("fox")


@pytest.mark.parametrize("use", [opened, searched])
def test_a_folder_of_another_user_is_no_index_of_ours(
    use: Callable[[Path], Awaitable[None]],
) -> None:
    async def check(folder: Path) -> None:
        if os.geteuid() == 0:
            os.chown(folder, _NOBODY, _NOBODY)
        else:
            folder = Path("/usr")
        with pytest.raises(IndexUnavailable, match="belongs to user") as caught:
            await use(folder)
        assert "PINCITE_INDEX" in caught.value.hint
        assert not (folder / protocol.LOCK).exists()

    run(check)


@only_root
def test_another_user_neither_opens_an_index_nor_talks_to_its_daemon() -> None:
    async def check(folder: Path) -> None:
        root = folder / "index"
        root.mkdir(mode=0o700)
        async with connected(root) as index:
            await index.create(LEXICAL_SPEC)
            assert "cannot access the index" in as_nobody(root, "open")
            assert "cannot access the index" in as_nobody(root, "search")
            allow(folder, 0o755)
            assert "belongs to user root, but you are user" in as_nobody(root, "open")
            assert "belongs to user root, but you are user" in as_nobody(root, "search")
            allow(root, 0o777)
            assert "PermissionError" in as_nobody(root, "talk")
            allow(root / protocol.SOCKET, 0o666)
            assert as_nobody(root, "talk") == "hung up\n"
            assert "another user" in (root / protocol.LOG).read_text()
            assert len(await index.collections()) == 1

    run(check)


@only_root
def test_the_daemon_of_another_user_is_not_believed() -> None:
    async def check(folder: Path) -> None:
        allow(folder, 0o777)
        other = script(AS_NOBODY, folder, "answer")
        assert other.stdout is not None
        try:
            assert await asyncio.to_thread(other.stdout.readline) == "there\n"
            with pytest.raises(IndexUnavailable, match="another user answers") as caught:
                await client(folder).collections()
            assert f"ls -ld {folder}" in caught.value.hint
        finally:
            other.kill()
            other.communicate()

    run(check)
