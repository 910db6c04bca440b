"""Recognise moved sources: their location no longer exists, and their documents are elsewhere."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from pincite.errors import SourceError
from pincite.ingestion.run import IndexRun
from pincite.model import DocumentRecord, Notice, Source, SourceRecord
from pincite.readers import content_hash_of
from pincite.sources import OpenSource
from pincite.support.machine import this_machine

#: At most this number of documents is compared, spread over a source.  # guess, unmeasured
_COMPARED: Final = 40
#: Of five documents, this number must be the same. It is high, because projects from one template
#: share files, and a moved source keeps its attributes.  # guess, unmeasured
_SAME_OF_FIVE: Final = 4


class MissingSource(msgspec.Struct, frozen=True):
    """A source whose location on this machine no longer exists, and a sample of its documents."""

    record: SourceRecord
    documents: tuple[DocumentRecord, ...]


async def gone_sources(run: IndexRun) -> tuple[MissingSource, ...]:
    """Return the sources of the collection whose location on this machine no longer exists. Sources
    that another machine has indexed are left out: their locations may exist there."""
    gone = []
    for record in run.sources:
        source = record.source
        if source.kind == "records" or record.machine != this_machine():
            continue
        if not _is_gone(source.location):
            continue
        found: list[DocumentRecord] = []
        for info in run.held:
            found += await run.client.documents(info.spec.name, source.name)
        gone.append(MissingSource(record, tuple(found[:: len(found) // _COMPARED + 1])))
    return tuple(gone)


def moved_from(
    opened: OpenSource, gone: Sequence[MissingSource], name: str | None, index: Path | None
) -> Source | None:
    """Return the source that has moved to this location, or None. With `name`, it is the missing
    source of that name. Otherwise, it is one whose documents are here with the same content, and
    which has the same name, or contained the index folder, which has moved with it. A missing
    source of the same name without documents counts as moved, too."""
    source = opened.source
    with_index = index is not None and Path(source.location) in index.resolve().parents
    for one in sorted(gone, key=lambda each: each.record.source.name != source.name):
        known = one.record.source
        if known.kind != source.kind:
            continue
        if name is not None:
            if known.name == name:
                return known
        elif known.name != source.name and not (with_index and one.documents):
            continue
        elif _are_here(opened, one.documents):
            return known
    return None


def refuse(opened: OpenSource, before: str, gone: Sequence[MissingSource]) -> SourceError:
    """Return the error for a source with the name of another one, which is at `before`."""
    name = opened.source.name
    other = "give this one another name with --name NAME; or, to index it instead of that one,"
    if any(
        (one.record.source.name, one.record.source.kind) == (name, opened.source.kind)
        for one in gone
    ):
        return SourceError(
            f"a source named {name!r} is already indexed from {before}, which no longer exists,"
            " and fewer than four of five of the documents compared are the same here;"
            " files that cannot be read do not count",
            hint=f"{other} because it has moved here: --name {name}",
        )
    return SourceError(
        f"a source named {name!r} is already indexed from {before}",
        hint=f"{other} as in a copied project, first: pincite collections forget {name}",
    )


def moved_notice(moved: Source, now: Source) -> Notice:
    """Return the notice with the former and the current location of a moved source."""
    before = f"{moved.name} was at {moved.location}, which no longer exists"
    return Notice("source_moved", f"{before}, and is now at {now.location}")


def _are_here(opened: OpenSource, documents: Sequence[DocumentRecord]) -> bool:
    """Return whether at least four of five of these documents are in a source, with the same
    content. Unreadable files count as different."""
    same = sum(_is_here(opened, one) for one in documents)
    return same * 5 >= len(documents) * _SAME_OF_FIVE


def _is_here(opened: OpenSource, document: DocumentRecord) -> bool:
    entry = opened.find(document.path)
    if entry is None or entry.size != document.size:
        return False
    try:
        return content_hash_of(opened.read(entry)) == document.content_hash
    except SourceError:
        return False


def _is_gone(location: str) -> bool:
    try:
        os.lstat(location)  # a link counts as existing
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # an unreadable folder above it, or a disk that fails
        return False
    return False
