"""Open a PDF, or raise an error with the reason why it cannot be read."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pincite.errors import SourceError

MOST_PAGES: Final = 50_000  # guess, unmeasured; a page tree may claim any number
_HEAD = 1024  #: bytes in which the mark of a PDF must be
_NO_TITLES = ("(anonymous)", "(unspecified)", "(untitled)")
_PASSWORD, _SECURITY = pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY


@contextmanager
def opened(raw: bytes) -> Iterator[pdfium.PdfDocument]:
    """Yield the document while the block runs. Its scripts never run: this build has no JavaScript
    engine, and forms are not opened. Raises SourceError."""
    if b"%PDF-" not in raw[:_HEAD]:
        raise SourceError(
            "broken: this is not a PDF: its first bytes are not %PDF",
            hint="check the file, or exclude it",
        )
    try:
        document = pdfium.PdfDocument(raw)
    except pdfium.PdfiumError as error:
        raise _no_document(error) from error
    try:
        pages = len(document)
        if pages > MOST_PAGES:
            raise SourceError(
                f"too_large: the PDF has {pages:,} pages, and the limit is {MOST_PAGES:,}",
                hint="split it, or exclude it",
            )
        if pages == 0:
            raise SourceError(
                "broken: the PDF has no pages", hint="open it in a viewer, and save it again"
            )
        yield document
    finally:
        document.close()


def _no_document(error: pdfium.PdfiumError) -> SourceError:
    if error.err_code == _PASSWORD:
        return SourceError(
            "encrypted: the PDF needs a password",
            hint="save a copy without a password, or exclude it",
        )
    if error.err_code == _SECURITY:
        return SourceError(
            "encrypted: the PDF has an unsupported protection",
            hint="save a copy without protection, or exclude it",
        )
    return SourceError(
        f"broken: the PDF cannot be opened ({error})",
        hint="open it in a viewer, and save it again",
    )


def title_of(document: pdfium.PdfDocument) -> str:
    """Return the file's title, without defaults that programs insert."""
    said = " ".join(str(document.get_metadata_value("Title")).split())[:300]
    plain = "".join(letter for letter in said if letter.isprintable())
    lower = plain.lower()
    generated = lower in _NO_TITLES or lower.startswith(
        ("untitled", "microsoft word -", "microsoft powerpoint -")
    )
    looks_like_file = lower.endswith((".doc", ".docx", ".tex", ".dvi", ".indd", ".pdf"))
    return "" if generated or looks_like_file else plain


def outline_of(document: pdfium.PdfDocument) -> tuple[tuple[int, int, str], ...]:
    """Return the bookmarks: page (from 0), level (from 1) and title; () if they are damaged."""
    found = []
    try:
        for count, mark in enumerate(document.get_toc(max_depth=8)):
            if count >= MOST_PAGES:
                break
            target = mark.get_dest()
            page = None if target is None else target.get_index()
            if page is not None:
                found.append((page, mark.level + 1, mark.get_title()))
    except (pdfium.PdfiumError, ctypes.ArgumentError, ValueError):
        return ()
    return tuple(found)
