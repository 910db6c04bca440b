"""Extract the text of a file in a separate process: a failure affects only that file.

One process reads many files, one after the other. If a file crashes it, or takes too much time or
memory, the process is ended and the next file gets another one. Extractions are cached by content
for a while: citations of a file are read, checked and shown soon after each other.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from typing import Final

import msgspec

from pincite.errors import SourceError
from pincite.readers.extraction.child import end_child, start_child
from pincite.readers.extraction.extractors import (
    EXTRACTORS,
    OCR,
    extracted_suffix,
    extractor_name,
    is_missing,
    ocr_is_missing,
    recognises,
)
from pincite.readers.extraction.result import MOST_CHARS, PAGE_S, Extraction, fault_of, refused
from pincite.support.decodable import ready
from pincite.support.fields import replace
from pincite.support.processes.pipes import read_block, write_block

LIMIT_S: Final = 120.0  # guess, unmeasured: 1,000 pages with tables take half of it
MEMORY_BYTES: Final = 2_000_000_000
_MOST_ANSWER: Final = 500_000_000  # bytes: text, elements and pictures
_KEPT_BYTES: Final = 64_000_000
_KEPT_REFUSALS: Final = 1_000
_KEPT_IDLE: Final = 2  # idle processes; each has 50 MB and ends by itself
_ELEMENT_BYTES: Final = 200
#: One thread: sums then have one order, and memory does not grow with the number of processors.
_SAME_EACH_TIME: Final = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
_ANSWER: Final = msgspec.msgpack.Decoder(ready(tuple[str, Extraction | None]))
_Key = tuple[str, str, bool]  # suffix, content hash, and whether OCR is on


class _Run(msgspec.Struct, frozen=True):
    """A running extraction; further requests for the same file wait for it."""

    began_s: float
    found: Future[Extraction] = msgspec.field(default_factory=Future)


class Extracting:
    """Extracts in processes; safe to use from several threads, each with its own process."""

    def __init__(self, limit_s: float = LIMIT_S, memory_bytes: int = MEMORY_BYTES) -> None:
        self._limit_s = limit_s
        self._memory_bytes = memory_bytes
        self._idle: list[_Process] = []
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, tuple[Extraction, int]] = OrderedDict()
        self._kept_bytes = 0
        self._refused: OrderedDict[_Key, str] = OrderedDict()
        self._running: dict[_Key, _Run] = {}

    def extract(
        self, path: str, raw: bytes, content_hash: str, *, ocr: bool = False, again: bool = False
    ) -> Extraction:
        """Return the text of a file with an extractor for its suffix; with `ocr`, also of pages
        that are pictures. Earlier refusals are raised at once, unless `again`. Raises SourceError
        with the reason, in a form for `readers.extraction.result.reason_of`."""
        if again:
            with self._lock:
                for one in (True, False):
                    self._refused.pop((extracted_suffix(path), content_hash, one), None)
        found = self._extract(path, raw, content_hash, None, ocr=ocr)
        assert found is not None
        return found

    def extract_soon(
        self, path: str, raw: bytes, content_hash: str, wait_s: float, *, ocr: bool = False
    ) -> Extraction | None:
        """Extract as `extract` does; return None if it takes longer than `wait_s`. The extraction
        continues, and a later call gets its result."""
        return self._extract(path, raw, content_hash, wait_s, ocr=ocr)

    def _extract(
        self, path: str, raw: bytes, content_hash: str, wait_s: float | None, *, ocr: bool
    ) -> Extraction | None:
        suffix = extracted_suffix(path)
        if is_missing(suffix):
            extra = EXTRACTORS[suffix].extra
            raise refused("no_extractor", f"pip install 'pincite[{extra}]'")
        if not raw.strip(b"\0 \t\r\n"):
            raise refused("failed", "the file has nothing in it")
        key = (suffix, content_hash, ocr and recognises(suffix))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
            if key in self._refused:  # it would take as long again
                raise SourceError(self._refused[key])
            run = self._running.get(key)
            is_new = run is None
            run = self._running[key] = run or _Run(time.monotonic())
        if is_new and wait_s is None:
            self._work(key, raw, run)
        elif is_new:
            threading.Thread(
                target=self._work, args=(key, raw, run), name="pincite-extract", daemon=True
            ).start()
        left_s = None if wait_s is None else max(0.0, run.began_s + wait_s - time.monotonic())
        try:
            return run.found.result(left_s)
        except TimeoutError:
            return None

    def _work(self, key: _Key, raw: bytes, run: _Run) -> None:
        """Extract a file for all waiting callers."""
        try:
            found = self._ask(key[0], raw, ocr=key[2])
        except SourceError as error:
            with self._lock:
                self._refused[key] = error.message
                if len(self._refused) > _KEPT_REFUSALS:
                    self._refused.popitem(last=False)
                del self._running[key]
            run.found.set_exception(error)
        except BaseException as error:
            with self._lock:
                del self._running[key]
            run.found.set_exception(refused("failed", f"{type(error).__name__}: {error}"))
            raise
        else:
            self._keep(key, found)
            with self._lock:
                del self._running[key]
            run.found.set_result(found)

    def _ask(self, suffix: str, raw: bytes, *, ocr: bool) -> Extraction:
        without_ocr = ocr and ocr_is_missing()  # OCR may turn out to be unnecessary
        process = self._take()
        was_used = process.used
        try:
            said, found = process.ask(suffix, raw, self._limit_s, ocr=ocr and not without_ocr)
        except TimeoutError as error:
            process.end()
            raise refused("timed_out", f"it takes more than {self._limit_s:.0f} s") from error
        except (EOFError, BrokenPipeError) as error:
            process.end()
            if was_used:  # an idle process may have just ended by itself
                return self._ask(suffix, raw, ocr=ocr)
            raise refused(
                "failed", "its extractor has crashed; save it again, or exclude it"
            ) from error
        except (ValueError, msgspec.MsgspecError) as error:  # not an answer of our process
            process.end()
            raise refused("failed", f"its extractor gave no answer: {error}") from error
        except BaseException:
            process.end()
            raise
        self._give_back(process, worn=said.startswith("too_large"))
        if without_ocr and (said.startswith("scanned") or _scanned(found)):
            raise refused("no_extractor", f"pages of it are pictures: pip install 'pincite[{OCR}]'")
        if found is None:
            raise SourceError(said)
        if fault := fault_of(found):
            code = "too_large" if len(found.text) > MOST_CHARS else "failed"
            raise SourceError(f"{code}: its text {fault}")
        if not found.text.strip():
            code, why = (
                ("scanned", "its pages are pictures") if _scanned(found) else ("empty", "no text")
            )
            raise SourceError(f"{code}: {why}")
        return replace(found, extractor=extractor_name(suffix, ocr=ocr))

    def _take(self) -> _Process:
        with self._lock:
            while self._idle:
                process = self._idle.pop()
                if process.alive:
                    return process
                process.end()
        return _Process(self._limit_s, self._memory_bytes)

    def _give_back(self, process: _Process, *, worn: bool) -> None:
        with self._lock:
            if not worn and len(self._idle) < _KEPT_IDLE:
                self._idle.append(process)
                return
        process.end()

    def _keep(self, key: _Key, found: Extraction) -> None:
        size = 4 * len(found.text) + _ELEMENT_BYTES * len(found.elements)
        size += sum(len(image.data) for image in found.images.values())
        if size > _KEPT_BYTES // 2:
            return
        with self._lock:
            self._kept_bytes += size - self._kept.pop(key, (found, 0))[1]
            self._kept[key] = found, size
            while self._kept_bytes > _KEPT_BYTES:
                self._kept_bytes -= self._kept.popitem(last=False)[1][1]

    def close(self) -> None:
        """End all idle processes."""
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            process.end()


def _scanned(found: Extraction | None) -> bool:
    return found is not None and any(note.startswith("scanned") for note in found.notes)


class _Process:
    """A child in a separate process group."""

    def __init__(self, limit_s: float, memory_bytes: int) -> None:
        limits = (str(memory_bytes), str(int(limit_s) + 1))
        program = "pincite.readers.extraction.process"
        self._process = start_child(program, *limits, environ=_SAME_EACH_TIME)
        self.used = False

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(
        self, suffix: str, raw: bytes, limit_s: float, *, ocr: bool = False
    ) -> tuple[str, Extraction | None]:
        """Return the answer. Each page read by OCR extends the time limit. Raises EOFError or
        BrokenPipeError if the process has ended, TimeoutError, and ValueError or MsgspecError for
        an invalid answer."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise EOFError
        self.used = True
        write_block(stdin, f"{suffix} ocr".encode() if ocr else suffix.encode())
        write_block(stdin, raw)
        until_s = time.monotonic() + limit_s
        while not (block := read_block(stdout, until_s, _MOST_ANSWER)):
            until_s = max(until_s, time.monotonic() + PAGE_S)
        return _ANSWER.decode(block)

    def end(self) -> None:
        """Kill it and all processes that it has started."""
        end_child(self._process)


_OURS: Final = Extracting()
atexit.register(_OURS.close)


def extract(
    path: str, raw: bytes, content_hash: str, *, ocr: bool = False, again: bool = False
) -> Extraction:
    """Extract as `Extracting.extract`, with the processes and the cache shared by the whole
    program."""
    return _OURS.extract(path, raw, content_hash, ocr=ocr, again=again)


def extract_soon(
    path: str, raw: bytes, content_hash: str, wait_s: float, *, ocr: bool = False
) -> Extraction | None:
    """Extract as `Extracting.extract_soon`, with the processes and the cache of `extract`."""
    return _OURS.extract_soon(path, raw, content_hash, wait_s, ocr=ocr)
