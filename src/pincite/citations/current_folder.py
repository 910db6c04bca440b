"""Find files by paths that count from the caller's current folder, as in a terminal.

A path that begins with `./` or `../` counts from this folder first. Any other counts from it if it
names no file elsewhere, or several. What is not in the folder is looked up from the roots of the
sources around it, the innermost first. If the folder is in no source, `./PATH` counts from any
root.
"""

from __future__ import annotations

import posixpath

from pincite.asking import sources_around, within_sources
from pincite.citations.listing import CitedIndex
from pincite.citations.passage import IndexedFile, indexed_file
from pincite.support.drives import has_drive


def is_from_here(path: str) -> bool:
    """Return whether a path counts from the current folder first."""
    return path.startswith(("./", "../"))


async def find_from_here(index: CitedIndex, path: str) -> list[IndexedFile] | None:
    """Return the files that a path names from the current folder, or from a root around it. None if
    it does not count from there: the caller has no folder, the path is absolute, or there is no
    such file and no source is around the folder."""
    here = index.here
    if here is None or path.startswith("/") or has_drive(path):
        return None
    if found := await _find_at(index, posixpath.join(here, path)):
        return found
    roots = await _roots_around(index, here)
    if not posixpath.normpath(path).startswith(".."):
        for root in roots:
            if found := await _find_at(index, posixpath.join(root, path)):
                return found
    return [] if roots else None


async def _find_at(index: CitedIndex, place: str) -> list[IndexedFile]:
    """Return the indexed files at an absolute path, one for each source that has it."""
    meant = dict(
        within_sources(place, [one.source for info in index.infos for one in info.sources])
    )
    return [
        indexed_file(info.spec.name, record, known)
        for info in index.infos
        for record in info.sources
        if meant.get(record.source)
        for known in await index.documents(info.spec.name, record.source.name)
        if known.path == meant[record.source]
    ]


async def _roots_around(index: CitedIndex, here: str) -> list[str]:
    """Return the roots of the sources that the folder is in, and that have a document that may be
    read, the innermost first."""
    held = [(info.spec.name, one.source) for info in index.infos for one in info.sources]
    around = set(sources_around(here, [source for _, source in held]))
    roots = {
        source.location
        for collection, source in held
        if source in around and await index.documents(collection, source.name)
    }
    return sorted(roots, key=lambda one: (-len(one), one))
