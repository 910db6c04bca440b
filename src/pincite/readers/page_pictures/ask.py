"""Render a page of a PDF as a picture, in a process of its own.

Nothing is cached, and each page has a new process, which is ended when it takes too long.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Final

import msgspec

from pincite.errors import ConfigError, SourceError
from pincite.ports import Image
from pincite.readers.extraction.child import end_child, start_child
from pincite.readers.extraction.extractors import DOCUMENTS, is_missing
from pincite.support.decodable import ready
from pincite.support.processes.pipes import read_block, write_block

LIMIT_S: Final = 20.0  # guess, unmeasured
MEMORY_BYTES: Final = 1_500_000_000
MOST_BYTES: Final = 6_000_000  #: of the picture of a page
_ENVELOPE: Final = 10_000  # bytes of an answer besides the picture
_AT_ONCE: Final = threading.BoundedSemaphore(2)


@dataclass(frozen=True, slots=True)
class Painted:
    """The picture of a page. `width` and `height` are those of the page in points."""

    image: Image
    width: float
    height: float


_ANSWER: Final = msgspec.msgpack.Decoder(ready(tuple[str, Painted | None]))


def paint(
    raw: bytes, page: int, *, limit_s: float = LIMIT_S, memory_bytes: int = MEMORY_BYTES
) -> Painted:
    """Return the page of a PDF, counted from 1, as it is displayed. Raises SourceError with the
    reason if there is no picture, ConfigError if the library is not installed."""
    if is_missing("pdf"):
        raise ConfigError(
            "drawing pages of PDFs needs a library that is not installed",
            hint=f"pip install 'pincite[{DOCUMENTS}]'",
        )
    with _AT_ONCE:
        said, found = _ask(raw, page, limit_s, memory_bytes)
    if found is None or found.image.media_type not in ("image/png", "image/jpeg"):
        raise SourceError(f"the page cannot be drawn: {said}", hint="its text is in the passage")
    return found


def _ask(raw: bytes, page: int, limit_s: float, memory_bytes: int) -> tuple[str, Painted | None]:
    limits = (str(memory_bytes), str(int(limit_s) + 1))
    child = start_child("pincite.readers.page_pictures.process", *limits)
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        write_block(child.stdin, str(page).encode())
        write_block(child.stdin, raw)
        until_s = time.monotonic() + limit_s
        return _ANSWER.decode(read_block(child.stdout, until_s, MOST_BYTES + _ENVELOPE))
    except TimeoutError:
        return f"it takes more than {limit_s:.0f} s", None
    except (EOFError, BrokenPipeError):
        return "the process that draws it has crashed", None
    except (ValueError, msgspec.MsgspecError):
        return "the process that draws it gave no valid answer", None
    finally:
        end_child(child)
