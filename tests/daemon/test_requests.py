"""What clients send, and what comes back."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from pincite.daemon.client.remote_index import RemoteIndex
from pincite.daemon.client.spawn import Stream
from pincite.daemon.client.start_early import started
from pincite.daemon.wire import protocol
from pincite.errors import (
    IndexUnavailable,
    PinciteError,
    StoreError,
)
from pincite.testing.points import LEXICAL_SPEC
from tests.daemon.daemons import A1, client, connected, run, script
from tests.time_limits import HANGS_S


async def raw(folder: Path, sent: bytes) -> bytes:
    """What comes back for some bytes, until the daemon hangs up."""
    with protocol.socket_address(folder) as address:
        reader, writer = await asyncio.open_unix_connection(address)
    writer.write(sent)
    writer.write_eof()
    async with asyncio.timeout(HANGS_S):
        answer = await reader.read()
    writer.close()
    return answer


def memory_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def test_requests_that_wait_for_one_start_have_its_error() -> None:
    async def check(folder: Path) -> None:
        (folder / "catalog.db").write_bytes(b"no database " * 1_000)
        index = client(folder)
        asked = (index.collections(), index.collections(), index.sources("main"))
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert len({id(one) for one in found}) == 1
        assert isinstance(found[0], PinciteError)
        assert (folder / protocol.LOG).read_text().count(" ERROR ") == 1
        with pytest.raises(PinciteError):  # another attempt
            await index.collections()
        assert (folder / protocol.LOG).read_text().count(" ERROR ") == 2

    run(check)


def test_an_attempt_that_is_cancelled_fails_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even after an earlier one has failed."""
    outcomes = iter(("fail", "wait", "connect"))
    connect = RemoteIndex._connect

    async def outcome(self: RemoteIndex) -> Stream:
        what = next(outcomes)
        if what == "fail":
            raise IndexUnavailable("an old failure")
        if what == "wait":
            await asyncio.sleep(HANGS_S)
        return await connect(self)

    async def check(folder: Path) -> None:
        monkeypatch.setattr(RemoteIndex, "_connect", outcome)
        async with connected(folder) as index:
            with pytest.raises(IndexUnavailable, match="an old failure"):
                await index.collections()
            first = asyncio.create_task(index.collections())
            await asyncio.sleep(0.05)
            second = asyncio.create_task(index.collections())
            await asyncio.sleep(0.05)
            first.cancel()
            assert await second == ()

    run(check)


async def repeated(act: Callable[[], None]) -> None:
    while True:
        act()
        await asyncio.sleep(0.01)


def test_a_start_that_has_failed_is_told_and_not_tried_again() -> None:
    async def check(folder: Path) -> None:
        (folder / "catalog.db").write_bytes(b"no database " * 1_000)
        async with started(client(folder), folder) as failed:
            with pytest.raises(PinciteError):
                await asyncio.wait_for(repeated(failed), HANGS_S)
        assert (folder / protocol.LOG).read_text().count(" ERROR ") == 1

    run(check)


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
            for body in (
                b"",
                b"\xc1",
                b"x" * 1_000,
                protocol.encode(["search"]),
                protocol.encode(42),
            ):
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


def test_a_hung_daemon_does_not_hang_its_clients() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            pid = (await index.hello()).pid
            os.kill(pid, signal.SIGSTOP)
            try:
                late = client(folder, answer_s=2.0)
                for _ in range(2):
                    with pytest.raises(IndexUnavailable) as caught:
                        await late.collections()
                    assert f"kill -9 {pid}" in caught.value.hint
            finally:
                os.kill(pid, signal.SIGCONT)
            assert len(await late.collections()) == 1
            await late.close()

    run(check)


def test_a_cancelled_request_does_not_confuse_the_next() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            await index.replace("main", [A1])
            for number in range(50):
                asking = asyncio.create_task(index.documents("main"))
                await asyncio.sleep(0.0001 * (number % 7))
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)
                assert len(await index.page("main", None, 9)) == 1

    run(check)


INTERRUPTED = """
import asyncio, signal, sys
from pathlib import Path
from pincite.daemon.client.remote_index import RemoteIndex
from pincite.testing.points import document_of
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
async def main():
    index = RemoteIndex(Path(sys.argv[1]), Path("models"), 60.0)
    for number in range(10_000):
        texts = [f"fox{n}" for n in range(100)]
        await index.replace("main", [document_of(f"{number}.md", f"r{number}", texts, dense=False)])
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
            output, errors = writing.communicate(timeout=600)
            assert (writing.returncode, errors) == (130, "")
            records = await index.documents("main")
            assert len(records) > int(output.split()[-1] if output else 0)
            assert len(await index.page("main", None, 99_999)) == 100 * len(records)
            assert (await index.hello()).pid == pid

    run(check)


def test_errors_travel_with_their_class_message_and_hint() -> None:
    error = StoreError("what failed", hint="what to do")
    revived = protocol.revive_error(*protocol.describe_error(error))
    assert (type(revived), revived.message, revived.hint) == (StoreError, error.message, error.hint)
    assert type(protocol.revive_error("NoSuchError", "m", "h")) is PinciteError
    assert type(protocol.revive_error("annotations", "m", "h")) is PinciteError
