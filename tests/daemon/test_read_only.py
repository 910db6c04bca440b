"""An index folder that nobody may write to is searched, and nothing in it is touched."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from pincite.daemon.server.read_only import workplace
from pincite.errors import IndexUnavailable
from pincite.testing.points import LEXICAL_SPEC, request_for
from tests.daemon.daemons import A1, client, connected, gone
from tests.disks import files, read_only


@pytest.mark.parametrize("how", ["cleanly", "killed"])
def test_a_read_only_folder_is_searched_and_left_alone(tmp_path: Path, how: str) -> None:
    async def check() -> None:
        index = client(tmp_path)
        await index.create(LEXICAL_SPEC)
        await index.replace("main", [A1])
        pid = (await index.hello()).pid
        if how == "cleanly":
            await index.leave()
        else:
            os.kill(pid, signal.SIGKILL)
        assert await gone(pid)
        await index.close()
        before = files(tmp_path)
        with read_only(tmp_path):
            async with connected(tmp_path) as reading, connected(tmp_path) as other:
                (sparse,) = await reading.search("main", request_for("fox", dense=None))
                assert len(sparse.hits) == 1
                assert len(await other.documents("main")) == 1
                assert (await other.hello()).pid == (await reading.hello()).pid
                with pytest.raises(IndexUnavailable, match="is read-only"):
                    await reading.remove("main", ["a1"])
            assert files(tmp_path) == before

    asyncio.run(check())


def test_a_daemon_that_runs_where_the_folder_can_be_written_to_answers_there(
    tmp_path: Path,
) -> None:
    async def check() -> None:
        async with connected(tmp_path) as index:
            await index.create(LEXICAL_SPEC)
            pid = (await index.hello()).pid
            with read_only(tmp_path):
                other = client(tmp_path)
                assert (await other.hello()).pid == pid
                await other.close()

    asyncio.run(check())


def test_the_reading_daemon_makes_room_for_what_was_written_meanwhile(tmp_path: Path) -> None:
    async def check() -> None:
        async with connected(tmp_path) as index:
            await index.create(LEXICAL_SPEC)
            await index.leave()
        with read_only(tmp_path):
            reading = client(tmp_path)
            assert await reading.documents("main") == ()
            pid = (await reading.hello()).pid
        async with connected(tmp_path) as index:
            await index.replace("main", [A1])
            await index.leave()
        with read_only(tmp_path):
            assert len(await reading.documents("main")) == 1
            assert (await reading.hello()).pid != pid
            await reading.leave()
            await reading.close()

    asyncio.run(check())


def test_another_user_cannot_take_the_place_of_a_workplace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, place = tmp_path / "index", tmp_path / "temporary"
    root.mkdir()
    place.mkdir()
    (place / f"pincite-{os.geteuid()}").mkdir(mode=0o777)
    (place / f"pincite-{os.geteuid()}").chmod(0o777)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    with read_only(root), pytest.raises(IndexUnavailable, match="only you can read"):
        workplace(root)
