"""The owner as a real process: how it is found, shared, lost, and started again."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pincite import version
from pincite.catalog.sqlite import MIGRATIONS, SqliteCatalog
from pincite.errors import (
    IndexNotFound,
    IndexTooNew,
    IndexUnavailable,
    ModelUnavailable,
    PinciteError,
    StoreError,
)
from pincite.owner import wire
from pincite.owner.client import RemoteIndex
from pincite.testing.points import DENSE_SPEC, LEXICAL_SPEC, document_of, request_for
from tests.places import quick_folder
from tests.stores.children import alive, zombies

A1 = document_of("a.md", "a1", ["the brown fox"], dense=False)
Check = Callable[[Path], Coroutine[Any, Any, None]]


def client(folder: Path, idle_s: float = 60.0, answer_s: float = 30.0) -> RemoteIndex:
    return RemoteIndex(folder, folder / "models", idle_s, answer_s)


@asynccontextmanager
async def connected(folder: Path, idle_s: float = 60.0) -> AsyncIterator[RemoteIndex]:
    """A client, with an owner that ends with the test."""
    index = client(folder, idle_s)
    try:
        yield index
    finally:
        await index.leave()
        await index.close()


def run(check: Check) -> None:
    with quick_folder() as folder:
        asyncio.run(check(folder))


def is_empty(folder: Path) -> bool:
    return not any(folder.iterdir())


def open_to_others(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if stat.S_IMODE(p.lstat().st_mode) & 0o077]


async def gone(pid: int) -> bool:
    """Has it ended within ten seconds?"""
    for _ in range(1_000):
        if not alive(pid):
            return True
        await asyncio.sleep(0.01)
    return False


def script(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


HELLO = """
import asyncio, sys
from pathlib import Path
from pincite.owner.client import RemoteIndex
async def main():
    index = RemoteIndex(Path(sys.argv[1]), Path("models"), 60.0)
    print((await index.hello()).pid)
    await index.close()
