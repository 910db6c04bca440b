"""Commands in terminals, and what stands on their screens."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pexpect
import pyte

from tests.environment import clean_environment
from tests.surfaces.conftest import Cli
from tests.time_limits import HANGS_S

ROWS, COLUMNS = 40, 120
ENTER, CTRL_C, CTRL_D, UP = "\r", "\x03", "\x04", "\x1b[A"


class Terminal:
    """A command in a terminal, and what stands on its screen."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        clean: dict[str, Any] = clean_environment() | {"PINCITE_IDLE_S": "60", "TERM": "xterm"}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "pincite.surfaces.cli.app", *arguments],
            cwd=str(folder),
            env=clean | {"PINCITE_OFFLINE": "1", "PROMPT_TOOLKIT_NO_CPR": "1"},
            dimensions=(ROWS, COLUMNS),
            timeout=HANGS_S,
        )

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def until(self, said: str, times: int = 1) -> str:
        """Read until that stands on the screen."""
        end = time.monotonic() + HANGS_S
        while self.text.count(said) < times:
            assert time.monotonic() < end, self.text
            try:
                self._stream.feed(self.child.read_nonblocking(10_000, 0.2))
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                break
        assert self.text.count(said) >= times, self.text
        return self.text

    def keys(self, keys: str) -> None:
        self.child.send(keys)

    def code(self) -> int | None:
        self.child.expect(pexpect.EOF)
        self._stream.feed(self.child.before or b"")
        self.child.close()
        status: int | None = self.child.exitstatus
        return status


@contextmanager
def terminal(folder: Path, *arguments: str) -> Iterator[Terminal]:
    opened = Terminal(folder, *arguments)
    try:
        yield opened
    finally:
        opened.child.close(force=True)


def on_terminal(cli: Cli, *arguments: str, **variables: str) -> tuple[str, str, int]:
    """What the command writes to a terminal as its stdout and another one as its stderr."""
    shown: dict[str, bytes] = {"stdout": b"", "stderr": b""}

    def read(name: str, end: int) -> None:
        while True:
            try:
                piece = os.read(end, 65536)
            except OSError:  # all other ends are closed
                piece = b""
            if not piece:
                return
            shown[name] += piece

    pairs = {name: pty.openpty() for name in shown}
    for _, theirs in pairs.values():
        tty.setraw(theirs)  # a newline stays one
    readers = [Thread(target=read, args=(name, ours)) for name, (ours, _) in pairs.items()]
    process = subprocess.Popen(
        [sys.executable, "-m", "pincite.surfaces.cli.app", *arguments],
        cwd=cli.folder,
        env=clean_environment()
        | {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1", "TERM": "xterm"}
        | variables,
        stdin=subprocess.DEVNULL,
        stdout=pairs["stdout"][1],
        stderr=pairs["stderr"][1],
    )
    for reader in readers:
        reader.start()
    for _, theirs in pairs.values():
        os.close(theirs)
    code = process.wait(timeout=HANGS_S)
    for reader in readers:
        reader.join(timeout=HANGS_S)
    for ours, _ in pairs.values():
        os.close(ours)
    return shown["stdout"].decode(), shown["stderr"].decode(), code
