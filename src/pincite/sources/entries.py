"""What a source lists and how it is read: the words that all kinds of sources share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

from pincite.model.revisions import content_ref
from pincite.readers.extractors import extracted_suffix

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pincite.model import Attributes, Document, DocumentRecord, Source

SkipCode = Literal[
    "binary",  # NUL bytes, mostly control characters, or a suffix that says so
    "minified",  # made for machines: a few very long lines
    "oversize",  # larger than the limits, or an archive member that claims absurd sizes
    "empty",
    "unsupported",  # a type that no reader reads
    "generated",  # lock files, source maps, and what is generated in lines that nobody reads
    "unreadable",  # no permission, damaged, encrypted, a dangling link, a name that is not text
    "outside",  # a link or an archive member that leads out of the source
    "loop",  # a link to a folder that contains it
    "link",  # a link within the source: its target is listed under its own name
    "special",  # FIFO, socket or device: never opened
    "hidden",  # a name that begins with a dot
    "ignored",  # an ignore file or an exclude pattern says so
]


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """Sizes beyond which a file or an archive is not read.

    Of the text files in a dozen large public packages none that anyone would cite is above
    2 MB; the rest are data dumps and logs.  # guess, checked on adk-docs and google-adk only
    """

    max_file_bytes: int = 5_000_000
    max_extracted_bytes: int = 100_000_000  # of a file whose text is extracted, pictures and all
    max_total_bytes: int = 1_000_000_000  # of one archive, unpacked
    max_ratio: int = 200  # unpacked to packed; deflate of real text stays below 30
    max_members: int = 200_000  # of one archive; the sources of Linux have 90,000

    def most_bytes(self, path: str) -> int:
        """How large the file of this name may be."""
        return self.max_extracted_bytes if extracted_suffix(path) else self.max_file_bytes


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files of a source count. Patterns have the syntax of `.gitignore` lines.

    `include` (if any) must match a file, `exclude` wins over it. Hidden files and folders are
    left out, as ripgrep does, except for `.github` and `.gitlab`, where projects keep docs.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    ignore_files: bool = True


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that may be read. `mtime_ns` is the CRC-32 of the content in archives, where
    times are often constant: equal (size, mtime_ns) means that the file has not changed."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder (with a final slash) that is left out, and why."""

    path: str
    code: SkipCode
    detail: str = ""


class OpenSource(ABC):
    """A source that is open for reading; a context manager."""

    def __init__(self, source: Source, *, within: str = "") -> None:
        self.source = source
        #: path prefix that this listing is limited to ("" = all): a folder ends in "/"
        self.within = within

    @abstractmethod
    def entries(self) -> Iterator[Entry | Skipped]:
        """Files in the order of their posix paths, without reading any; and what is skipped."""

    @abstractmethod
    def find(self, path: str) -> Entry | None:
        """The file of this path anywhere in the source, if it may be read: whether or not it is
        within the listing or matches the `include` patterns, but nothing hidden or excluded."""

    @abstractmethod
    def read(self, entry: Entry) -> bytes:
        """The bytes of a file. Raises SourceError where they cannot be had."""

    def read_at(self, ref: str, path: str) -> bytes | None:  # noqa: ARG002  # checkouts look
        """The bytes that a file had at a revision, b"" if that has no such file; None where the
        revision is not at hand."""
        return None

    def ref_for(
        self,
        entry: Entry,  # noqa: ARG002  # checkouts look
        content_hash: str,
        raw: bytes | None = None,  # noqa: ARG002
    ) -> str:
        """The revision that a citation of this file names: that of the source, or its content.
        `raw` are its bytes, read again where they are not given and matter."""
        return self.source.ref if self.source.ref else content_ref(content_hash)

    def keeps(self, ref: str) -> bool:  # noqa: ARG002  # checkouts look
        """Does a file that had this revision still have it if its content is the same?"""
        return False

    def document(self, entry: Entry) -> Document | None:  # noqa: ARG002  # records are documents
        """The document of an entry that is none of a file; None where readers make one of `read`.
        Raises SourceError."""
        return None

    def made_of(self, path: str) -> str:  # noqa: ARG002  # records look
        """What else but its content makes a document's chunks what they are, "" for nothing."""
        return ""

    def attributes_of(self, path: str) -> Attributes | None:  # noqa: ARG002  # records look
        """The attributes of a document as they are now; None where they stand in its content."""
        return None

    def settle(self, indexed: Sequence[DocumentRecord]) -> None:  # noqa: B027
        """The index has these documents as they are here."""

    def close(self) -> None:  # noqa: B027  # most sources hold nothing open
        """Let go of what is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
