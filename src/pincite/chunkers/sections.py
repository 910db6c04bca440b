"""Cut a document into sections, with the chunker for its language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.chunkers.least_cost import most_chars
from pincite.chunkers.limits import limited
from pincite.chunkers.lines import Lines
from pincite.chunkers.packing import Packer
from pincite.readers.transcripts import is_lines
from pincite.support.fields import replace

if TYPE_CHECKING:
    from pincite.chunkers.config import ChunkerConfig
    from pincite.model import Document, PageSpan, Section

_TABLES = frozenset({"csv", "tsv"})
_COMPONENTS = frozenset({"vue", "svelte"})
_DATA = frozenset({"json", "yaml", "toml", "ini", "xml"})
_MARK = "\ufeff"  # the byte order mark


def sections_of(document: Document, config: ChunkerConfig) -> tuple[Section, ...]:
    """Return the sections of any document, sorted by `start`, without empty, blank or overlapping
    ones. No section is on two pages. Every line that is not blank is in a section, except lines of
    a transcript without content, and in extracted documents running headers, footers, and pictures
    without text. Raises NeedsLimits within `parsing.cautious`, and SourceError for more than
    `limits.MOST_SECTIONS`; never fails otherwise.
    """
    if document.extractor:
        from pincite.chunkers.markup.elements import chunk_elements

        return chunk_elements(document, config)
    if document.pages:
        pages = (_chunk_page(document, page, config) for page in document.pages)
        return tuple(limited(one for page in pages for one in page))
    text, language = document.text, document.language
    if text.startswith(_MARK) and text[1:2] != _MARK and text[1:].strip():
        return _chunk_after_mark(document, config)
    if not text or text.isspace():
        return ()
    if language == "html":
        return _chunk_html(document, config)
    if language == "markdown":
        return _chunk_markdown(document, config)
    if language == "transcript":
        from pincite.chunkers.markup.markdown_transcripts import chunk_markdown_transcript
        from pincite.chunkers.transcripts import chunk_transcript

        chunk = chunk_transcript if is_lines(document.path) else chunk_markdown_transcript
        if sections := chunk(document, config, sections_of):
            return sections
    if language == "roff":
        return _chunk_roff(document, config)
    lines = Lines(text)
    packer = Packer(document, lines, config)
    if language in _DATA:
        from pincite.chunkers.data import data_pieces
        from pincite.chunkers.escapes import with_decoded

        data = packer.pack(data_pieces(lines, language, packer.room))
        return tuple(with_decoded(one, text, language, document.path) for one in data)
    if language in _TABLES:
        from pincite.chunkers.data import table_pieces

        return tuple(packer.pack(table_pieces(lines)))
    if document.source_type == "code":
        from pincite.chunkers.code.by_line import chunk_by_line, outlined
        from pincite.chunkers.code.grammars import grammar_for

        if grammar := grammar_for(language, document.path):
            from pincite.chunkers.code.chunker import chunk_code

            return chunk_code(lines, packer, grammar)
        if language in _COMPONENTS:
            from pincite.chunkers.code.components import chunk_component

            return chunk_component(lines, packer)
        if outlined(language):
            return chunk_by_line(lines, packer, language)
    from pincite.chunkers.text import rst_pieces, text_pieces

    if language == "rst":
        return tuple(packer.pack(rst_pieces(lines, packer.room)))
    if language in ("asciidoc", "org"):
        from pincite.chunkers.markup.asciidoc import asciidoc_pieces, org_pieces

        headed = org_pieces if language == "org" else asciidoc_pieces
        return tuple(packer.pack(headed(lines, packer.room)))
    return tuple(packer.pack(text_pieces(lines)))


def _chunk_after_mark(document: Document, config: ChunkerConfig) -> tuple[Section, ...]:
    """Cut the text after its byte order mark, which would hide a heading or front matter. The first
    section includes the mark, so that it has whole lines, unless many blanks are behind the
    mark."""
    text = document.text
    sections = sections_of(replace(document, text=text[1:]), config)
    moved = [replace(one, start=one.start + 1, end=one.end + 1) for one in sections]
    longest = most_chars(config.max_tokens)
    if moved and moved[0].end <= longest and not text[1 : moved[0].start].strip():
        moved[0] = replace(moved[0], start=0)
    return tuple(moved)


def _chunk_page(document: Document, page: PageSpan, config: ChunkerConfig) -> list[Section]:
    text = document.text[page.start : page.end]
    sections = sections_of(replace(document, text=text, pages=()), config)
    return [
        replace(
            one,
            start=one.start + page.start,
            end=one.end + page.start,
            attributes={**one.attributes, **page.attributes},
        )
        for one in sections
    ]


def _chunk_html(document: Document, config: ChunkerConfig) -> tuple[Section, ...]:
    from pincite.chunkers.markup.html import html_lines, html_pieces, scan, with_plain

    page = scan(document.text)
    lines = html_lines(document.text, page)
    packer = Packer(document, lines, config)
    sections = packer.pack(html_pieces(lines, page, packer.room))
    return tuple(with_plain(section, document.text, page) for section in sections)


def _chunk_roff(document: Document, config: ChunkerConfig) -> tuple[Section, ...]:
    from pincite.chunkers.markup.roff import roff_lines, roff_pieces, with_shown
    from pincite.support.roff.reader import read_roff, words_of

    page = read_roff(document.text)
    lines = roff_lines(document.text, page)
    packer = Packer(document, lines, config)
    sections = packer.pack(roff_pieces(lines, page, packer.room))
    words = words_of(page)
    return tuple(with_shown(section, words) for section in sections)


def _chunk_markdown(document: Document, config: ChunkerConfig) -> tuple[Section, ...]:
    from pincite.chunkers.markup.anchors import with_anchors
    from pincite.chunkers.markup.inclusions import lines_with, with_inclusions
    from pincite.chunkers.markup.markdown import markdown_pieces
    from pincite.chunkers.markup.raw_html import with_plain_tables

    lines = lines_with(document.text, document.inclusions, config.target_tokens)
    packer = Packer(document, lines, config)
    sections = packer.pack(markdown_pieces(lines, packer.room))
    sections = with_plain_tables(with_inclusions(sections, lines, document.inclusions), lines)
    if document.url is not None and document.anchors != "none":
        sections = with_anchors(sections, lines, document.anchors)
    return tuple(sections)
