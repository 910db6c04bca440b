"""One line that is rewritten stays one line, however narrow the terminal is."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import termios
import time
from collections.abc import Iterator
from typing import TextIO

import pytest

from pincite.ingestion.report import Progress
from pincite.surfaces.cli.progress import ProgressLine

HALF = Progress("index", 82, 829, 779)


@pytest.fixture
def terminal() -> Iterator[tuple[int, TextIO]]:
    """What a terminal gets, and what is written to."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        yield ours, stream
    os.close(ours)


def drawn(
    terminal: tuple[int, TextIO], columns: int, progress: Progress, *before: Progress, s: float = 0
) -> str:
    """What is drawn of a progress, `s` seconds after those `before`, or after its stage began."""
    ours, stream = terminal
    fcntl.ioctl(stream, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    line = ProgressLine(stream)
    for one in before or (Progress(progress.stage, 0, progress.total),):
        line(one)
    time.sleep(s or 0.11)  # it draws ten times a second at most
    line(progress)
    stream.write("|")
    stream.flush()
    said = ""
    while not said.endswith("|"):
        said += os.read(ours, 4096).decode()
    return said.removeprefix("\r\x1b[K").removesuffix("|")


@pytest.mark.parametrize("columns", [5, 20, 40])
def test_a_line_that_does_not_fit_is_cut(terminal: tuple[int, TextIO], columns: int) -> None:
    line = drawn(terminal, columns, HALF)
    assert len(line) < columns
    assert line.startswith("i")
    assert line.endswith("...")


def test_a_line_that_fits_is_whole(terminal: tuple[int, TextIO]) -> None:
    assert drawn(terminal, 200, HALF).startswith("indexing: 82 of 829 (10%), 779 chunks, ")


def test_a_terminal_that_does_not_know_its_size_gets_the_line(
    terminal: tuple[int, TextIO],
) -> None:
    assert "779 chunks" in drawn(terminal, 0, HALF)


def test_no_chunks_are_no_rate(terminal: tuple[int, TextIO]) -> None:
    line = drawn(terminal, 200, Progress("index", 82, 829))
    assert line == "indexing: 82 of 829 (10%)"


def test_one_is_singular(terminal: tuple[int, TextIO]) -> None:
    said = drawn(terminal, 200, Progress("index", 1, 2, 1))
    assert said.startswith("indexing: 1 of 2 (50%), 1 chunk, ")


def test_what_is_left_is_that_of_all_sources_at_the_speed_of_this_stage(
    terminal: tuple[int, TextIO],
) -> None:
    before = (
        Progress("index", 0, 400),
        Progress("index", 100, 400, 100),  # without vectors: in no time
        Progress("embed", 100, 400, 100),
    )
    said = drawn(terminal, 200, Progress("embed", 200, 400, 300), *before, s=2)
    found = re.fullmatch(
        r"keyword search works; embedding: 200 of 400 \(50%\), 300 chunks,"
        r" (\d+) per second, ([\d.]+) s left",
        said,
    )
    assert found, said
    assert 50 <= int(found[1]) <= 100
    assert 4 <= float(found[2]) <= 8
