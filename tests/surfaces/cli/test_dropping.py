"""A collection is dropped when a person has agreed, or with `--yes`."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import sys

import pytest

from pincite import AsyncPincite, load_settings
from tests.environment import clean_environment
from tests.surfaces.cli.interrupts import heed_interrupts
from tests.surfaces.conftest import Cli
from tests.time_limits import HANGS_S


@pytest.fixture
def indexed(cli: Cli) -> Cli:
    cli.write("guide.md", "# Keys\n\nTo rotate a key, call rotate_key.\n")
    cli("index", ".", "--lexical")
    return cli


def answered(cli: Cli, answer: bytes) -> tuple[int, str]:
    """`collections drop main` with a terminal as stdin, on which somebody types."""
    ours, theirs = pty.openpty()
    os.write(ours, answer)
    done = subprocess.run(
        [sys.executable, "-m", "pincite.surfaces.cli.app", "collections", "drop", "main"],
        cwd=cli.folder,
        env=clean_environment() | {"PINCITE_OFFLINE": "1", "PINCITE_IDLE_S": "60"},
        stdin=theirs,
        capture_output=True,
        check=False,
        timeout=HANGS_S,
    )
    os.close(theirs)
    os.close(ours)
    return done.returncode, done.stderr.decode()


def test_where_nobody_can_be_asked_it_wants_yes(indexed: Cli) -> None:
    refused = indexed("collections", "drop", "main", code=2).stderr
    assert "main has 1 document, 1 chunk" in refused
    assert "try: pincite collections drop main --yes" in refused
    assert "main: 1 document" in indexed("collections").stdout
    indexed("collections", "drop", "main", "--yes")
    assert indexed("collections").stdout == ""


@pytest.mark.parametrize("answer", [b"n\n", b"\n", b"\x04"])
def test_anything_but_yes_keeps_it(indexed: Cli, answer: bytes) -> None:
    code, said = answered(indexed, answer)
    assert code == 1
    assert "Drop main with 1 document, 1 chunk? [y/N] " in said
    assert "main was kept" in said
    assert "main: 1 document" in indexed("collections").stdout


def test_yes_drops_it(indexed: Cli) -> None:
    code, said = answered(indexed, b"y\n")
    assert code == 0
    assert "main was dropped" in said
    assert indexed("collections").stdout == ""


def test_what_is_not_there_is_said_before_anything_is_asked(indexed: Cli) -> None:
    assert "'nope'" in indexed("collections", "drop", "nope", code=2).stderr


def interrupted(cli: Cli, *command: str) -> tuple[int, str]:
    """A command that is interrupted while it asks, with a terminal where nobody types."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "pincite.surfaces.cli.app", *command],
        cwd=cli.folder,
        env=clean_environment() | {"PINCITE_OFFLINE": "1", "PINCITE_IDLE_S": "60"},
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        preexec_fn=heed_interrupts,
    ) as process:
        os.close(theirs)
        said = b""
        while b"[y/N] " not in said:
            said += os.read(ours, 4_096)
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(timeout=HANGS_S)
        finally:
            process.kill()
    os.close(ours)
    return code, said.decode()


def test_an_interrupt_ends_every_question_at_once(cli: Cli) -> None:
    cli.write("a.jsonl", '{"id": "t1", "text": "The printer is on fire."}\n')
    cli("import", "a.jsonl", "--lexical")
    code, said = interrupted(cli, "delete", "--id", "t1")
    assert "Delete 1 record? [y/N] " in said
    assert code == 130
    assert "main: 1 record" in cli("collections").stdout

    async def begun() -> str:
        async with AsyncPincite(load_settings({}, cli.folder)) as engine:
            return await engine.begin_conversation(title="what burns?")

    conversation = asyncio.run(begun())
    code, said = interrupted(cli, "conversations", "delete", conversation)
    assert "Delete 0 turns? [y/N] " in said
    assert code == 130
    assert conversation in cli("conversations", "list").stdout
