"""The text of a chunk for encoders: its location, which is never cited, and its own text."""

from __future__ import annotations

from pincite.chunkers import context_line
from pincite.model import Chunk, Document, OnPage, Section


def enrich(chunk: Chunk) -> str:
    """Return the chunk's location (path, title, headings) on a separate line, then its text without
    markup, with content that its lines include from other files. The path of a record is left out:
    it is only an id."""
    path = _path_of(chunk, chunk.on_page)
    return f"{context_line(chunk.title, chunk.headings, path)}\n{own_text(chunk)}"


def enrich_section(document: Document, section: Section) -> str:
    """Return the text that `enrich` returns for the chunk that this section becomes."""
    path = _path_of(document, section.on_page)
    text = document.text[section.start : section.end] if section.plain is None else section.plain
    note = section.on_page.note if section.on_page else ""
    where = context_line(document.title, section.headings, path)
    return f"{where}\n{text}\n\n{note}" if note else f"{where}\n{text}"


def _path_of(one: Chunk | Document, place: OnPage | None) -> str:
    is_record = one.cited_in == "char" or (place is not None and place.of_record)
    return "" if is_record else one.path


def own_text(chunk: Chunk) -> str:
    """Return the text of `enrich` without its first line, for encoders that get the location with
    another chunk."""
    return chunk.read_as
