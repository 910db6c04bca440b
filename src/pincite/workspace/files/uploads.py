"""Read an uploaded file as a file of an index is read, or report why it has no text."""

from __future__ import annotations

import logging
import re
from pathlib import PurePath
from typing import Final

import msgspec

from pincite.citations.passage import Passage
from pincite.citations.pictures import PagePicture, paint_cited
from pincite.errors import SourceError, UsageError
from pincite.model import Document, Layout, PageSpan, Source
from pincite.model.pages import page_at, unit_of
from pincite.model.records import RECORD_LANGUAGES
from pincite.readers import may_be_read, read_noted
from pincite.readers.extraction.result import reason_of
from pincite.records.normalise import BETWEEN_PAGES, MOST_TEXT_CHARS
from pincite.support.fields import replace
from pincite.support.terminal import one_line

log = logging.getLogger("pincite.worker")

#: Advice in the messages of readers that is for people who index folders with commands.
_COMMANDS: Final = re.compile(r"; read them: pincite index --ocr|; exclude it|, or exclude it")
_MOST_SHOWN: Final = 60  # characters of a file name in a message
_SOURCE = Source(name="documents", kind="records", location="documents")


class UnreadableType(UsageError):
    """A file of a type that no reader reads."""

    def __init__(self, filename: str) -> None:
        suffix = PurePath(filename).suffix.lower().removesuffix(".")  # "a." has "." in 3.14
        kind = (
            f"of the type {_short(suffix)}" if suffix else f"with a name such as {_short(filename)}"
        )
        super().__init__(
            f"no reader reads files {kind}",
            hint=(
                "send text, Markdown, HTML, source code, PDF, DOCX, PPTX, XLSX, EPUB or a notebook,"
                " under a name with its suffix"
            ),
        )


def _short(text: str) -> str:
    """Return a text on one line, without control characters, cut if it is long."""
    said = one_line(text)
    return said if len(said) <= _MOST_SHOWN else f"{said[:_MOST_SHOWN]}..."


class UploadedText(msgspec.Struct, frozen=True):
    """The text of a file. `language` is the language of the text, one of `RECORD_LANGUAGES`;
    `title` is the title in the file. A text that was extracted has `pages` and a `layout`. `notes`
    are remarks on how the file was read, each as `code: detail`."""

    text: str
    language: str
    title: str
    pages: tuple[PageSpan, ...] = ()
    layout: Layout | None = None
    notes: tuple[str, ...] = ()

    @property
    def recognised(self) -> tuple[int, ...]:
        """Return the pages, from 1, whose text OCR read from a picture: single letters may be
        wrong."""
        return tuple(page.number for page in self.pages if page.recognised)


def read_upload(raw: bytes, filename: str, *, ocr: bool = False) -> UploadedText:
    """Return the text in the bytes of a file; the file name selects the reader. With `ocr`, pages
    that are pictures are read, too. Raise SourceError with a reason for people: the type is
    unsupported, or the file is broken, encrypted, empty or too large."""
    document, notes = _noted(raw, filename, ocr)
    text = document.text
    if "\0" in text:
        raise SourceError("binary: the file is not a text")
    if not text.strip():
        raise SourceError("empty: the file has no text")
    if len(text) > MOST_TEXT_CHARS:
        raise SourceError(
            f"too_large: the text has {len(text):,} characters; at most {MOST_TEXT_CHARS:,}"
        )
    language = document.language if document.language in RECORD_LANGUAGES else "text"
    layout, unit = None, unit_of(document)
    if unit is not None:
        layout = Layout(unit, document.extractor, document.elements)
    return UploadedText(text, language, document.title, document.pages, layout, notes)


def require_readable_type(filename: str) -> None:
    """Raise UnreadableType for a name whose suffix no reader reads, whatever the content is. Names
    without a suffix are accepted: their first line tells."""
    if not may_be_read(filename):
        raise UnreadableType(filename)


def is_pictured(filename: str) -> bool:
    """Return whether pages of the file can be shown as pictures."""
    return filename.lower().endswith(".pdf")


def picture_of(raw: bytes, filename: str, cited: Passage, *, ocr: bool = False) -> PagePicture:
    """Return the page on which a passage of an uploaded PDF begins, with boxes around the cited
    text. Raise UsageError for other files, if the bytes now have another text, or if the page
    cannot be drawn."""
    start, end = cited.start_char, cited.end_char
    if not is_pictured(filename) or start is None or end is None:
        raise UsageError(f"{filename} is not a PDF: it has no pages")
    try:
        return _picture(raw, _noted(raw, filename, ocr)[0], cited.text, start, end)
    except SourceError as error:  # its message describes the file, for the caller
        raise UsageError(error.message, hint=error.hint) from error


def _picture(raw: bytes, document: Document, cited: str, start: int, end: int) -> PagePicture:
    if document.text[start:end] == cited and (there := page_at(document.pages, start)):
        return paint_cited(raw, document, there.number, start, min(end, there.end))
    begins = 0  # in a record of an earlier version, the gaps between pages are larger
    for number, page in enumerate(document.pages, 1):
        length = page.end - page.start
        if begins <= start < begins + length:
            last = min(end - begins, length)
            shown = document.text[page.start + start - begins : page.start + last]
            if not cited.startswith(shown):
                break
            chars = (page.start + start - begins, page.start + last)
            return paint_cited(raw, document, number, *chars)
        begins += length + len(BETWEEN_PAGES)
    raise UsageError(
        f"{document.path} has another text than when the passage was indexed",
        hint="ask again once the document is ready",
    )


def _noted(raw: bytes, filename: str, ocr: bool) -> tuple[Document, tuple[str, ...]]:
    try:
        return read_noted(raw, source=replace(_SOURCE, ocr=ocr), path=filename, ref="")
    except SourceError as error:
        code, detail = reason_of(error)
        if code == "no_extractor":
            log.warning("%s cannot be read: %s", PurePath(filename).suffix or "a file", detail)
            detail = "this server has no reader for it"
        detail = _COMMANDS.sub("", detail)
        raise SourceError(detail if code == "failed" else f"{code}: {detail}") from error
