"""Sources and their documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import msgspec

from pincite.model.attribute_types import Attributes

SourceType = Literal["docs", "code", "data"]
SourceKind = Literal["folder", "git", "archive", "wheel", "file", "records"]
AnchorStyle = Literal["mkdocs", "github", "none"]
PageUnit = Literal["page", "slide", "sheet", "cell", "chapter"]
#: The unit of a citation: `""` for lines of a file, `char` for characters of a record, otherwise
#: the parts of a file with extracted text, and characters within that text.
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
    `file_types` are `PATTERN=LANGUAGE` for files that are read as another type than their name
    says; the last pattern that matches decides.
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
    file_types: tuple[str, ...] = ()

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
