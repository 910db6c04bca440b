"""What a reader of PDFs and office files gives: text, and what stands where in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from pincite.errors import SourceError
from pincite.model import Element, PageSpan, PageUnit
from pincite.ports import Image

#: Why a file has no text: it needs a password; all of its pages are pictures; it or what is in it
#: is larger than the limits; its extractor did not end; it has no text; its extractor is not
#: installed; or something else went wrong.
RefusalCode = Literal[
    "encrypted", "scanned", "too_large", "timed_out", "empty", "no_extractor", "failed"
]
PAGE_S: Final = 60  #: for each page that OCR reads; it took 4 s on one processor
MOST_CHARS: Final = 10_000_000  # guess, unmeasured: a book has one million
_CODED: Final = re.compile(rf"({'|'.join(get_args(RefusalCode))})\b[:.]?\s*", re.I)


@dataclass(frozen=True, slots=True)
class Extraction:
    """The text of a file as an extractor gives it, the same each time: elements in reading order
    with white space alone between them, none of them in two pages.

    `extractor` is a name and all versions that the text depends on (`pdf/1 pypdfium2/5.0`): another
    one makes the file new. `pages` covers the text, one span for each page, empty ones too. `unit`
    is what a page is called. `notes` say what is remarkable, each as `code: detail` (`scanned: page
    3`). `images` are pictures by the SHA-256 of their bytes, those that elements name.
    """

    text: str
    elements: tuple[Element, ...]
    pages: tuple[PageSpan, ...]
    unit: PageUnit
    extractor: str
    title: str = ""
    notes: tuple[str, ...] = ()
    images: Mapping[str, Image] = field(default_factory=dict)


#: The text of a picture that has no words. It is no chunk unless a vision model has described it.
PICTURE: Final = "[image]"

#: Called after each page that OCR has read: that may take as long again for the next.
OnPageRead = Callable[[], None]

#: The text in the bytes of a file. Raises SourceError that says why there is none (encrypted,
#: broken, empty), and whatever its library has not foreseen; it may hang or take all memory, and
#: is called where that harms nobody.
Extractor = Callable[[bytes], Extraction]


def refused(code: RefusalCode, detail: str) -> SourceError:
    """What an extractor raises: `code: detail`."""
    return SourceError(f"{code}: {detail}")


def reason_of(error: SourceError) -> tuple[str, str]:
    """The code and the detail of what an extractor has raised; `failed` where it names no code."""
    match = _CODED.match(error.message)
    if match is None:
        return "failed", error.message
    return match[1].lower(), error.message[match.end() :]


def fault_of(found: Extraction) -> str:
    """What an extraction must not be, in words; "" for one that keeps the law."""
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
        end = one.end
    return "has text behind its elements" if found.text[end:].strip() else ""
