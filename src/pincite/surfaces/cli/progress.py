"""How far a long run is, on stderr: a line that is rewritten on a terminal, else a few lines."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from pincite.support.terminal import control

if TYPE_CHECKING:
    from pincite.ingestion.report import Progress

_REDRAW_S = 0.1
_PLAIN_EVERY_S = 10.0
_PLAIN_FIRST_S = 0.9
_PATIENCE_S = 0.5  # before a search says what it waits for
_CLEARED = "\r\x1b[K"  # the cursor goes to the beginning of its line, which becomes empty
_WORDS = {
    "diff": "looking for changes",
    "index": "indexing",
    "embed": "searchable by word; encoding",
    "weigh": "weighing again",
}


class ProgressLine:
    """Call it with each `Progress`; `done` clears the line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._started_s = self._drawn_s = time.monotonic()
        if not self._terminal:  # the first line comes sooner than the second
            self._drawn_s -= _PLAIN_EVERY_S - _PLAIN_FIRST_S
        self._open = False

    def begin(self, words: str) -> None:
        """Say what is under way before anything of it can be counted; on a terminal only."""
        if self._terminal and not self._open:
            self._write(f"{words} ...")

    def __call__(self, progress: Progress) -> None:
        now_s = time.monotonic()
        if progress.stage == "diff":
            self._started_s = now_s
        if progress.total and self._is_due(now_s):
            self._write(self._line(progress, now_s - self._started_s))

    def records(self, stage: str, done: int, total: int, failed: int) -> None:
        """The progress of writing records, of which nobody knows how many there are."""
        now_s = time.monotonic()
        if not self._is_due(now_s):
            return
        if stage == "weigh":
            self._write(f"{_WORDS[stage]}: {done:,} of {total:,} chunks")
            return
        rate = done / max(now_s - self._started_s, 0.001)
        lost = f", {failed:,} failed" if failed else ""
        self._write(f"writing: {done:,} records{lost}, {rate:.0f} per second")

    def fetching(self, stage: str, done: int, total: int) -> None:
        """The progress of a download, in bytes."""
        if self._is_due(time.monotonic()):
            amount = f" {done / 1e6:.0f} of {total / 1e6:.0f} MB" if total else ""
            self._write(f"{stage}{amount}")

    def done(self) -> None:
        """Remove what stands on the terminal's line."""
        if self._open:
            control(self._stream, _CLEARED)
            self._stream.flush()
            self._open = False

    def _is_due(self, now_s: float) -> bool:
        """Was a line drawn long enough ago? Then one is drawn now."""
        if now_s - self._drawn_s < (_REDRAW_S if self._terminal else _PLAIN_EVERY_S):
            return False
        self._drawn_s = now_s
        return True

    def _write(self, line: str) -> None:
        if self._terminal:
            control(self._stream, _CLEARED)
            self._stream.write(line)
            self._open = True
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    @staticmethod
    def _line(progress: Progress, elapsed_s: float) -> str:
        share = progress.done / progress.total
        words = _WORDS[progress.stage]
        line = f"{words}: {progress.done:,} of {progress.total:,} ({share:.0%})"
        if progress.stage in ("index", "embed") and elapsed_s > 0:
            line += f", {progress.chunks:,} chunks, {progress.chunks / elapsed_s:.0f} per second"
        if 0 < share < 1 and elapsed_s > 1:
            line += f", {duration(elapsed_s / share - elapsed_s)} left"
        return line


@contextmanager
def waiting(stream: TextIO, words: str) -> Iterator[None]:
    """Say what is waited for, on a terminal, if it takes longer than a moment."""
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
    """A duration as people say it: `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class CountLine(ProgressLine):
    """Call it with what is done and the total."""

    def __init__(self, stream: TextIO, words: str) -> None:
        super().__init__(stream)
        self._words = words

    def count(self, done: int, total: int) -> None:
        """Show it, unless that was just done."""
        now_s = time.monotonic()
        if not total or not self._is_due(now_s):
            return
        line = f"{self._words}: {done:,} of {total:,} ({done / total:.0%})"
        if done and now_s - self._started_s > 1:
            left_s = (now_s - self._started_s) * (total - done) / done
            line += f", {duration(left_s)} left"
        self._write(line)
