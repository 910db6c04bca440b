"""The process that extracts: `python -m pincite.readers.extraction.process MEMORY SECONDS`.

It reads a suffix, followed by `ocr` if pictures are to be read, and the bytes of a file from its
standard input. It writes an `Extraction` or the reason for a failure, after an empty block for each
page read by OCR. Its input is untrusted: its memory and time are limited, and it can open no file
for writing, start no process and reach no network, whatever an exploited library tries.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from importlib import import_module
from typing import IO, Final

import msgspec

from pincite.errors import SourceError
from pincite.readers.extraction.extractors import EXTRACTORS
from pincite.readers.extraction.result import PAGE_S, Extraction, OnPageRead
from pincite.support.processes.pipes import own_pipes, read_block, write_block
from pincite.support.processes.process_limits import allow_seconds, limit_process

IDLE_S: Final = 60.0  # guess, unmeasured: a run sends the next file earlier


def extract_here(suffix: str, raw: bytes, on_page_read: OnPageRead | None = None) -> Extraction:
    """Extract in this process; with `on_page_read`, OCR is on. Raises SourceError, and errors of
    libraries."""
    one = EXTRACTORS[suffix]
    extractor = getattr(import_module(one.module), one.function)
    found: Extraction = extractor(raw, on_page_read) if one.recognisers else extractor(raw)
    return found


def answer(
    suffix: str, raw: bytes, on_page_read: OnPageRead | None = None
) -> tuple[str, Extraction | None]:
    """Return "" and the extraction, or a reason (`code: detail`, with a remedy if there is one) and
    None."""
    try:
        return "", extract_here(suffix, raw, on_page_read)
    except SourceError as error:
        return "; ".join(filter(None, (error.message or "failed", error.hint))), None
    except ImportError as error:
        return f"no_extractor: {error}", None
    except MemoryError:
        return "too_large: it takes more memory than extractors may have", None
    except RecursionError:
        return "failed: it is nested too deeply", None
    except Exception as error:  # noqa: BLE001 - a library's fault costs one file
        return f"failed: {type(error).__name__}: {error}"[:500], None


def serve(seconds: int, given: IO[bytes], found: IO[bytes]) -> None:
    """Extract files until the input ends."""
    with suppress(EOFError, BrokenPipeError, TimeoutError):
        while True:
            suffix, _, ocr = read_block(given, time.monotonic() + IDLE_S).decode().partition(" ")
            raw = read_block(given)
            allow_seconds(seconds)

            def on_page_read() -> None:
                write_block(found, b"")
                allow_seconds(max(seconds, PAGE_S))

            said = answer(suffix, raw, on_page_read if ocr else None)
            del raw
            write_block(found, msgspec.msgpack.encode(said))


def main() -> None:
    """Answer on the standard streams, with limits of memory and time. Output of libraries is kept
    away from the answers."""
    given, found = own_pipes()
    limit_process(int(sys.argv[1]))
    serve(int(sys.argv[2]), given, found)


if __name__ == "__main__":
    main()
