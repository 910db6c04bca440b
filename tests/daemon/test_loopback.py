"""Who may talk to a daemon that listens on the loopback network, and to whom a client talks."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.daemon.wire import loopback
from pincite.daemon.wire.loopback import (
    FILE,
    HOST,
    dial,
    dial_blocking,
    read_address,
    write_address,
)

LIMIT = 65_536
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def echo(place: Path, seen: list[bytes]) -> AsyncIterator[asyncio.Server]:
    """A server that says what it is told, and notes it."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            seen.append(line)
            writer.write(line)
            await writer.drain()
        writer.close()

    server = await loopback.listen(place, serve, 16, LIMIT)
    try:
        yield server
    finally:
        server.close()


async def said(stream: Stream, line: bytes) -> bytes:
    stream[1].write(line)
    try:
        return await stream[0].readline()
    except ConnectionError:
        return b""
    finally:
        stream[1].close()


def check(work: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await work()
        served = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*served, return_exceptions=True)
        for _ in range(5):  # sockets are closed by what comes next in the loop
            await asyncio.sleep(0)

    asyncio.run(run())


def test_who_has_the_key_is_served_and_the_port_is_of_this_machine_alone(tmp_path: Path) -> None:
    async def work() -> None:
        seen: list[bytes] = []
        async with echo(tmp_path, seen) as server:
            assert [one.getsockname()[0] for one in server.sockets] == [HOST]
            assert await said(await dial(tmp_path, LIMIT), b"hello\n") == b"hello\n"
            stream = await asyncio.to_thread(dial_blocking, tmp_path, 60.0)
            with stream:
                await asyncio.to_thread(stream.sendall, b"again\n")
                assert await asyncio.to_thread(stream.recv, 100) == b"again\n"
        assert seen == [b"hello\n", b"again\n"]

    check(work)


def test_no_side_of_a_connection_waits_for_an_ack_before_it_sends(tmp_path: Path) -> None:
    """Both sides have TCP_NODELAY: a request is small, and follows the proof at once."""

    async def work() -> None:
        accepted: list[int] = []

        async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accepted.append(_no_delay(writer.get_extra_info("socket")))
            writer.close()

        server = await loopback.listen(tmp_path, serve, 16, LIMIT)
        reader, writer = await dial(tmp_path, LIMIT)
        assert _no_delay(writer.get_extra_info("socket"))
        assert await reader.read() == b""
        writer.close()
        with await asyncio.to_thread(dial_blocking, tmp_path, 60.0) as stream:
            assert _no_delay(stream)
            assert await asyncio.to_thread(stream.recv, 1) == b""
        server.close()
        assert len(accepted) == 2
        assert all(accepted)

    check(work)


