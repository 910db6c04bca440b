"""What is indexed: sources, documents, chunks, and what stores and catalogs keep of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import msgspec

from pincite.model.attributes import Attributes, AttributeType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]  #: shape (dimensions,)
    Matrix = NDArray[np.float32]  #: shape (rows, dimensions)
else:
    Vector = Matrix = Any  # importing numpy costs 80 ms, and the nouns are imported everywhere

SourceType = Literal["docs", "code", "data"]
SourceKind = Literal["folder", "git", "archive", "wheel", "file", "records"]
LEXICAL = "lexical"  #: instead of a dense model's fingerprint
AnchorStyle = Literal["mkdocs", "github", "none"]
PageUnit = Literal["page", "slide", "sheet", "cell", "chapter"]
#: What a citation counts: lines of a file, the characters of a record, or the parts of a file whose
#: text was extracted, and characters within all of that text.
CitedIn = Literal["", "char", "page", "slide", "sheet", "cell", "chapter"]
PAGE_UNITS: tuple[PageUnit, ...] = get_args(PageUnit)
ElementKind = Literal["paragraph", "heading", "table", "image"]
#: A rectangle on a page, in points from its upper left corner: left, top, right, bottom.
Box = tuple[float, float, float, float]
Rows = tuple[int, int]  #: the first and the last row of a sheet, from 1


@dataclass(frozen=True, slots=True)
class Source:
    """Where documents come from: one folder, checkout, archive, wheel or single file.

    `name` is what citations begin with. `ref` is an immutable revision (commit SHA, release
    version) or None where there is none; documents then carry their own content hash instead.
    `pinned` says that the ref was given, not found, and is kept when the source is opened again.
    `url_rule` holds one `regex=>address` per line, `anchors` how that site names its headings.
    `attributes` are those of all of its documents that have no other value of that name.
    `front_matter` says whether what its Markdown files say of themselves gives them attributes.
    `descriptions` say what folders and files of it are, by path; `index_descriptions` says whether
    encoders read them. With `mask_secrets` no text of it has what looks like a secret. `ocr` says
    whether pages of PDFs that are pictures are read by OCR.
    """

    name: str
    location: str
    kind: SourceKind
    ref: str | None = None
    url_rule: str | None = None
    anchors: AnchorStyle = "mkdocs"
    pinned: bool = False
    attributes: Attributes = field(default_factory=dict, hash=False)
    front_matter: bool = True
    descriptions: Mapping[str, str] = field(default_factory=dict, hash=False)
    index_descriptions: bool = False
    mask_secrets: bool = False
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class PageSpan:
    """A page of a record or of an extracted document: `Document.text[start:end]`, and the
    attributes of its chunks. `number` counts from 1 as readers of the file count, 0 in a record.
    `recognised` says that the page is a picture, and its text what OCR has read in it."""

    start: int
    end: int
    attributes: Attributes = field(default_factory=dict, hash=False)
    number: int = 0
    recognised: bool = False


@dataclass(frozen=True, slots=True)
class Element:
    """A part of an extracted document: `Document.text[start:end]`, on one page. `box` is where it
    stands on the page, None where the format has no places. `level` is that of a heading, from 1.
    `header` is the header row of a table, which each of its chunks repeats for the encoder.
    `marginal` says that it is a running header or footer, which is not indexed. `image` is the
    SHA-256 of the bytes of an image, empty for anything else; `note` what a vision model said of
    it, which is in no text. `row` is the number of the first row of a table in a sheet, whose lines
    are rows one after the other; 0 elsewhere."""

    kind: ElementKind
    start: int
    end: int
    page: int
    box: Box | None = None
    level: int = 0
    header: str = ""
    marginal: bool = False
    image: str = ""
    note: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """One file or page, decoded: `raw.decode(encoding) == text`, no newline is translated.

    `url` is its address, None where no rule gives one. `inclusions` are the texts that the page
    shows in place of a line of its own, by that line's 0-based number. `attributes` are its own.
    A record is `cited_in` characters; where it has `pages`, no chunk is in two of them.

    Where an `extractor` (its name and version) made the text of a PDF or an office file, the text
    is what that gives, the same each time: `encoding` is empty, and `elements` are its parts in
    reading order, none of them in two pages. `described` is what encoders read of its folders.
    """

    source: str
    ref: str
    path: str
    text: str
    encoding: str
    content_hash: str
    source_type: SourceType
    language: str
    title: str = ""
    url: str | None = None
    anchors: AnchorStyle = "none"
    inclusions: Mapping[int, str] = field(default_factory=dict)
    attributes: Attributes = field(default_factory=dict, hash=False)
    cited_in: CitedIn = ""
    pages: tuple[PageSpan, ...] = ()
    extractor: str = ""
    elements: tuple[Element, ...] = ()
    described: str = ""


class OnPage(msgspec.Struct, frozen=True):
    """Where a span of an extracted document stands: the `number` of its page, slide, sheet, cell or
    chapter, as `Document.cited_in` says, from 1; whether it is `visual`, a table or an image; its
    `box` on the page, where that is known. `note` is what a vision model said of it: generated,
    indexed behind the text, and never quoted. `recognised` says that OCR has read its text. `rows`
    are the first and the last row of a sheet that it is of."""

    number: int
    visual: bool = False
    box: Box | None = None
    note: str = ""
    recognised: bool = False
    rows: Rows | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """What a chunker yields: a span of `Document.text` and what the encoder should know of it.

    `headings` is the heading path of prose or the symbol path of code, outermost first.
    `symbols` are the names that the span defines. `plain` stands in for the text when indexing
    (markup removed), never when citing; None means that the text itself is indexed. `anchor` is
    the place on the page's address that the span begins at, "" for the page. `attributes` are of
    this span alone. `on_page` is where it stands in an extracted document.
    """

    start: int
    end: int
    headings: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    plain: str | None = None
    anchor: str = ""
    attributes: Attributes = field(default_factory=dict, hash=False)
    on_page: OnPage | None = None


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """A citable span of one document: `document.text[start:end] == text`.

    `start_column` and `end_column` (1-based characters, inclusive) are set only where the
    span begins or ends inside a line; otherwise the span is exactly lines `start_line` to
    `end_line` without the last line's newline. `attributes` are those of its document and its own.
    `cited_in` says what its citation counts. `space_before` is the white space between the chunk
    before and this one, where it is not newlines alone.

    `on_page` is where it stands in an extracted document, None in any other.
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

    def __hash__(self) -> int:
        return hash((self.id, self.content_hash))  # a mapping has no hash

    @property
    def read_as(self) -> str:
        """What models read of it, where nothing is quoted: its text without markup, with what its
        lines show of other files; what a model has said of its picture comes last."""
        text = self.text if self.plain is None else self.plain
        note = self.on_page.note if self.on_page else ""
        return f"{text}\n\n{note}" if note else text

    @property
    def page(self) -> int:
        """The number of its page, slide, sheet, cell or chapter, from 1; 0 where it has none."""
        return self.on_page.number if self.on_page else 0

    @property
    def visual(self) -> bool:
        """Is it a table or an image of an extracted document?"""
        return self.on_page is not None and self.on_page.visual

    @property
    def candidate_id(self) -> str:
        """`{repo}@{ref}:{path}:{id}`: one name for this chunk in every collection."""
        return f"{self.repo}@{self.ref}:{self.path}:{self.id}"


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Token ids (unsigned 32-bit, ascending, unique) and their finite weights, equally many."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


