"""Sources, documents, chunks, and their records in stores and catalogs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

import msgspec

from pincite.model.attribute_types import Attributes, AttributeType
from pincite.model.model_names import with_owner

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]  #: shape (dimensions,)
    Matrix = NDArray[np.float32]  #: shape (rows, dimensions)
else:
    Vector = Matrix = Any  # importing numpy takes 80 ms, and every module imports this one

SourceType = Literal["docs", "code", "data"]
SourceKind = Literal["folder", "git", "archive", "wheel", "file", "records"]
LEXICAL = "lexical"  #: instead of a dense model's fingerprint
AnchorStyle = Literal["mkdocs", "github", "none"]
PageUnit = Literal["page", "slide", "sheet", "cell", "chapter"]
#: The unit of a citation: lines of a file, characters of a record, or the parts of a file with
#: extracted text, and characters within that text.
CitedIn = Literal["", "char", "page", "slide", "sheet", "cell", "chapter"]
PAGE_UNITS: tuple[PageUnit, ...] = get_args(PageUnit)
ElementKind = Literal["paragraph", "heading", "table", "image"]
#: A rectangle on a page, in points from its upper left corner: left, top, right, bottom.
Box = tuple[float, float, float, float]
Rows = tuple[int, int]  #: the first and the last row of a sheet, from 1


class Source(msgspec.Struct, frozen=True):
    """Where documents come from: one folder, checkout, archive, wheel or single file.

    Citations begin with its `name`. `ref` is an immutable revision (commit SHA, release version).
    If it is None, documents have their own content hash instead. `pinned` says that the ref was
    given, not found, and stays when the source is opened again. `url_rule` has one `regex=>address`
    per line; `anchors` names the site's rule for anchors of headings. `attributes` apply to all of
    its documents, unless a document has its own value. `front_matter` says whether the front matter
    of Markdown files becomes attributes. `descriptions` are those of its folders and files, by
    path; `index_descriptions` says whether encoders read them. `mask_secrets` masks what looks like
    a secret in all texts. `ocr` says whether OCR reads pages of PDFs that are pictures.
    """

    name: str
    location: str
    kind: SourceKind
    ref: str | None = None
    url_rule: str | None = None
    anchors: AnchorStyle = "mkdocs"
    pinned: bool = False
    attributes: Attributes = {}
    front_matter: bool = True
    descriptions: Mapping[str, str] = {}
    index_descriptions: bool = False
    mask_secrets: bool = False
    ocr: bool = False

    def __hash__(self) -> int:
        return hash((self.name, self.location, self.ref))  # a mapping has no hash


class PageSpan(msgspec.Struct, frozen=True):
    """A page of a record or of an extracted document: `Document.text[start:end]`, and the
    attributes of its chunks. `number` counts from 1, as file viewers do; 0 in a record.
    `recognised` says that the page is a picture and OCR has read its text."""

    start: int
    end: int
    attributes: Attributes = {}
    number: int = 0
    recognised: bool = False

    def __hash__(self) -> int:
        return hash((self.start, self.end))  # a mapping has no hash


class Element(msgspec.Struct, frozen=True):
    """A part of an extracted document: `Document.text[start:end]`, on one page. `box` is its place
    on the page, None if the format has no positions. `level` is the level of a heading, from 1.
    `header` is the header row of a table; each of its chunks repeats it for the encoder. `marginal`
    marks running headers and footers, which are not indexed. `image` is the SHA-256 of the bytes of
    an image, otherwise empty. `note` is a vision model's description of the image, not part of any
    text. `row` is the number of the first row of a table in a sheet, whose lines are consecutive
    rows; 0 elsewhere."""

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


class Document(msgspec.Struct, frozen=True):
    """One file or page, decoded: `raw.decode(encoding) == text`, no newline is translated.

    `url` is its address, None if no rule gives one. `inclusions` are texts of other files that the
    page shows instead of one of its lines, by that line's 0-based number. `attributes` are its own.
    A record is `cited_in` characters, unless its text was extracted from a file. If it has `pages`,
    no chunk spans two of them.

    An `extractor` (its name and version) makes the text of a PDF or an office file, the same text
    each time. Then `encoding` is empty, and `elements` are the parts of the text in reading order,
    none of them on two pages. `described` is the description of its folders for encoders.
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
    inclusions: Mapping[int, str] = {}
    attributes: Attributes = {}
    cited_in: CitedIn = ""
    pages: tuple[PageSpan, ...] = ()
    extractor: str = ""
    elements: tuple[Element, ...] = ()
    described: str = ""


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
    def page(self) -> int:
        """The number of its page, slide, sheet, cell or chapter, from 1; 0 if it has none."""
        return self.on_page.number if self.on_page else 0

    @property
    def visual(self) -> bool:
        """Is it a table or an image of an extracted document?"""
        return self.on_page is not None and self.on_page.visual

    @property
    def candidate_id(self) -> str:
        """`{repo}@{ref}:{path}:{id}`: one name for this chunk in every collection."""
        return f"{self.repo}@{self.ref}:{self.path}:{self.id}"


