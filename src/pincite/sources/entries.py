"""Entries of a source and the interface to read them, shared by all kinds of sources."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import chain
from typing import TYPE_CHECKING, Final, Literal, Self

import msgspec

from pincite.errors import SourceError
from pincite.model.left_out import outer_parts
from pincite.model.revisions import content_ref
from pincite.readers.extraction.extractors import extracted_suffix

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

    from pincite.model import Attributes, Document, DocumentRecord, Source

SkipCode = Literal[
    "binary",  # NUL bytes, mostly control characters, or a suffix that says so
    "minified",  # made for machines: a few very long lines
    "oversize",  # larger than the limits, or an archive member that claims absurd sizes
    "empty",
    "unsupported",  # a type that no reader reads
    "generated",  # lock files, source maps, and generated code with long lines
    "unreadable",  # no permission, damaged, encrypted, a dangling link, a name that is not text
    "outside",  # a link or an archive member that leads out of the source
    "loop",  # a link to a folder that contains it
    "link",  # a link within the source: its target is listed under its own name
    "special",  # FIFO, socket or device: never opened
    "hidden",  # a name that begins with a dot
    "dependencies",  # a folder of installed packages: node_modules, a virtual environment
    "ignored",  # an ignore file or an exclude pattern says so
    "untrusted",  # git ignores it, and a `.pinciteignore` that is not trusted includes it
]

#: The reason for a name that is not valid UTF-8. The path of such an entry is only for display, and
#: may equal that of another file.
NAME_IS_NO_TEXT: Final = "the name is not valid UTF-8"

_TIMES: Final = 2**63  # nanoseconds: the range of a column of a database


class SourceLimits(msgspec.Struct, frozen=True):
    """Sizes beyond which a file or an archive is not read: bytes, a ratio and a number of members.

    `max_file_bytes` is to leave out dumps of data and logs.  # guess, checked on adk-docs and
    google-adk only: none of their text files that anyone would cite is above 2 MB
    """

    max_file_bytes: int = 5_000_000
    max_extracted_bytes: int = 100_000_000  # of a file whose text is extracted, pictures included
    max_total_bytes: int = 1_000_000_000  # of one archive, unpacked
    max_ratio: int = 200  # unpacked to packed; deflate of real text stays below 30
    max_members: int = 200_000  # of one archive; the sources of Linux have 90,000

    def most_bytes(self, path: str) -> int:
        """Return the maximum size of the file of this name."""
        return self.max_extracted_bytes if extracted_suffix(path) else self.max_file_bytes


class Selection(msgspec.Struct, frozen=True):
    """The selected files of a source. Patterns have the syntax of `.gitignore` lines.

    `include` (if any) must match a file, `exclude` wins over it. Hidden files and folders are left
    out, as in ripgrep, except `.github` and `.gitlab`, where projects keep docs. `file_types` are
    those of `Source`.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    ignore_files: bool = True
    file_types: tuple[str, ...] = ()


class Entry(msgspec.Struct, frozen=True):
    """A file that may be read. Equal (size, mtime_ns) means that the file has not changed. In
    archives, `mtime_ns` is the CRC-32 of the content, because times are often constant. On disk,
    tools may set `mtime_ns`; `changed_ns` is the time of the last change of the file or of its
    metadata, which tools cannot set; 0 if unknown."""

    path: str
    size: int
    mtime_ns: int
    changed_ns: int = 0


def mtime_of(status: os.stat_result) -> int:
    """Return the modification time of a file in nanoseconds, as a catalog can store it: in 64 bits,
    and never 0, which stands for a time that matches no file. Times before 1677 and after 2262 do
    not fit; they are folded into the range, so that different times stay different."""
    ns = status.st_mtime_ns
    return (ns if -_TIMES <= ns < _TIMES else ns % _TIMES) or 1


class Skipped(msgspec.Struct, frozen=True):
    """A file or folder (with a trailing slash) that is left out, and the reason."""

    path: str
    code: SkipCode
    detail: str = ""
    of_archive: bool = False  #: whether `path` is the name of the archive that this is about

    @property
    def cannot_be_read(self) -> bool:
        """Return whether the file or folder with this path exists and cannot be read."""
        return self.code == "unreadable" and self.detail != NAME_IS_NO_TEXT


