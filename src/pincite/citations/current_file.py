"""The current file of a citation: its document, the reason why it is missing, or its new path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

from pincite.current_files.verdicts import missing_place
from pincite.errors import PinciteError, SourceError
from pincite.model import Document, Notice, SourceRecord
from pincite.readers import content_hash_of, read_document
from pincite.readers.extraction.result import reason_of
from pincite.sources import Entry, OpenSource, SkipCode, Skipped, UnreadableFile
from pincite.sources.entries import within_any
from pincite.sources.kinds import suffix_of
from pincite.support.finding.find import Exact, Lines, Words

#: The result of checking a citation with the current files; see `docs/freshness.md`.
CitationStatus = Literal["fresh", "moved", "changed", "deleted", "unknown"]
_NO_FILE: frozenset[SkipCode] = frozenset({"special", "link", "outside", "loop"})
_WHOLE_HASH = 64  # digits


def document_at(opened: OpenSource, path: str) -> Document | None:
    """Return the document of the current file, None if the source no longer has it. Raises
    SourceError, and UnreadableFile if the file exists and cannot be read."""
    entry = opened.find(path)
    if entry is None:
        return None
    if (document := opened.document(entry)) is not None:
        return document
    raw = opened.read(entry)
    ref = opened.ref_for(entry, content_hash_of(raw), raw)
    try:
        return read_document(raw, source=opened.source, path=path, ref=ref)
    except SourceError as error:
        code, detail = reason_of(error)
        raise UnreadableFile(path, detail or code) from error


def absent(opened: OpenSource, path: str) -> tuple[CitationStatus, str]:
    """Return the status and the reason for a file that `document_at` does not return."""
    left_out = opened.left_out(path)
    if left_out is None or left_out.code in _NO_FILE:
        return "deleted", "the file is gone"
    if left_out.code == "empty":
        return "changed", "the file is empty"
    return "unknown", f"the file was not read: {why_not_read(left_out)}"


def status_of(error: PinciteError, record: SourceRecord) -> CitationStatus:
    """Return the status of a citation whose file was not compared because of an error: `deleted` if
    the file, or the folder or archive of its source, is gone; `unknown` if it may be there. If the
    index was made on another machine, a missing source may be there."""
    if not isinstance(error, SourceError) or isinstance(error, UnreadableFile):
        return "unknown"
    kind = record.source.kind
    missing = kind != "records" and missing_place(record, folder=kind not in ("archive", "wheel"))
    return "unknown" if isinstance(missing, Notice) else "deleted"


def why_not_read(left_out: Skipped) -> str:
    """Return the reason why an existing file is not read, as the end of a sentence."""
    if left_out.cannot_be_read:
        return left_out.detail or "it cannot be read"
    return f"its source leaves it out now ({left_out.code})"


class CurrentFile:
    """The document of a current file. Its words and lines are split at the first search."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.words = Words(document.text)
        self.exact = Exact(document.text)


class CurrentFiles:
    """The current files of a request. The last file is kept, so that several claims about it read
    it once. Files are kept by collection: the same file may be read with other settings there."""

    def __init__(self) -> None:
        self._last: tuple[tuple[str, str, str], CurrentFile] | None = None

    def at(self, opened: OpenSource, collection: str, path: str) -> CurrentFile | None:
        """Return the current file at a path of a source of this collection, None if it is missing.
        Raises as `document_at`."""
        key = collection, opened.source.name, path
        if self._last is None or self._last[0] != key:
            self._last = None  # free the memory before the next file is read
            if (document := document_at(opened, path)) is None:
                return None
            self._last = key, CurrentFile(document)
        return self._last[1]

    def lack(self, place: tuple[str, str, str], quote: str) -> bool:
        """Return whether this place (collection, source and path) is that of the last file, and the
        file does not have the quote, apart from white space, not even inside a word."""
        if self._last is None or self._last[0] != place:
            return False
        return self._last[1].words.find(quote, Lines(1, 1)) is None


class Renames:
    """Finds the new path of a file by its content. The files of a source with one suffix are read
    once; a source is kept for each collection, because these may have different parts of it."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], Mapping[str, str]] = {}

    def to(
        self,
        opened: OpenSource,
        collection: str,
        path: str,
        content_hash: str,
        parts: Sequence[str] = ("",),
    ) -> str | None:
        """Return the path of a file in these parts of the source with this content, None if there
        is none. Only files with the suffix of `path` are read. The hash may be abbreviated."""
        suffix = suffix_of(path)
        key = (collection, opened.source.name, suffix)
        if key not in self._known:
            self._known[key] = _by_content(opened, suffix)
        known = self._known[key]
        there = known.get(content_hash)
        if there is None and len(content_hash) < _WHOLE_HASH:
            there = next((known[one] for one in known if one.startswith(content_hash)), None)
        if there is None or within_any(there, parts) is None:
            return None
        return there


def _by_content(opened: OpenSource, suffix: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for entry in opened.entries():
        if isinstance(entry, Entry) and suffix_of(entry.path) == suffix:
            with suppress(SourceError):  # an unreadable file is not a candidate
                found.setdefault(content_hash_of(opened.read(entry)), entry.path)
    return found
