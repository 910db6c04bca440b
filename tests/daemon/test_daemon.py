"""The daemon as a real process: how it is found, shared, lost, and started again."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
from pathlib import Path

import pytest

from pincite import AsyncPincite, IndexNotFound
from pincite.daemon.wire import protocol
from pincite.testing.points import LEXICAL_SPEC, document_of
from tests.daemon.daemons import A1, client, connected, gone, is_empty, open_to_others, run, script
from tests.stores.children import alive, zombies

HELLO = """
import asyncio, sys
from pathlib import Path
from pincite.daemon.client.remote_index import RemoteIndex
async def main():
    index = RemoteIndex(Path(sys.argv[1]), Path("models"), 60.0)
    print((await index.hello()).pid)
    await index.close()
asyncio.run(main())
"""


def test_of_eight_clients_at_once_one_starts_the_daemon() -> None:
    async def check(folder: Path) -> None:
        racers = [script(HELLO, folder) for _ in range(8)]
        answers = [racer.communicate(timeout=600) for racer in racers]
        assert [error for _, error in answers] == [""] * 8
        assert len({pid for pid, _ in answers}) == 1
        async with connected(folder) as index:
            assert f"{(await index.hello()).pid}\n" == answers[0][0]
        assert (folder / protocol.LOG).read_text().count(" owns ") == 1

    run(check)


def test_it_leaves_when_nobody_has_come_for_a_while() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder, idle_s=0.4) as index:
            first = await index.hello()
            await asyncio.sleep(1.2)
            assert alive(first.pid)  # somebody is connected
            await index.close()
            assert await gone(first.pid)
            assert not (folder / protocol.SOCKET).exists()
            assert (await index.hello()).pid != first.pid

    run(check)


def test_one_that_was_told_to_leave_is_followed_by_another() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            pids = set()
            for _ in range(3):
                pids.add((await index.hello()).pid)
                await index.leave()
                assert len(await index.collections()) == 1  # while the old one is closing
            assert len(pids) == 3

    run(check)


def test_leaving_without_a_daemon_starts_none() -> None:
    async def check(folder: Path) -> None:
        index = client(folder)
        await index.leave()
        assert is_empty(folder)

    run(check)


def test_one_that_has_no_index_yet_is_stopped_by_the_engine() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            pid = (await index.hello()).pid
            (folder / "catalog.db").unlink()  # as where no disk had room for one
            async with AsyncPincite(folder) as engine:
                assert await engine.stop()
                assert await gone(pid)
                with pytest.raises(IndexNotFound):
                    await engine.stop()

    run(check)


def test_a_killed_daemon_is_started_again_with_everything() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            for number in range(5):
                name = f"{number}.md"
                await index.replace("main", [document_of(name, name, ["fox"], dense=False)])
                pid = (await index.hello()).pid
                os.kill(pid, signal.SIGKILL)
                assert await gone(pid)
                assert (folder / protocol.SOCKET).exists()  # a stale one
            assert len(await index.documents("main")) == 5
            assert len(await index.page("main", None, 9)) == 5

    run(check)


def test_an_operation_survives_the_death_of_the_daemon_in_its_middle() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            words = [f"word{n} fox" for n in range(2_000)]
            for number in range(3):
                pid = (await index.hello()).pid
                document = document_of("a.md", f"r{number}", words, dense=False)
                writing = asyncio.create_task(index.replace("main", [document]))
                await asyncio.sleep(0.03 + 0.06 * number)
                os.kill(pid, signal.SIGKILL)
                await writing
                assert [r.revision for r in await index.documents("main")] == [f"r{number}"]
                assert len(await index.page("main", None, 9_999)) == 2_000

    run(check)


def test_two_indexes_have_two_daemons() -> None:
    async def check(folder: Path) -> None:
        for name in ("one", "two"):
            (folder / name).mkdir()
        async with connected(folder / "one") as one, connected(folder / "two") as two:
            await one.create(LEXICAL_SPEC)
            await one.replace("main", [A1])
            assert await two.collections() == ()
            assert (await one.hello()).pid != (await two.hello()).pid

    run(check)


@pytest.mark.parametrize("name", ["x" * 200, "ü" * 60, "with space 'and' \"quotes\""])
def test_any_path_will_do(name: str) -> None:
    async def check(folder: Path) -> None:
        deep = folder / name / "deeper"
        deep.mkdir(parents=True)
        async with connected(deep) as index:
            await index.create(LEXICAL_SPEC)
            await index.replace("main", [A1])
            async with connected(deep) as other:
                assert len(await other.documents("main")) == 1

    run(check)


def test_nobody_else_can_read_it_or_talk_to_it() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            await index.replace("main", [A1])
            await index.settle("main")
            assert open_to_others(folder) == []
            assert stat.S_ISSOCK((folder / protocol.SOCKET).lstat().st_mode)

    run(check)


FORK = """
import asyncio, os, sys
from pathlib import Path
from pincite.daemon.client.remote_index import RemoteIndex
index = RemoteIndex(Path(sys.argv[1]), Path("models"), 60.0)
async def ask():
    return len([await index.documents("main") for _ in range(200)])
