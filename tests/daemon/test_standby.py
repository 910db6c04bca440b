"""The process of a daemon that was started before anybody knew whether it is needed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from pincite.daemon.client import standby
from pincite.daemon.wire import protocol
from pincite.support.capabilities import FORK
from pincite.testing.points import LEXICAL_SPEC
from tests.daemon.daemons import A1, client, connected, daemons_of, gone, is_empty, run, script
from tests.time_limits import HANGS_S

pytestmark = pytest.mark.skipif(
    not FORK or not Path("/proc/self/cmdline").exists(), reason="no processes that wait here"
)


async def waiting(folder: Path) -> int:
    """The process that stands by for the folder, once it is in the background."""
    async with asyncio.timeout(HANGS_S):
        while len(found := daemons_of(folder)) != 1 or os.getsid(*found) != next(iter(found)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return found.pop()


def test_the_process_that_stands_by_becomes_the_daemon() -> None:
    async def check(folder: Path) -> None:
        standby.stand_by(folder)
        pid = await waiting(folder)
        assert is_empty(folder)
        async with connected(folder) as index:
            assert (await index.hello()).pid == pid
            await index.create(LEXICAL_SPEC)
            await index.replace("main", [A1])
            errors = os.readlink(f"/proc/{pid}/fd/2")  # noqa: PTH115
            assert errors.endswith(f"/{protocol.LOG}")
            assert daemons_of(folder) == {pid}
        async with connected(folder) as index:  # by another process, started as usual
            assert (await index.hello()).pid != pid
            assert len(await index.documents("main")) == 1

    run(check)


def test_one_that_is_killed_while_it_waits_is_replaced() -> None:
    async def check(folder: Path) -> None:
        standby.stand_by(folder)
        pid = await waiting(folder)
        os.kill(pid, signal.SIGKILL)
        assert await gone(pid)
        async with connected(folder) as index:
            assert await index.collections() == ()
            assert (await index.hello()).pid != pid

    run(check)


def test_a_daemon_that_was_there_first_stays() -> None:
    async def check(folder: Path) -> None:
        standby.stand_by(folder)
        late = await waiting(folder)
        printed, _ = script(_CONNECT, folder).communicate(timeout=HANGS_S)
        async with connected(folder) as index:
            assert (await index.hello()).pid == int(printed)
            assert await gone(late)  # and not only with this process
            assert standby.told(folder, folder, 1.0) is None

    run(check)


def test_one_for_another_folder_ends_when_the_client_has_its_daemon() -> None:
    async def check(folder: Path) -> None:
        root, other = folder / "root", folder / "other"
        root.mkdir()
        standby.stand_by(other)
        late = await waiting(other)
        async with connected(root) as index:
            assert await index.collections() == ()
            assert await gone(late)
        assert not other.exists()

    run(check)


_CONNECT = """
import asyncio, sys
from pathlib import Path
from tests.daemon.daemons import client

async def main():
    index = client(Path(sys.argv[1]))
    print((await index.hello()).pid)
    await index.close()

asyncio.run(main())
"""


def test_one_that_is_told_nothing_ends_with_its_client_and_leaves_nothing() -> None:
    async def check(folder: Path) -> None:
        code = (
            "import sys\nfrom pathlib import Path\n"
            "from pincite.daemon.client.standby import stand_by\n"
            "stand_by(Path(sys.argv[1]))\nsys.stdin.read()"
        )
        process = script(code, folder)
        pid = await waiting(folder)
        process.communicate(timeout=HANGS_S)
        assert await gone(pid)
        assert is_empty(folder)

    run(check)


def test_where_no_process_can_be_started_the_client_says_so_when_it_needs_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def check(folder: Path) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(sys, "executable", str(folder / "none"))
            standby.stand_by(folder)
        index = client(folder)
        assert await index.collections() == ()
        await index.leave()
        await index.close()

    run(check)