asyncio.run(main())
"""


def test_of_eight_clients_at_once_one_starts_the_owner() -> None:
    async def check(folder: Path) -> None:
        racers = [script(HELLO, folder) for _ in range(8)]
        answers = [racer.communicate(timeout=60) for racer in racers]
        assert [error for _, error in answers] == [""] * 8
        assert len({pid for pid, _ in answers}) == 1
        async with connected(folder) as index:
            assert f"{(await index.hello()).pid}\n" == answers[0][0]
        assert (folder / wire.LOG).read_text().count(" owns ") == 1

    run(check)


def test_it_leaves_when_nobody_has_come_for_a_while() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder, idle_s=0.4) as index:
            first = await index.hello()
            await asyncio.sleep(1.2)
            assert alive(first.pid)  # somebody is connected
            await index.close()
            assert await gone(first.pid)
            assert not (folder / wire.SOCKET).exists()
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


def test_leaving_without_an_owner_starts_none() -> None:
    async def check(folder: Path) -> None:
        index = client(folder)
        await index.leave()
        assert is_empty(folder)

    run(check)


def test_a_killed_owner_is_started_again_with_everything() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            for number in range(5):
                name = f"{number}.md"
                await index.replace("main", *document_of(name, name, ["fox"], dense=False))
                pid = (await index.hello()).pid
                os.kill(pid, signal.SIGKILL)
                assert await gone(pid)
                assert (folder / wire.SOCKET).exists()  # a stale one
            assert len(await index.documents("main")) == 5
            assert len(await index.page("main", None, 9)) == 5

    run(check)


def test_an_operation_survives_the_death_of_the_owner_in_its_middle() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            words = [f"word{n} fox" for n in range(2_000)]
            for number in range(3):
                pid = (await index.hello()).pid
                document = document_of("a.md", f"r{number}", words, dense=False)
                writing = asyncio.create_task(index.replace("main", *document))
                await asyncio.sleep(0.03 + 0.06 * number)
                os.kill(pid, signal.SIGKILL)
                await writing
                assert [r.revision for r in await index.documents("main")] == [f"r{number}"]
                assert len(await index.page("main", None, 9_999)) == 2_000

    run(check)


def test_two_indexes_have_two_owners() -> None:
    async def check(folder: Path) -> None:
        for name in ("one", "two"):
            (folder / name).mkdir()
        async with connected(folder / "one") as one, connected(folder / "two") as two:
            await one.create(LEXICAL_SPEC)
            await one.replace("main", *A1)
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
            await index.replace("main", *A1)
            async with connected(deep) as other:
                assert len(await other.documents("main")) == 1

    run(check)


def test_nobody_else_can_read_it_or_talk_to_it() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            await index.replace("main", *A1)
            await index.settle("main")
            assert open_to_others(folder) == []
            assert stat.S_ISSOCK((folder / wire.SOCKET).lstat().st_mode)

    run(check)


OTHER_VERSION = """
import sys
from pincite import version
version.VERSION = "0.0.0"
from pincite.owner.__main__ import main
sys.exit(main(sys.argv[1], "models", "60"))
"""


def test_an_owner_of_another_version_makes_room() -> None:
    async def check(folder: Path) -> None:
        old = script(OTHER_VERSION, folder)
        assert old.stdout is not None
        assert old.stdout.readline() == "{}\n"
        async with connected(folder) as index:
            identity = await index.hello()
            assert identity.version == version.VERSION
            assert identity.pid != old.pid
        assert old.communicate(timeout=10) == ("", "")
        assert old.returncode == 0

    run(check)


async def raw(folder: Path, sent: bytes) -> bytes:
    """What comes back for some bytes, until the owner hangs up."""
    with wire.socket_address(folder) as address:
        reader, writer = await asyncio.open_unix_connection(address)
    writer.write(sent)
    writer.write_eof()
    async with asyncio.timeout(10):
        answer = await reader.read()
    writer.close()
    return answer


def memory_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def test_garbage_does_not_harm_it() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            pid = (await index.hello()).pid
            before_kb = memory_kb(pid)
            for sent in (
                b"",
                b"\x00",
                b"GET / HTTP/1.1\r\n\r\n",
                struct.pack(">I", 2**32 - 1) + b"x" * 100_000,
                struct.pack(">I", 2**29) + b"x" * 100_000,
            ):
                assert await raw(folder, sent) == b""
            for body in (b"", b"\xc1", b"x" * 1_000, wire.encode(["search"]), wire.encode(42)):
                answer = await raw(folder, struct.pack(">I", len(body)) + body)
                assert b"does not understand" in answer
            assert memory_kb(pid) < before_kb + 50_000
            assert (await index.hello()).pid == pid

    run(check)


@pytest.mark.parametrize(
    "request_",
    [
        ("eval", ("1",)),
        ("close", ()),
        ("_drop", ("main",)),
        ("documents", ()),
        ("documents", ("main", "source", "more")),
        ("documents", (7, None)),
        ("page", ("main", None, "9")),
    ],
)
def test_a_request_that_is_none_is_refused(request_: tuple[str, tuple[object, ...]]) -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            pid = (await index.hello()).pid
            with pytest.raises(IndexUnavailable, match="does not understand"):
                await index.request(*request_, result=None)
            assert (await index.hello()).pid == pid

    run(check)


FORK = """
import asyncio, os, sys
from pathlib import Path
from pincite.owner.client import RemoteIndex
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


def test_a_forked_client_gets_connections_of_its_own() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            forking = script(FORK, folder)
            assert forking.communicate(timeout=60) == ("", "")
            assert forking.returncode == 0

    run(check)


def test_owners_leave_no_zombies() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            for _ in range(3):
                pid = (await index.hello()).pid
                await index.leave()
                assert await gone(pid)
            assert not zombies()

    run(check)


def test_an_index_of_a_newer_version_says_so() -> None:
    async def check(folder: Path) -> None:
        catalog = SqliteCatalog(folder / "catalog.db")
        catalog._db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
        await catalog.close()
        with pytest.raises(IndexTooNew, match="newer version"):
            await client(folder).hello()

    run(check)


def test_a_damaged_catalogue_says_what_to_do() -> None:
    async def check(folder: Path) -> None:
        (folder / "catalog.db").write_bytes(b"noise" * 5_000)
        with pytest.raises(StoreError) as caught:
            await client(folder).hello()
        assert "move the index folder away" in caught.value.hint

    run(check)


def test_a_folder_that_cannot_be_owned_says_why() -> None:
    async def check(folder: Path) -> None:
        (folder / wire.LOCK).mkdir()
        with pytest.raises(IndexUnavailable, match="directory"):
            await client(folder).hello()
        with pytest.raises(IndexNotFound):
            await client(folder / "missing").hello()

    run(check)


def damage_engine(folder: Path) -> None:
    for path in (folder / "collections" / "main").rglob("*"):
        if path.is_file() and path.name != "state.json":
            path.write_bytes(b"noise")