class TermCounts(msgspec.Struct, frozen=True, array_like=True):
    """How many chunks have a term, for the IDF: `chunks` that have any, `having` by term id."""

    chunks: int = 0
    having: Mapping[int, int] = {}


@dataclass(frozen=True, slots=True)
class Point:
    """A chunk with its vectors, as a store keeps it. `dense` is None in a lexical collection, and
    where it comes later.

    `length` is the number of tokens that the sparse encoder counted; the mean over a collection
    is its average length.
    """

    chunk: Chunk
    sparse: SparseVector
    length: int
    dense: Vector | None = None


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """What the catalog knows of one indexed document.

    `revision` is unique to (source, path, content, index fingerprint): a document whose
    revision is in the catalog is indexed, whole and current. `includes` are the names of other
    files that it shows, one a line: it changes when they do. `notes` say what is remarkable about
    it, one `code: detail` a line. `chunk_attributes` are the names of those that only chunks have,
    one a line. `embedded` says whether all of its chunks have dense vectors; in a collection
    without it never is. `attributes` are its own, `inherited` those of its source: where these
    change, its chunks get others and are not embedded again.
    """

    source: str
    path: str
    revision: str
    content_hash: str
    ref: str
    size: int
    mtime_ns: int
    chunks: int
    tokens: int
    source_type: SourceType = "docs"
    includes: str = ""
    notes: str = ""
    chunk_attributes: str = ""
    embedded: bool = True
    attributes: Attributes = field(default_factory=dict, hash=False)
    inherited: Attributes = field(default_factory=dict, hash=False)

    @property
    def all_attributes(self) -> Attributes:
        """Those that all of its chunks have."""
        return {**self.inherited, **self.attributes}


