"""The result of a reader of PDFs and office files: text, and the position of its elements."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Final, Literal, get_args

import msgspec

from pincite.errors import SourceError
from pincite.model import Element, PageSpan, PageUnit
from pincite.ports import Image

#: The reason why a file has no text: a password; only picture pages; a size above the limits, of
#: the file or its content; a timeout; no text; a missing extractor; or another failure.
RefusalCode = Literal[
    "encrypted", "scanned", "too_large", "timed_out", "empty", "no_extractor", "failed"
]
PAGE_S: Final = 60  # per page read by OCR; it took 4 s on one processor
MOST_CHARS: Final = 10_000_000  # guess, unmeasured: a book has one million
_CODED: Final = re.compile(rf"({'|'.join(get_args(RefusalCode))})\b[:.]?\s*", re.I)


class Extraction(msgspec.Struct, frozen=True):
    """The extracted text of a file, equal for equal bytes: elements in reading order, separated
    only by white space, each on one page.

    `extractor` is a name and all versions that the text depends on (`pdf/1 pypdfium2/5.0`): another
    one makes the file new. `pages` covers the text with one span per page, including empty ones.
    `unit` is the name of a page. `notes` are remarks, each as `code: detail` (`scanned: page 3`).
    `images` are the pictures of elements, by the SHA-256 of their bytes.
    """

    text: str
    elements: tuple[Element, ...]
    pages: tuple[PageSpan, ...]
    unit: PageUnit
    extractor: str
    title: str = ""
    notes: tuple[str, ...] = ()
    images: Mapping[str, Image] = {}


#: The text of a picture without words. It becomes a chunk only if a vision model has described it.
PICTURE: Final = "[image]"

#: Called after each page read by OCR: the next page may take as long again.
OnPageRead = Callable[[], None]


def refused(code: RefusalCode, detail: str) -> SourceError:
    """Return the error for an extractor to raise: `code: detail`."""
    return SourceError(f"{code}: {detail}")


def reason_of(error: SourceError) -> tuple[str, str]:
    """Return the code and the detail of an extractor's error; `failed` if it has no code."""
    match = _CODED.match(error.message)
    if match is None:
        return "failed", error.message
    return match[1].lower(), error.message[match.end() :]


def fault_of(found: Extraction) -> str:
    """Return how an extraction violates its contract, in words; "" if it does not."""
    size = len(found.text)
    if size > MOST_CHARS:
        return f"has {size:,} characters"
    end = 0
    for number, page in enumerate(found.pages, start=1):
        if not end <= page.start <= page.end <= size or page.number != number:
            return f"has a page {page.number} out of order"
        if found.text[end : page.start].strip():
            return f"has text before page {page.number} that is on no page"
        end = page.end
    if found.text[end:].strip():
        return "has text behind its pages"
    end = 0
    for one in found.elements:
        if not end <= one.start <= one.end <= size or not 1 <= one.page <= len(found.pages):
            return f"has an element at {one.start} out of order"
        page = found.pages[one.page - 1]
        if not page.start <= one.start <= one.end <= page.end:
            return f"has an element at {one.start} that is not on its page {one.page}"
        if found.text[end : one.start].strip():
            return f"has text at {end} that is in no element"
        if one.box is not None and not all(map(math.isfinite, one.box)):
            return f"has an element at {one.start} without a finite place"
        end = one.end
    return "has text after its elements" if found.text[end:].strip() else ""
