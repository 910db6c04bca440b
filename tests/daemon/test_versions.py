"""Programs of two versions of Pincite on one index: the newer one wins, and nobody is cut off."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite import version
from pincite.daemon.file_leases import FileLeases
from pincite.daemon.wire import protocol as wire
from pincite.daemon.wire.compatibility import compare
from pincite.errors import DaemonOfAnotherVersion
from pincite.ports import Waiting
from pincite.testing.points import LEXICAL_SPEC
from tests.daemon.daemons import A1, client, connected, daemon, run, script

#: So long a client waits until nobody uses the daemon. A busy machine answers within it.
HASTY_S = 2.0
DAEMON = """
import sys
from pincite import version
version.VERSION = sys.argv[2]
from pincite.daemon.__main__ import main
sys.exit(main(sys.argv[1], "models", "60"))
"""

CLIENT = """
import asyncio, sys
from pathlib import Path
from pincite import version
version.VERSION = sys.argv[2]
from pincite.daemon.client.remote_index import RemoteIndex
async def main():
    index = RemoteIndex(Path(sys.argv[1]), Path("models"), 60.0)
    for number in range(int(sys.argv[3])):
        found = len(await index.collections())
        if number == 0:
            print(found, flush=True)
        await asyncio.sleep(0)
try:
    asyncio.run(main())
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


def test_an_older_daemon_that_nobody_uses_makes_room() -> None:
    async def check(folder: Path) -> None:
        with daemon(DAEMON, folder, "0.0.1") as old:
            async with connected(folder) as index:
                identity = await index.hello()
                assert identity.version == version.VERSION
                assert identity.pid != old.pid
            assert old.communicate(timeout=600) == ("", "")
            assert old.returncode == 0

    run(check)


def test_an_older_daemon_in_use_stays_and_both_versions_are_named() -> None:
    async def check(folder: Path) -> None:
        with daemon(DAEMON, folder, "0.0.1") as old:
            using = script(CLIENT, folder, "0.0.1", 10**9)
            assert using.stdout is not None
            assert using.stdout.readline() == "0\n"
            hasty = client(folder, answer_s=HASTY_S)
            with pytest.raises(DaemonOfAnotherVersion) as caught:
                await hasty.collections()
            assert f"process {old.pid}" in caught.value.message
            assert "version 0.0.1, older than this version" in caught.value.message
            assert version.VERSION in caught.value.message
            assert "pincite stop" in caught.value.hint
            assert using.poll() is None
            using.kill()
            using.communicate()
            async with connected(folder) as patient:  # which waits until nobody does
                assert (await patient.hello()).version == version.VERSION

    run(check)


def test_an_older_daemon_is_in_use_while_a_process_indexes_and_asks_nothing() -> None:
    async def check(folder: Path) -> None:
        with daemon(DAEMON, folder, "0.0.1"):
            await asyncio.sleep(1.1)
            hasty = client(folder, answer_s=HASTY_S)
            async with FileLeases(folder).take("main", "indexing", Waiting(600.0)):
                with pytest.raises(DaemonOfAnotherVersion, match="in use"):
                    await hasty.collections()
            assert await hasty.collections() == ()
            await hasty.leave()

    run(check)


OTHER_MESSAGES = """
import sys
import msgspec
from pincite.daemon.server import service
from pincite.daemon.wire import protocol
from pincite.daemon.__main__ import main
kind = sys.argv[2]
class Daemon(service.Daemon):
    async def hello(self):
        identity = await super().hello()
        if kind == "handshake":
            return {"protocol": identity.protocol, "version": identity.version, "pid": "?"}
        return identity
    async def documents_after(self, collection, source, after, limit):
        return [{"name": "a.md"}] if kind == "answer" else ()
service.Daemon = Daemon
if kind == "fingerprint":
    protocol.SHAPE = "of other messages"
sys.exit(main(sys.argv[1], "models", "60"))
"""