class SparseVector(msgspec.Struct, frozen=True):
    """Token ids (unsigned 32-bit, ascending, unique) and their finite weights, equally many."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


class TermCounts(msgspec.Struct, frozen=True, array_like=True):
    """Counts for the IDF: `chunks` with any term, and `having` by term id."""

    chunks: int = 0
    having: Mapping[int, int] = {}


class Point(msgspec.Struct, frozen=True):
    """A chunk with its vectors, for a store. `dense` is None in a lexical collection and if the
    vector follows later.

    `length` is the number of tokens that the sparse encoder counted.
    """

    chunk: Chunk
    sparse: SparseVector
    length: int
    dense: Vector | None = None


class DocumentRecord(msgspec.Struct, frozen=True):
    """An indexed document in the catalog.

    `revision` names the indexed version, `ref` the revision that citations name (see the glossary).
    It is unique to (source, path, content, index fingerprint). A document whose revision is
    in the catalog is completely indexed and current. `includes` are the names of other files that
    it shows, one per line; it changes with them. `notes` are remarks, one `code: detail` per line.
    `chunk_attributes` are the names of attributes that only chunks have, one per line. `embedded`
    says whether all of its chunks have dense vectors; it is False in a lexical collection.
    `attributes` are its own, `inherited` those of its source. If either changes, its chunks are
    updated and not embedded again.
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
    attributes: Attributes = {}
    inherited: Attributes = {}

    def __hash__(self) -> int:
        return hash(self.revision)  # a mapping has no hash

    @property
    def all_attributes(self) -> Attributes:
        """The attributes of all of its chunks."""
        return {**self.inherited, **self.attributes}


class IndexedDocument(NamedTuple):
    """A document for an index: its record, and a point for each of its chunks."""

    record: DocumentRecord
    points: Sequence[Point]


class SourceRecord(msgspec.Struct, frozen=True):
    """A source in the catalog: enough to index it again, and what the last run left out. `within`
    are the selected paths, `""` for the whole source. `skipped` counts files by reason code,
    `skipped_paths` names the first ones as `code: path`. `noted` and `noted_paths` do the same for
    remarks on indexed files. `skipped_in` has the counts of each part that was indexed by itself,
    without those of parts within another. `complete` is False until a run reaches the end.
    `machine` identifies the machine that read it, empty if unknown (`support.machine`)."""

    source: Source
    within: tuple[str, ...] = ("",)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    indexed_at: str = ""
    complete: bool = False
    skipped: Mapping[str, int] = {}
    skipped_paths: tuple[str, ...] = ()
    noted: Mapping[str, int] = {}
    noted_paths: tuple[str, ...] = ()
    machine: str = ""
    skipped_in: Mapping[str, Mapping[str, int]] = {}


#: Terms in a chunk whose weights its length does not change. As all chunks have the same target
#: size, the averages of 18 repositories are 47 to 75, of collections of prose 49 to 63.
AVERAGE_LENGTH: Final = 56.0


class CollectionSpec(msgspec.Struct, frozen=True):
    """The specification of a collection: one dense model, and the fingerprints of its encoders.

    `dense` is the dense encoder's fingerprint, None for a lexical collection. `model` is the name
    that opens it (`voyage:voyage-code-3`), empty for the bundled one. `language` is the stemming
    language. `average_length` is the length in terms to which BM25 compares that of a chunk.
    `sparse` is the sparse encoder's fingerprint, `sparse_model` the name that opens it, empty for
    the default one. `idf` says whether its weights need the IDF.

    `counted` says that the catalog counts terms, and queries contain the IDF. Otherwise the store
    applies its own (`engine_idf`), as in every index before 0.2. `mixed` says that some chunks may
    have weights of another average length, because weighing has not finished.

    Collections with the same `base`, one for each dense model, are one collection to users. An
    empty `base` means the collection's own name. `serial` is their order; the last one gets new
    documents. A `pending` one is being filled and is not searched. Neither is one that a later one
    `replaces`. `formerly` are the fingerprints of earlier dense models, `lexical` for none, that
    revisions may contain from before the documents were embedded again.

    `attributes` are the names and types of declared or observed attributes. `require` names those
    that every search, read and delete must give. `fields` is the set of payload fields that its
    points have for other programs (`ingestion.attributes.automatic`), empty for none.
    """

    name: str
    sparse: str
    chunker: str
    dense: str | None = None
    dimensions: int = 0
    language: str = "english"
    average_length: float = AVERAGE_LENGTH
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
    attributes: Mapping[str, AttributeType] = {}
    require: tuple[str, ...] = ()
    fields: str = ""

    def __post_init__(self) -> None:
        """Take a fingerprint of an earlier version, which lacks the owner of the model, as what it
        stands for: the stored name has the owner. Revisions from then stay valid."""
        full = with_owner(self.dense or "", self.model)
        if self.dense and full != self.dense:
            formerly = tuple(sorted({*self.formerly, self.dense}))
            msgspec.structs.force_setattr(self, "dense", full)
            msgspec.structs.force_setattr(self, "formerly", formerly)

    def __hash__(self) -> int:
        return hash((self.name, self.sparse, self.dense))  # a mapping has no hash

    @property
    def dense_name(self) -> str:
        """Return the name of the dense model, empty for a lexical collection."""
        return "" if self.dense is None else self.model or "bundled"

    @property
    def engine_idf(self) -> bool:
        """Does the store apply the IDF?"""
        return self.idf and not self.counted

    @property
    def public_name(self) -> str:
        """Its name for users."""
        return self.base or self.name

    @property
    def made_with(self) -> tuple[str, ...]:
        """The dense models that may occur in revisions of its documents."""
        return (self.dense or LEXICAL, *self.formerly)
