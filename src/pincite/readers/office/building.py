"""Build the text of a file during extraction: elements, separated by blank lines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final

from pincite.model import Element, ElementKind, PageSpan, PageUnit
from pincite.ports import Image
from pincite.readers.extraction.extractors import extractor_name
from pincite.readers.extraction.result import MOST_CHARS, Extraction, refused

CELL: Final = " | "  #: between the cells of a row
_MOST_ELEMENTS = 500_000
_MOST_IMAGE = 5_000_000  # bytes; images sent to vision models are smaller
_MOST_IMAGES = 50_000_000  # bytes of all of them
_MOST_SHOWN = 500_000_000  # bytes of pictures, each as often as it is shown: 1 s
_TITLE_CHARS = 200
_MEDIA_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_LINE_ENDS: Final = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SURROGATES: Final = re.compile(r"[\ud800-\udfff]")
_SPACES: Final = re.compile(r"[^\S\n]+")


class Builder:
    """Collects elements in reading order, page by page. Raises SourceError above a limit."""

    def __init__(self, unit: PageUnit, suffix: str) -> None:
        self._unit: PageUnit = unit
        self._suffix = suffix
        self._parts: list[str] = []
        self._length = 0
        self._elements: list[Element] = []
        self._starts: list[int] = [0]
        self._images: dict[str, Image] = {}
        self._image_bytes = 0
        self._shown_bytes = 0
        self._notes: dict[str, None] = {}
        self._read: set[str] = set()

    @property
    def page(self) -> int:
        """Return the number of the current page, from 1."""
        return len(self._starts)

    @property
    def unit(self) -> PageUnit:
        """Return the name of a page in this format, such as `slide`."""
        return self._unit

    @property
    def takes_pictures(self) -> bool:
        """Return whether the bytes of further pictures are used. A file may show a picture any
        number of times, and each time costs reading it."""
        return self._shown_bytes <= _MOST_SHOWN

    def next_page(self) -> None:
        """Begin a new page."""
        self._gap()
        self._starts.append(self._length)
        if len(self._starts) > _MOST_ELEMENTS:
            raise refused("too_large", f"more than {_MOST_ELEMENTS:,} of its {self._unit}s")

    def repeats(self, part: str, title: str = "") -> bool:
        """Return whether this part of the file was read before, as an earlier page or a chart, and
        note it. No program writes such a file, and each time costs reading the part."""
        if part not in self._read:
            self._read.add(part)
            return False
        self.note(f"repeated: {self._unit} {self.page}{title and f', {title}'}")
        return True

    def note(self, line: str) -> None:
        """Add a note `code: detail`, once; at most 50 are kept."""
        if len(self._notes) < 50:
            self._notes[" ".join(line.split())] = None

    def add(
        self,
        kind: ElementKind,
        text: str,
        *,
        level: int = 0,
        header: str = "",
        image: str = "",
        marginal: bool = False,
        close: bool = False,
        row: int = 0,
    ) -> None:
        """Add an element; one without text is left out unless it has an image. With `close` it
        begins on the next line, without a blank line before it. `image` is a SHA-256, and `row` the
        sheet's row number, 0 without one."""
        text = clean(text)
        if not text and not image:
            return
        self._gap("\n" if close else "\n\n")
        start = self._length
        self._write(text)
        element = Element(
            kind,
            start,
            self._length,
            self.page,
            level=level,
            header=header,
            marginal=marginal,
            image=image,
            row=row,
        )
        self._elements.append(element)
        if len(self._elements) > _MOST_ELEMENTS:
            raise refused("too_large", f"more than {_MOST_ELEMENTS:,} paragraphs")

    def table(self, rows: Sequence[Sequence[str]], row: int = 0) -> None:
        """Add a table, one line for each row that is not empty; the first line is the header. `row`
        is the number of the first row in its sheet; then no row may be empty."""
        lines = [line for row in rows if (line := row_of(row))]
        if len(lines) > 1:
            self.add("table", "\n".join(lines), header=clean(lines[0]), row=row)
        elif lines:
            self.add("table", lines[0], row=row)

    def picture(self, data: bytes, media_type: str, text: str) -> None:
        """Add an image and its text in the file. An image of another type or above a limit is left
        out, but its text is kept."""
        usable = self.takes_pictures and media_type in _MEDIA_TYPES
        usable = usable and 0 < len(data) <= _MOST_IMAGE
        self._shown_bytes += len(data)
        name = hashlib.sha256(data).hexdigest() if usable else ""
        if name and name not in self._images:
            if self._image_bytes + len(data) > _MOST_IMAGES:
                name = ""
            else:
                self._images[name] = Image(data, media_type)
                self._image_bytes += len(data)
        self.add("image", " ".join(text.split()), image=name)

    def done(self, title: str = "") -> Extraction:
        """Return the extraction."""
        text = "".join(self._parts)
        ends = [*self._starts[1:], len(text)]
        pages = tuple(
            PageSpan(start, end, {}, number)
            for number, (start, end) in enumerate(zip(self._starts, ends, strict=True), start=1)
        )
        return Extraction(
            text,
            tuple(self._elements),
            pages,
            self._unit,
            extractor_name(self._suffix),
            " ".join(clean(title).split())[:_TITLE_CHARS],
            tuple(self._notes),
            self._images,
        )

    def _gap(self, space: str = "\n\n") -> None:
        if self._parts and not self._parts[-1].isspace():
            self._write(space)

    def _write(self, text: str) -> None:
        if not text:
            return
        self._parts.append(text)
        self._length += len(text)
        if self._length > MOST_CHARS:
            raise refused("too_large", f"more than {MOST_CHARS:,} characters of text")


def clean(text: str) -> str:
    """Return the text without control characters and surrounding white space, with `\\n` as line
    ends. Lone surrogates become U+FFFD."""
    text = _LINE_ENDS.sub("\n", text)
    return _SURROGATES.sub("\ufffd", _NO_TEXT.sub("", text)).strip()


def row_of(cells: Sequence[str]) -> str:
    """Return the cells on one line, without empty cells at its end; "" if all are empty."""
    kept = [_SPACES.sub(" ", clean(cell).replace("\n", " ")) if cell else "" for cell in cells]
    while kept and not kept[-1]:
        kept.pop()
    return CELL.join(kept).strip()