class UnreadableFile(SourceError):
    """An existing file cannot be read now, for this `reason`. It may be readable later."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} cannot be read: {reason}.")
        self.reason = reason


class UnreadableSource(UnreadableFile):
    """A source that is there cannot be opened now, as an archive that is only half written."""

    def __init__(self, message: str, hint: str) -> None:
        SourceError.__init__(self, message, hint=hint)
        self.reason = message


def within_any(path: str, places: Container[str]) -> str | None:
    """Return the innermost of these places that a path is, or is in, or None. Places are files,
    folders with a trailing slash, or "" for everything."""
    above = (path[:at] for at in range(len(path), 0, -1) if at == len(path) or path[at - 1] == "/")
    return next((place for place in chain(above, ("",)) if place in places), None)


def content_of(documents: Iterable[DocumentRecord], ref: str | None) -> dict[str, str]:
    """Return the content hashes, by path, of the documents of this revision; see
    `OpenSource.named`."""
    return {one.path: one.content_hash for one in documents if one.ref == ref}


class OpenSource(ABC):
    """A source open for reading; a context manager."""

    def __init__(self, source: Source, *, within: str = "") -> None:
        self.source = source
        #: path prefix that this listing is limited to ("" = all): a folder ends in "/"
        self.within = within
        #: paths that the user has named, like `within`; "" names no part. Those inside `within`
        #: are listed even if an ignore file or a hidden name would leave them out
        self.parts: tuple[str, ...] = (within,)
        #: content hashes, by path, of documents that were indexed under a given ref; the ref
        #: applies only to files with this content. None if it applies to the whole source
        self.named: Mapping[str, str] | None = None

    @abstractmethod
    def entries(self) -> Iterator[Entry | Skipped]:
        """Yield files and skipped entries in the order of their posix paths, without reading
        them."""

    @abstractmethod
    def find(self, path: str) -> Entry | None:
        """Return the file of this path anywhere in the source, if it may be read. It need not be
        within the listing or match the `include` patterns, but must not be hidden or excluded,
        unless it is in one of the `parts`."""

    def parts_to_name(self, parts: Collection[str]) -> tuple[str, ...]:
        """Return those of the `parts` that the record of the source has to name, in the order of
        paths: those that are in no other part, and existing ones that the listing of the enclosing
        part leaves out."""
        return outer_parts(parts)

    def left_out(self, path: str) -> Skipped | None:  # noqa: ARG002  # folders look
        """Return the reason why `find` returns nothing for an existing file; None if the file is
        missing, or if the reason is unknown."""
        return None

    @abstractmethod
    def read(self, entry: Entry) -> bytes:
        """Return the bytes of a file. Raises SourceError if it no longer exists or is another kind
        of file by now, UnreadableFile if it may be readable later."""

    def can_read(self, entry: Entry) -> bool:  # noqa: ARG002  # folders look
        """Return whether this process may read a file now, without reading it."""
        return True

    def read_at(self, ref: str, path: str) -> bytes | None:  # noqa: ARG002  # checkouts look
        """Return the bytes of a file at a revision, b"" if the revision has no such file; None if
        the revision is not available."""
        return None

    def ref_for(self, entry: Entry, content_hash: str, raw: bytes | None = None) -> str:
        """Return the revision for citations of this file: the given one if it applies to this
        content, else `own_ref`. `raw` are the bytes of the file; if missing, they are read when
        needed."""
        given = self.source.ref if self.source.pinned else None
        if given and self.named is not None and self.named.get(entry.path) == content_hash:
            return given
        if given and self.named is None and not self.contradicts(entry, raw):
            return given
        return self.own_ref(entry, content_hash, raw)

    def contradicts(self, entry: Entry, raw: bytes | None = None) -> bool:  # noqa: ARG002
        """Return whether the given revision is known to have other content at this path."""
        return False

    def own_ref(
        self,
        entry: Entry,  # noqa: ARG002  # checkouts look
        content_hash: str,
        raw: bytes | None = None,  # noqa: ARG002
    ) -> str:
        """Return the revision that the source itself records for a file, or its content hash."""
        ref = None if self.source.pinned else self.source.ref
        return ref or content_ref(content_hash)

    def keeps(self, ref: str) -> bool:  # noqa: ARG002  # checkouts look
        """Return whether an unchanged file with this revision still has it."""
        return False

    @property
    def unread_commit(self) -> str | None:
        """Return the commit that files were to be compared with and that could not be read, None if
        there is none."""
        return None

    def read_commit(self) -> None:  # noqa: B027  # checkouts look
        """Read the commit that files are compared with, for `unread_commit`."""

    def document(self, entry: Entry) -> Document | None:  # noqa: ARG002  # records are documents
        """Return the document of an entry that is not a file; None if readers make one from `read`.
        Raises SourceError."""
        return None

    def made_of(self, path: str) -> str:  # noqa: ARG002  # records look
        """Return a digest of everything except the content that a document's chunks depend on; ""
        if there is nothing else."""
        return ""

    def attributes_of(self, path: str) -> Attributes | None:  # noqa: ARG002  # records look
        """Return the current attributes of a document; None if they are read from its content."""
        return None

    def settle(self, indexed: Sequence[DocumentRecord]) -> None:  # noqa: B027
        """Record that the index has these documents in their current form."""

    def close(self) -> None:  # noqa: B027  # most sources hold nothing open
        """Release open resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
