"""Decide which file events call for a look at a source, and at which of its paths."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from pincite.daemon.refresh.glance import (
    ON_DISK,
    CannotTell,
    Limits,
    is_never_read,
    is_within,
)
from pincite.daemon.refresh.known_sources import HasSources
from pincite.errors import SourceError
from pincite.index.documents import any_below
from pincite.model import SourceRecord
from pincite.ports import CollectionInfo
from pincite.sources.folder import FolderSource
from pincite.sources.ignore_files import IGNORE_FILES
from pincite.sources.kinds import ENVIRONMENT
from pincite.sources.reopening import reopen_source
from pincite.support.drives import slashed

#: A change of these files may affect more than their own path.
_FAR_REACHING: Final = frozenset((*IGNORE_FILES, "pincite.toml", ENVIRONMENT))
#: In the git folders of submodules, which are in that of the checkout around them.
_OF_SUBMODULES: Final = ("/info", "/info/exclude")


def matters(
    paths: Collection[str],
    records: Sequence[SourceRecord],
    showing: Collection[SourceRecord] = (),
    limits: Limits = Limits(),
) -> bool:
    """Return whether events at these paths may have changed a source, or whether finding out takes
    too long. Paths that the rules of the source leave out do not count, nor do files of git without
    a change of the commit. Files of types that are not read count only in sources whose pages may
    show other files, the `showing` ones. Any other path may still matter: see `were_folders`."""
    for record in records:
        if record.source.kind not in ON_DISK:
            if any(slashed(record.source.location) == slashed(path) for path in paths):
                return True
            continue
        try:
            with reopen_source(record) as opened:
                if isinstance(opened, FolderSource) and _matters(
                    paths, record, opened, limits, shows=record in showing
                ):
                    return True
        except (SourceError, CannotTell):
            return True  # a look will report the cause
    return False


def _matters(
    paths: Collection[str],
    record: SourceRecord,
    opened: FolderSource,
    limits: Limits,
    *,
    shows: bool,
) -> bool:
    root = f"{slashed(record.source.location).rstrip('/')}/"
    git = slashed(str(opened.git_folder)) if opened.git_folder is not None else None
    exclude = slashed(str(opened.exclude_file)) if opened.exclude_file is not None else None
    for path in map(slashed, paths):
        if exclude is not None and path in (exclude, exclude.rpartition("/")[0]):
            return True
        if git is not None and (path == git or path.startswith(f"{git}/")):
            if opened.source.ref != record.source.ref or path.endswith(_OF_SUBMODULES):
                return True
        elif path.startswith(root):
            relative = path[len(root) :]
            for folder in Path(relative).parents:
                limits.check(Path(root, folder))
            if relative.rpartition("/")[2] in _FAR_REACHING:
                return True
            never = not shows and is_never_read(record.source, relative)
            if not (opened.is_left_out(relative) or (never and opened.has_file(relative))):
                return True
        elif f"{path}/" == root:
            return True
    return False


async def were_folders(
    index: HasSources,
    sources: Iterable[tuple[SourceRecord, Sequence[CollectionInfo]]],
    paths: Collection[str],
) -> bool:
    """Return whether the index has documents below one of these paths. In the place of the folder
    there may be a file now that is left out for whatever reason. Sources come with their members
    of collections."""
    for record, members in sources:
        root = f"{slashed(record.source.location).rstrip('/')}/"
        for path in map(slashed, paths):
            if (relative := path.removeprefix(root)) in ("", path):
                continue
            for info in members:
                if await any_below(index, info.spec.name, record.source.name, relative):
                    return True
    return False


def parts_of(paths: Collection[str], record: SourceRecord) -> tuple[str, ...] | None:
    """Return the paths inside this source, relative to it; None if the whole source has to be
    looked at, as `glance_at` decides."""
    source = record.source
    root = f"{slashed(source.location).rstrip('/')}/"
    found: list[str] = []
    for path in map(slashed, paths):
        if source.kind not in ("folder", "git"):
            if path == slashed(source.location) or f"{path}/" == root or path.startswith(root):
                return None
            continue
        if f"{path}/" == root or root.startswith(f"{path}/"):
            return None
        if not path.startswith(root):
            if ".git" in path.split("/"):  # of a checkout that has its git folder elsewhere
                return None
            continue
        relative = path[len(root) :]
        names = relative.split("/")
        if names[-1] in _FAR_REACHING or ".git" in names:
            return None
        for part in record.within:
            if part.startswith(f"{relative}/") and part != f"{relative}/":
                return None
            if is_within(relative, part):
                found.append(relative)
    return tuple(sorted(set(found)))