with asyncio.Runner() as runner:
    assert runner.run(ask()) == 200
    child = os.fork()
    if not child:
        assert asyncio.run(ask()) == 200
        os._exit(0)
    assert runner.run(ask()) == 200
    assert os.waitpid(child, 0)[1] == 0
    runner.run(index.close())
"""


def check_script(code: str) -> None:
    """Run a program beside an index with a collection: it ends well and prints nothing."""

    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            running = script(code, folder)
            assert running.communicate(timeout=600) == ("", "")
            assert running.returncode == 0

    run(check)


def test_a_forked_client_gets_connections_of_its_own() -> None:
    check_script(FORK)


LOOPS = """
import asyncio, gc, sys
from pathlib import Path
from pincite.daemon.client import remote_index
index = remote_index.RemoteIndex(Path(sys.argv[1]), Path("models"), 60.0)
for _ in range(3):
    asyncio.run(index.documents("main"))
    assert index._idle == []
    gc.collect()
assert remote_index._FOREIGN == []
"""


def test_connections_end_with_the_loop_that_made_them() -> None:
    check_script(LOOPS)


def test_a_daemon_keeps_nothing_open_of_the_client_that_started_it() -> None:
    """Such as a pipe that others wait for the end of, or a lock that `flock` has taken."""

    async def check(folder: Path) -> None:
        reading, writing = os.pipe()
        os.set_inheritable(writing, True)
        async with connected(folder) as index:
            await index.hello()
            os.close(writing)
            os.set_blocking(reading, False)
            assert os.read(reading, 1) == b""
        os.close(reading)

    run(check)


def test_daemons_leave_no_zombies() -> None:
    async def check(folder: Path) -> None:
        before = zombies()
        async with connected(folder) as index:
            for _ in range(3):
                pid = (await index.hello()).pid
                await index.leave()
                assert await gone(pid)
            assert zombies() <= before

    run(check)


def test_more_documents_than_a_message_has_come_in_their_order() -> None:
    async def check(folder: Path) -> None:
        places = [
            (source, f"{number:05}.md") for source in ("b/x", "a/x") for number in range(2_100)
        ]
        made = [document_of(path, f"{source} {path}", [], source=source) for source, path in places]
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            await index.replace(LEXICAL_SPEC.name, made)
            everything = await index.documents(LEXICAL_SPEC.name)
            assert [(one.source, one.path) for one in everything] == sorted(places)
            some = await index.documents(LEXICAL_SPEC.name, "b/x")
            assert some == everything[2_100:]
            assert len(await index.documents_after(LEXICAL_SPEC.name, None, None, 10)) == 10

    run(check)
