"""Sections, the results of chunkers, and chunks, the citable spans of documents."""

from __future__ import annotations

import msgspec

from pincite.model.attribute_types import Attributes
from pincite.model.documents import Box, CitedIn, Rows, SourceType


class OnPage(msgspec.Struct, frozen=True):
    """The position of a span in an extracted document. `number` counts pages, slides, sheets, cells
    or chapters from 1, as `Document.cited_in` says. `visual` marks a table or an image, `box` is
    its place on the page if known. `note` is a vision model's description: generated, indexed after
    the text, and never quoted. `recognised` says that OCR has read its text. `rows` are its first
    and last row in a sheet. `of_record` says that its document is a record, whose path is an id."""

    number: int
    visual: bool = False
    box: Box | None = None
    note: str = ""
    recognised: bool = False
    rows: Rows | None = None
    of_record: bool = False


class Section(msgspec.Struct, frozen=True):
    """The result of a chunker: a span of `Document.text` with context for the encoder.

    `headings` is the heading path of prose or the symbol path of code, outermost first.
    `symbols` are the names that the span defines; the last `named_values` of them name constants,
    fields and other values. `plain` replaces the text for indexing (markup
    removed), never for citing; None: the text itself is indexed. `anchor` is the anchor of the
    page's address where the span begins, "" for the page. `attributes` belong to this span only.
    `on_page` is its position in an extracted document.
    """

    start: int
    end: int
    headings: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    plain: str | None = None
    anchor: str = ""
    attributes: Attributes = {}
    on_page: OnPage | None = None
    named_values: int = 0

    def __hash__(self) -> int:
        return hash((self.start, self.end))  # a mapping has no hash


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """A citable span of one document: `document.text[start:end] == text`.

    `start_column` and `end_column` (1-based characters, inclusive) are set only if the span begins
    or ends inside a line. Otherwise the span is exactly the lines `start_line` to `end_line`,
    without the last newline. `attributes` are those of its document and its own. `cited_in` is the
    unit of its citation. `space_before` is the white space after the previous chunk, if it is more
    than newlines. The last `named_values` of its symbols name constants, fields and other values.

    `on_page` is its position in an extracted document, None in other documents.
    """

    id: str
    repo: str
    ref: str
    path: str
    source_type: SourceType
    language: str
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    content_hash: str
    title: str = ""
    headings: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    url: str | None = None
    start_column: int | None = None
    end_column: int | None = None
    plain: str | None = None
    attributes: Attributes = {}
    cited_in: CitedIn = ""
    space_before: str = ""
    on_page: OnPage | None = None
    named_values: int = 0

    def __hash__(self) -> int:
        return hash((self.id, self.content_hash))  # a mapping has no hash

    @property
    def definitions(self) -> tuple[str, ...]:
        """The symbols of functions, classes and the like, without those of values."""
        return self.symbols[: len(self.symbols) - self.named_values]

    @property
    def read_as(self) -> str:
        """The text for models that do not quote it: without markup, with included texts of other
        files. The description of a picture comes last."""
        text = self.text if self.plain is None else self.plain
        note = self.on_page.note if self.on_page else ""
        return f"{text}\n\n{note}" if note else text

    @property
    def indexed(self) -> str:
        """All words that the chunk was indexed with."""
        return "\n".join((self.title, *self.headings, *self.symbols, self.read_as))

    @property
    def page(self) -> int:
        """The number of its page, slide, sheet, cell or chapter, from 1; 0 if it has none."""
        return self.on_page.number if self.on_page else 0

    @property
    def visual(self) -> bool:
        """Whether it is a table or an image of an extracted document."""
        return self.on_page is not None and self.on_page.visual

    @property
    def candidate_id(self) -> str:
        """`{repo}@{ref}:{path}:{id}`: one name for this chunk in every collection."""
        return f"{self.repo}@{self.ref}:{self.path}:{self.id}"