def _no_delay(line: socket.socket) -> int:
    return line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize("opening", [b"", b"x" * 32, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
def test_nobody_without_the_key_gets_as_far_as_a_request(opening: bytes, tmp_path: Path) -> None:
    async def work() -> None:
        seen: list[bytes] = []
        async with echo(tmp_path, seen) as server:
            port = server.sockets[0].getsockname()[1]
            stream = await asyncio.open_connection(HOST, port)
            stream[1].write(opening + b"\0" * 64 + b"hello\n")
            try:
                stream[1].write_eof()
                told = await stream[0].read()
            except OSError:
                told = b""
            stream[1].close()
            assert len(told) in (0, 64)  # random bytes and a proof, and then the end
            assert await said(await dial(tmp_path, LIMIT), b"hello\n") == b"hello\n"
        assert seen == [b"hello\n"]

    check(work)


def test_a_proof_of_the_daemon_is_none_of_a_client(tmp_path: Path) -> None:
    """A stranger who sends a daemon's own words back to it, of this or of another connection."""

    async def work() -> None:
        seen: list[bytes] = []
        async with echo(tmp_path, seen) as server:
            port = server.sockets[0].getsockname()[1]
            one = await asyncio.open_connection(HOST, port)
            one[1].write(b"a" * 32)
            told = await one[0].readexactly(64)
            other = await asyncio.open_connection(HOST, port)
            other[1].write(told[:32])
            reflected = await other[0].readexactly(64)
            one[1].write(reflected[32:])
            other[1].write(told[32:])
            assert await said(one, b"hello\n") == b""
            assert await said(other, b"hello\n") == b""
        assert seen == []

    check(work)


def test_the_words_of_an_earlier_client_open_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        seen: list[bytes] = []
        async with echo(tmp_path, seen) as server:
            port = server.sockets[0].getsockname()[1]
            address = read_address(tmp_path)
            assert address is not None
            stream = await asyncio.open_connection(HOST, port)
            stream[1].write(b"a" * 32)
            told = await stream[0].readexactly(64)
            proof = loopback._answer(address.key, b"a" * 32, told)
            again = await asyncio.open_connection(HOST, port)
            again[1].write(b"a" * 32 + proof)
            await again[0].readexactly(64)
            assert await said(again, b"hello\n") == b""
            stream[1].write(proof)
            assert await said(stream, b"mine\n") == b"mine\n"
        assert seen == [b"mine\n"]

    check(work)


def test_a_stranger_on_the_port_learns_neither_the_key_nor_the_question(tmp_path: Path) -> None:
    heard: list[bytes] = []
    with socket.create_server((HOST, 0)) as listening:
        address = write_address(tmp_path, listening.getsockname()[1])

        def pretend() -> None:
            for _ in range(2):
                stream, _address = listening.accept()
                with stream:
                    stream.sendall(b"\0" * 64)
                    part = b"-"
                    try:
                        while part:
                            part = stream.recv(1000)
                            heard.append(part)
                    except ConnectionError:
                        continue

        thread = threading.Thread(target=pretend)
        thread.start()
        with pytest.raises(ConnectionRefusedError):
            asyncio.run(dial(tmp_path, LIMIT))
        with pytest.raises(ConnectionRefusedError):
            dial_blocking(tmp_path, 60.0)
        thread.join()
    assert len(b"".join(heard)) == 2 * 32  # what was random
    assert address.key not in b"".join(heard)


def test_strangers_who_say_nothing_keep_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loopback, "_STRANGERS", 4)

    async def work() -> None:
        seen: list[bytes] = []
        async with echo(tmp_path, seen) as server:
            port = server.sockets[0].getsockname()[1]
            silent = [await asyncio.open_connection(HOST, port) for _ in range(20)]
            assert await said(await dial(tmp_path, LIMIT), b"hello\n") == b"hello\n"
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await silent[0][0].readexactly(1)  # it was hung up on, as the oldest
            for _, writer in silent:
                writer.transport.abort()

    check(work)


def test_one_who_is_silent_is_hung_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "PROVE_S", 0.05)

    async def work() -> None:
        async with echo(tmp_path, []) as server:
            stream = await asyncio.open_connection(HOST, server.sockets[0].getsockname()[1])
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await stream[0].readexactly(1)
            stream[1].close()

    check(work)


def test_the_key_is_for_its_user_alone_and_another_each_time(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        first = write_address(tmp_path, 1234)
        assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
        second = write_address(tmp_path, 1234)
    finally:
        os.umask(mask)
    assert first.key != second.key
    assert read_address(tmp_path) == second
    assert [one.name for one in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("hostile", ["open", "link", "pipe", "folder"])
def test_an_address_that_others_may_have_put_there_is_not_believed(
    hostile: str, tmp_path: Path
) -> None:
    file = tmp_path / FILE
    write_address(tmp_path, 1234)
    if hostile == "open":
        file.chmod(0o640)
    elif hostile == "link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    else:
        file.unlink()
        file.mkdir() if hostile == "folder" else os.mkfifo(file)
    assert read_address(tmp_path) is None
    with pytest.raises(ConnectionRefusedError):
        asyncio.run(dial(tmp_path, LIMIT))


def test_a_link_in_the_place_of_the_address_is_replaced_not_followed(tmp_path: Path) -> None:
    place = tmp_path / "index"
    place.mkdir()
    (tmp_path / "precious").write_text("mine")
    (place / FILE).symlink_to(tmp_path / "precious")
    write_address(place, 1234)
    assert (tmp_path / "precious").read_text() == "mine"
    assert not (place / FILE).is_symlink()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=80) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
DAMAGED = st.one_of(
    st.binary(max_size=200),
    st.fixed_dictionaries({"port": JSON, "key": JSON}).map(lambda one: json.dumps(one).encode()),
)


@given(raw=DAMAGED)
def test_a_damaged_address_is_none(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.getbasetemp()
    (place / FILE).write_bytes(raw)
    (place / FILE).chmod(0o600)
    assert read_address(place) is None


def test_where_modes_keep_nobody_out_the_key_is_in_the_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, home = tmp_path / "index", tmp_path / "home"
    index.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(loopback, "FILE_MODES", False)
    written = write_address(index, 1234)
    assert read_address(index) == written
    assert list(index.iterdir()) == []
    assert len(list(home.rglob("*.tcp"))) == 1
    assert read_address(tmp_path) is None  # of another index
