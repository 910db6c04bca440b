"""Show the progress of a long run on stderr: one updated line on a terminal, otherwise a new line
from time to time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from pincite.support.counted import counted
from pincite.support.terminal import control

if TYPE_CHECKING:
    from pincite.ingestion.report import Progress

_REDRAW_S = 0.1
_PLAIN_EVERY_S = 10.0
_PLAIN_FIRST_S = 0.9
_PATIENCE_S = 0.5  # before the message about waiting is shown
_CUT = "..."
_CLEARED = "\r\x1b[K"  # moves the cursor to the start of the line and clears it
_WORDS = {
    "read": "reading files",
    "diff": "looking for changes",
    "index": "indexing",
    "embed": "keyword search works; embedding",
    "weigh": "computing keyword weights again",
}


class ProgressLine:
    """A progress line. Call it with each `Progress`; `done` clears the line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._started_s = self._drawn_s = time.monotonic()
        if not self._terminal:  # the first line appears sooner than the second
            self._drawn_s -= _PLAIN_EVERY_S - _PLAIN_FIRST_S
        self._open = False
        self._first: Progress | None = None  # of the current stage
        self._first_s = 0.0

    def begin(self, words: str) -> None:
        """Show the current work before it can be counted, only on a terminal."""
        if self._terminal and not self._open:
            self._write(f"{words} ...")

    def __call__(self, progress: Progress) -> None:
        now_s = time.monotonic()
        first = self._first
        if first is None or first.stage != progress.stage or first.done > progress.done:
            first = self._first = progress
            self._first_s = now_s
        if progress.total and self._is_due(now_s):
            self._write(self._line(progress, first, now_s - self._first_s))

    def records(self, stage: str, done: int, total: int, failed: int) -> None:
        """Show the progress of writing records, whose total number is unknown."""
        now_s = time.monotonic()
        if not self._is_due(now_s):
            return
        if stage == "weigh":
            self._write(f"{_WORDS[stage]}: {done:,} of {counted(total, 'chunk')}")
            return
        rate = done / max(now_s - self._started_s, 0.001)
        lost = f", {failed:,} failed" if failed else ""
        self._write(f"writing: {counted(done, 'record')}{lost}, {rate:.0f} per second")

    def fetching(self, stage: str, done: int, total: int) -> None:
        """Show the progress of a download, in bytes."""
        if self._is_due(time.monotonic()):
            amount = f" {done / 1e6:.0f} of {total / 1e6:.0f} MB" if total else ""
            self._write(f"{stage}{amount}")

    def done(self) -> None:
        """Clear the line on the terminal."""
        if self._open:
            control(self._stream, _CLEARED)
            self._stream.flush()
            self._open = False

    def _is_due(self, now_s: float) -> bool:
        """Return whether it is time for the next line, and if so, record this time."""
        if now_s - self._drawn_s < (_REDRAW_S if self._terminal else _PLAIN_EVERY_S):
            return False
        self._drawn_s = now_s
        return True

    def _write(self, line: str) -> None:
        if self._terminal:
            control(self._stream, _CLEARED)
            self._stream.write(self._fitting(line))
            self._open = True
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def _fitting(self, line: str) -> str:
        """Cut the line to one row of the terminal, because several rows cannot be overwritten."""
        columns = 0
        with suppress(OSError):
            columns = os.get_terminal_size(self._stream.fileno()).columns
        if not 0 < columns <= len(line):
            return line
        return f"{line[: max(0, columns - len(_CUT) - 1)]}{_CUT}"

    @staticmethod
    def _line(progress: Progress, first: Progress, elapsed_s: float) -> str:
        """Return the line. `first` is the first progress of the stage, `elapsed_s` seconds ago."""
        share = progress.done / progress.total
        words = _WORDS[progress.stage]
        line = f"{words}: {progress.done:,} of {progress.total:,} ({share:.0%})"
        if progress.stage in ("index", "embed") and progress.chunks and elapsed_s > 0:
            line += f", {counted(progress.chunks, 'chunk')}"
            line += f", {(progress.chunks - first.chunks) / elapsed_s:.0f} per second"
        done = progress.done - first.done
        if done and progress.done < progress.total and elapsed_s > 1:
            line += f", {duration(elapsed_s * (progress.total - progress.done) / done)} left"
        return line


@contextmanager
def waiting(stream: TextIO, words: str) -> Iterator[None]:
    """On a terminal, show `words` if the block takes longer than half a second."""
    if not stream.isatty():
        yield
        return
    line = ProgressLine(stream)
    lock, over = threading.Lock(), False

    def begin() -> None:
        with lock:
            if not over:
                line.begin(words)

    timer = threading.Timer(_PATIENCE_S, begin)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            over = True
            line.done()


def duration(seconds: float) -> str:
    """Format a duration: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class CountLine(ProgressLine):
    """A progress line for counts. Call it with the number done and the total."""

    def __init__(self, stream: TextIO, words: str) -> None:
        super().__init__(stream)
        self._words = words

    def count(self, done: int, total: int) -> None:
        """Show the count, unless the last line is too recent."""
        now_s = time.monotonic()
        if not total or not self._is_due(now_s):
            return
        line = f"{self._words}: {done:,} of {total:,} ({done / total:.0%})"
        if done and now_s - self._started_s > 1:
            left_s = (now_s - self._started_s) * (total - done) / done
            line += f", {duration(left_s)} left"
        self._write(line)