class IndexedDocument(NamedTuple):
    """A document as an index takes it: its record, and a point for each of its chunks."""

    record: DocumentRecord
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A source as the catalog remembers it: enough to index it again, and what the last run
    left out. `within` are the paths that were asked for, `""` for all of the source. `skipped`
    counts files by reason code, `skipped_paths` names the first of them as `code: path`; `noted`
    and `noted_paths` do so for what was remarkable about files that are indexed. `complete` is
    False until a run has reached the end. `machine` stands for the one that it was read on, empty
    where that is not known (`support.machine`)."""

    source: Source
    within: tuple[str, ...] = ("",)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    indexed_at: str = ""
    complete: bool = False
    skipped: Mapping[str, int] = field(default_factory=dict)
    skipped_paths: tuple[str, ...] = ()
    noted: Mapping[str, int] = field(default_factory=dict)
    noted_paths: tuple[str, ...] = ()
    machine: str = ""


@dataclass(frozen=True, slots=True)
class CollectionSpec:
    """Chunks of one kind and one dense model, and the fingerprints of what made them.

    `dense` is the dense encoder's fingerprint, None for a lexical collection; `model` is the name
    that opens it (`voyage:voyage-code-3`), empty for the bundled one. `language` is
    the stemming language. `average_length` is the (rounded) mean of `Point.length`. `sparse` is the
    sparse encoder's fingerprint, `sparse_model` the name that opens it, empty for the default one;
    `idf` says whether its weights want the IDF.

    `counted` says that the catalog counts terms, and queries bring the IDF; otherwise the store
    multiplies with its own (`engine_idf`), as in every index before 0.2. `mixed` says that some
    chunks may be weighed with another average length, because weighing has not ended.

    Collections of one `base`, one for each dense model, are one collection to users; an empty one
    stands for the own name. `serial` is their order, the last gets new documents. One that is
    `pending` is being filled and is not searched, nor is one that a later one `replaces`.
    `formerly` are the fingerprints of other dense models, `lexical` for none, that revisions may
    have been named with before the documents were embedded again.

    `attributes` are the names and types of the attributes that were declared or have been seen.
    `require` names those that every search, read and delete must give a value for. `fields` is the
    set of names that its points have for other programs (`ingestion.fields`), empty for none.
    """

    name: str
    sparse: str
    chunker: str
    dense: str | None = None
    dimensions: int = 0
    language: str = "english"
    average_length: float = 0.0
    model: str = ""
    sparse_model: str = ""
    idf: bool = True
    base: str = ""
    serial: int = 0
    pending: bool = False
    replaces: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()
    counted: bool = False
    mixed: bool = False
    attributes: Mapping[str, AttributeType] = field(default_factory=dict, hash=False)
    require: tuple[str, ...] = ()
    fields: str = ""

    @property
    def engine_idf(self) -> bool:
        """Is it the store that multiplies with the IDF?"""
        return self.idf and not self.counted

    @property
    def public_name(self) -> str:
        """What users call it."""
        return self.base or self.name

    @property
    def made_with(self) -> tuple[str, ...]:
        """The dense models that revisions of its documents may name."""
        return (self.dense or LEXICAL, *self.formerly)