def damage_state(folder: Path) -> None:
    (folder / "collections" / "main" / "state.json").write_bytes(b"noise")


@pytest.mark.parametrize("damage", [damage_engine, damage_state])
def test_a_broken_collection_leaves_the_others_usable_and_can_be_reset(
    damage: Callable[[Path], None],
) -> None:
    async def check(folder: Path) -> None:
        other = replace(LEXICAL_SPEC, name="other")
        async with connected(folder) as index:
            for spec in (LEXICAL_SPEC, other):
                await index.create(spec)
                await index.replace(spec.name, *A1)
            await index.leave()
            damage(folder)
            broken, fine = await index.collections()
            assert broken.broken
            assert (fine.broken, fine.documents) == ("", 1)
            with pytest.raises(StoreError) as caught:
                await index.search("main", request_for("fox"))
            assert caught.value.hint == "pincite collections rebuild main"
            with pytest.raises(StoreError):
                await index.replace("main", *A1)
            assert len(await index.page("other", None, 9)) == 1
            await index.reset(LEXICAL_SPEC)
            await index.replace("main", *A1)
            assert len(await index.page("main", None, 9)) == 1
            await index.leave()
            assert [info.broken for info in await index.collections()] == ["", ""]

    run(check)


def test_a_broken_collection_can_be_dropped() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            await index.leave()
            damage_engine(folder)
            await index.drop("main")
            assert await index.collections() == ()
            assert is_empty(folder / "collections")

    run(check)


def test_without_its_model_an_index_is_still_searched_by_word() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(DENSE_SPEC)
            await index.replace("main", *document_of("a.md", "a1", ["the brown fox"]))
            for _ in range(2):
                with pytest.raises(ModelUnavailable, match="is not in"):
                    await index.embed_query(DENSE_SPEC.dense or "", "fox")
            (sparse,) = await index.search("main", request_for("fox", dense=None))
            assert len(sparse.hits) == 1
            await index.leave()
            assert len(await index.page("main", None, 9)) == 1

    run(check)


def test_a_hung_owner_does_not_hang_its_clients() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            pid = (await index.hello()).pid
            os.kill(pid, signal.SIGSTOP)
            try:
                late = client(folder, answer_s=0.3)
                for _ in range(2):
                    with pytest.raises(IndexUnavailable) as caught:
                        await late.collections()
                    assert f"kill {pid}" in caught.value.hint
            finally:
                os.kill(pid, signal.SIGCONT)
            assert len(await late.collections()) == 1
            await late.close()

    run(check)


def test_a_cancelled_request_does_not_confuse_the_next() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            await index.replace("main", *A1)
            for number in range(50):
                asking = asyncio.create_task(index.documents("main"))
                await asyncio.sleep(0.0001 * (number % 7))
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
                assert len(await index.page("main", None, 9)) == 1

    run(check)


INTERRUPTED = """
import asyncio, sys
from pathlib import Path
from pincite.owner.client import RemoteIndex
from pincite.testing.points import document_of
async def main():
    index = RemoteIndex(Path(sys.argv[1]), Path("models"), 60.0)
    for number in range(10_000):
        texts = [f"fox{n}" for n in range(100)]
        await index.replace("main", *document_of(f"{number}.md", f"r{number}", texts, dense=False))
        print(number, flush=True)
try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_an_interrupted_client_leaves_whole_documents() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            pid = (await index.hello()).pid
            writing = script(INTERRUPTED, folder)
            assert writing.stdout is not None
            writing.stdout.readline()
            await asyncio.sleep(0.1)
            writing.send_signal(signal.SIGINT)
            output, errors = writing.communicate(timeout=10)
            assert (writing.returncode, errors) == (130, "")
            records = await index.documents("main")
            assert len(records) > int(output.split()[-1] if output else 0)
            assert len(await index.page("main", None, 99_999)) == 100 * len(records)
            assert (await index.hello()).pid == pid

    run(check)


def test_errors_travel_with_their_class_message_and_hint() -> None:
    error = StoreError("what failed", hint="what to do")
    revived = wire.revive_error(*wire.describe_error(error))
    assert (type(revived), revived.message, revived.hint) == (StoreError, error.message, error.hint)
    assert type(wire.revive_error("NoSuchError", "m", "h")) is PinciteError
    assert type(wire.revive_error("annotations", "m", "h")) is PinciteError
