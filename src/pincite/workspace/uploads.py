"""An uploaded file becomes texts by page, or a reason why it has none."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from pincite.errors import SourceError
from pincite.model import Source
from pincite.model.records import RECORD_LANGUAGES
from pincite.readers import read_document
from pincite.readers.extraction import reason_of

_SOURCE = Source(name="documents", kind="records", location="documents")


class UploadedText(msgspec.Struct, frozen=True):
    """The text of a file: one text, or one for each page where it has pages. `language` says how it
    is written, one of `RECORD_LANGUAGES`; `title` is what the file calls itself. `recognised` are
    the pages, from 1, whose text OCR has read in a picture: letters of it may be wrong."""

    pages: tuple[str, ...]
    is_paged: bool
    language: str
    title: str
    recognised: tuple[int, ...] = ()


def read_upload(raw: bytes, filename: str, *, ocr: bool = False) -> UploadedText:
    """The text in the bytes of a file, whose name says how to read it; with `ocr` that of pages
    that are pictures, too. Raises SourceError with a reason for people: it is of a type that is not
    read, or broken, encrypted, empty, too large."""
    try:
        document = read_document(raw, source=replace(_SOURCE, ocr=ocr), path=filename, ref="")
    except SourceError as error:
        code, detail = reason_of(error)
        raise SourceError(detail if code == "failed" else f"{code}: {detail}") from error
    text = document.text
    if "\0" in text:
        raise SourceError("binary: the file is no text")
    pages = tuple(text[page.start : page.end] for page in document.pages)
    paged = bool(document.extractor and pages)
    found = pages if paged else (text,)
    if not any(one.strip() for one in found):
        raise SourceError("empty: the file has no text")
    language = document.language if document.language in RECORD_LANGUAGES else "text"
    pictures = tuple(n for n, page in enumerate(document.pages, 1) if page.recognised)
    return UploadedText(found, paged, language, document.title, pictures)