@pytest.mark.parametrize("kind", ["fingerprint", "handshake", "answer"])
def test_a_daemon_with_the_same_number_and_other_messages_is_replaced(kind: str) -> None:
    """As while Pincite is being changed. The call that meets it goes on with another daemon."""

    async def check(folder: Path) -> None:
        with daemon(OTHER_MESSAGES, folder, kind) as other:
            async with connected(folder) as index:
                await index.create(LEXICAL_SPEC)
                assert await index.documents("main") == ()
                assert (await index.hello()).pid != other.pid
            assert await asyncio.to_thread(other.wait, 600) == 0

    run(check)


def test_a_daemon_with_other_messages_in_use_stays_for_now() -> None:
    async def check(folder: Path) -> None:
        with daemon(OTHER_MESSAGES, folder, "fingerprint") as other:
            async with FileLeases(folder).take("main", "indexing", Waiting(600.0)):
                with pytest.raises(DaemonOfAnotherVersion, match="in use"):
                    await client(folder, answer_s=HASTY_S).collections()
            assert other.poll() is None

    run(check)


def test_a_newer_daemon_stays_and_the_older_program_says_how_to_go_on() -> None:
    async def check(folder: Path) -> None:
        with daemon(DAEMON, folder, "99.1") as new:
            index = client(folder)
            for _ in range(2):
                with pytest.raises(DaemonOfAnotherVersion) as caught:
                    await index.collections()
                assert "version 99.1, newer than this version" in caught.value.message
                assert "pip install 'pincite==99.1'" in caught.value.hint
                assert "pincite stop" in caught.value.hint
            assert new.poll() is None
            await index.leave()  # what `pincite stop` does
            assert await index.collections() == ()
            await index.leave()

    run(check)


def test_a_program_under_which_an_older_version_was_installed_says_so() -> None:
    """What it starts is always older than itself."""

    async def check(folder: Path) -> None:
        newer = script(CLIENT, folder, "9.0", 1)
        output, errors = newer.communicate(timeout=600)
        assert (output, newer.returncode) == ("", 1)
        assert errors.startswith("DaemonOfAnotherVersion: ")
        assert "start the program again" in errors
        await client(folder).leave()

    run(check)


def test_two_versions_do_not_take_the_index_from_each_other_in_turns() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            await index.replace("main", [A1])
            pid = (await index.hello()).pid
            for _ in range(2):
                old = script(CLIENT, folder, "0.0.1", 1)
                output, errors = old.communicate(timeout=600)
                assert (output, old.returncode) == ("", 1)
                assert errors.startswith("DaemonOfAnotherVersion: ")
                assert len(await index.documents("main")) == 1
            assert (await index.hello()).pid == pid

    run(check)


def test_what_answers_without_making_sense_is_not_a_daemon() -> None:
    async def check(folder: Path) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await wire.read_frame(reader)
            await wire.write_frame(writer, b"something else")
            writer.close()

        with wire.socket_address(folder) as address:
            server = await asyncio.start_unix_server(answer, address)
        with pytest.raises(DaemonOfAnotherVersion, match="does not understand"):
            await client(folder).collections()
        server.close()

    run(check)


@pytest.mark.parametrize(
    ("number", "protocol", "standing"),
    [
        (version.VERSION, wire.PROTOCOL, "same"),
        (version.VERSION, wire.PROTOCOL - 1, "older"),
        (version.VERSION, wire.PROTOCOL + 1, "newer"),
        (f"{version.VERSION}.dev1", wire.PROTOCOL, "older"),
        (f"{version.VERSION}.post1", wire.PROTOCOL, "newer"),
        ("10.0", wire.PROTOCOL, "newer"),
        ("some fork", wire.PROTOCOL, "newer"),
    ],
)
def test_versions_are_ordered_as_pip_orders_them(number: str, protocol: int, standing: str) -> None:
    shape = wire.SHAPES.get(protocol, "")
    assert compare(wire.Identity(protocol, number, 1, shape=shape)) == standing
    if standing == "same":
        assert compare(wire.Identity(protocol, number, 1, shape="another")) == "older"
