"""What a reader of PDFs and office files gives: text, and what stands where in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pincite.model import Element, PageSpan, PageUnit
from pincite.ports import Image


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


#: The text in the bytes of a file. Raises SourceError that says why there is none (encrypted,
#: broken, empty), and whatever its library has not foreseen; it may hang or take all memory, and
#: is called where that harms nobody.
Extractor = Callable[[bytes], Extraction]
