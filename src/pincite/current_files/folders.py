"""Compare passages of a folder, a checkout or a file with the current files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pincite.current_files.checkouts import Checkouts, GitFile
from pincite.current_files.disk import Content, Disk, Lacking
from pincite.current_files.find_again_extracted import changed_file
from pincite.current_files.verdicts import (
    NumberedQuote,
    changed,
    fresh,
    gone,
    lacking,
    missing_place,
    unchecked,
)
from pincite.model import Notice, Source, SourceRecord
from pincite.model.revisions import content_ref
from pincite.ports import Seen
from pincite.readers import text_in


@dataclass(slots=True)
class _Look:
    """One look at a source. `folders` says which paths are folders. `contents` has the contents of
    files, `later` the quotes for which git has to be asked."""

    record: SourceRecord
    head: str | None
    seen: list[Seen | None]
    folders: dict[str, bool] = field(default_factory=dict)
    contents: dict[str, Content | Lacking] = field(default_factory=dict)
    later: list[tuple[GitFile, NumberedQuote]] = field(default_factory=list)


class Folders:
    """Compares quotes with the files below the roots of sources."""

    def __init__(self, disk: Disk, checkouts: Checkouts) -> None:
        self._disk = disk
        self._checkouts = checkouts

    def look(
        self, record: SourceRecord, asked: Sequence[NumberedQuote], seen: list[Seen | None]
    ) -> None:
        """Write the result of each quote into `seen`, at its number. A file for which git has to be
        asked is cited by its content until git has answered."""
        missing = missing_place(record, folder=True)
        if missing is not None:
            for number, quote in asked:
                if isinstance(missing, Notice):
                    seen[number] = unchecked(quote, missing)
                else:
                    seen[number] = gone(quote, "deleted", missing)
            return
        source = record.source
        head = self._checkouts.head(source.location) if source.kind == "git" else None
        this = _Look(record, head, seen)
        for one in asked:
            content = self._content(this, one)
            if isinstance(content, Lacking):
                seen[one.number] = lacking(one.quote, content, source.name)
            else:
                self._compare(this, one, content)
        if this.later and head is not None:
            self._ask_git(this, head)

    def _content(self, this: _Look, one: NumberedQuote) -> Content | Lacking:
        """Return the content of the file of a quote, with its bytes if it has changed."""
        root, chunk = this.record.source.location, one.quote.chunk
        content = this.contents.get(chunk.path)
        if content is None:
            content = self._disk.content(root, chunk.path, this.folders)
        if (
            isinstance(content, Content)
            and content.raw is None
            and content.content_hash != chunk.content_hash
        ):
            content = self._disk.content(root, chunk.path, this.folders, raw=True)
        this.contents[chunk.path] = content
        return content

    def _compare(self, this: _Look, one: NumberedQuote, content: Content) -> None:
        source, chunk = this.record.source, one.quote.chunk
        same = content.content_hash == chunk.content_hash
        ref: str | None = chunk.ref if same else content_ref(content.content_hash)
        if source.kind == "git" and not (source.pinned and source.ref != this.head):
            file = GitFile(chunk.path, content.content_hash, chunk.ref if same else "")
            ref = self._checkouts.known(source.location, this.head, file)
            if ref is None:
                ref = content_ref(content.content_hash)
                this.later.append((file, one))
        this.seen[one.number] = _held_against(one, content, ref or "", source)

    def _ask_git(self, this: _Look, head: str) -> None:
        root = this.record.source.location
        found = [(file, one) for file, one in this.later if not _is_gone(this.seen[one.number])]
        self._checkouts.ask(root, head, dict.fromkeys(file.path for file, _ in found))
        for file, one in found:
            content = this.contents[file.path]
            if isinstance(content, Content) and content.raw is None:
                content = self._disk.content(root, file.path, this.folders, raw=True)
            if isinstance(content, Lacking) or content.content_hash != file.content_hash:
                continue  # it has changed since a moment ago
            ref = self._checkouts.ref(root, head, file, content.raw or b"")
            source = this.record.source
            this.seen[one.number] = _held_against(one, content, ref, source)


def _is_gone(seen: Seen | None) -> bool:
    return seen is None or seen.gone is not None


def _held_against(one: NumberedQuote, content: Content, ref: str, source: Source) -> Seen:
    chunk = one.quote.chunk
    if content.content_hash == chunk.content_hash:
        return fresh(one.quote, ref)
    raw = content.raw or b""
    if chunk.on_page is not None:
        return changed_file(one.quote, raw, ref, content.content_hash, source)
    return changed(one.quote, text_in(raw, source, chunk.path)[0], ref, content.content_hash)
