"""Decide which file events call for a look at a source, and at which of its paths."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from pincite.daemon.refresh.glance import (
    LARGEST_RULES,
    ON_DISK,
    is_never_read,
    is_within,
    rules_bytes,
)
from pincite.errors import SourceError
from pincite.model import SourceRecord
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
) -> bool:
    """Return whether events at these paths may have changed a source. Paths that the rules of the
    source leave out do not count, nor do files of git without a change of the commit. Files of
    types that are not read count only if the source is one of those `showing` other files in their
    pages."""
    for record in records:
        if record.source.kind not in ON_DISK:
            if any(slashed(record.source.location) == slashed(path) for path in paths):
                return True
            continue
        try:
            with reopen_source(record) as opened:
                shows = record in showing
                if isinstance(opened, FolderSource) and _matters(
                    paths, record, opened, shows=shows
                ):
                    return True
        except SourceError:
            return True  # a look will report the cause
    return False


def _matters(
    paths: Collection[str], record: SourceRecord, opened: FolderSource, *, shows: bool
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
            above = (Path(root), *(Path(root, one) for one in Path(relative).parents))
            if any(rules_bytes(folder) > LARGEST_RULES for folder in above):
                return True  # finding out would take seconds
            if relative.rpartition("/")[2] in _FAR_REACHING:
                return True
            never = opened.is_left_out(relative) or (
                not shows and _is_no_document(opened, relative)
            )
            if not never:
                return True
        elif f"{path}/" == root:
            return True
    return False


def _is_no_document(opened: FolderSource, path: str) -> bool:
    """Return whether this is a file now whose type is not read, whatever its content."""
    return is_never_read(opened.source, path) and opened.find(path) is not None


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
