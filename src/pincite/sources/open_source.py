"""Detect the kind of a location and open it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pincite.errors import SourceError
from pincite.model import AnchorStyle, Source
from pincite.sources.entries import OpenSource, Selection, SourceLimits
from pincite.sources.folder import FolderSource
from pincite.sources.git import Checkout, find_checkout, lasting_name
from pincite.sources.members import is_archive
from pincite.support.fields import replace

#: A URL, which a `Path` writes with one slash, or a repository as SSH has it.
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+:/{1,2}[^/]|[\w.-]+@[\w.-]+:\S", re.IGNORECASE)
EVERYTHING = Selection()  # except hidden and ignored files


def resolved(location: str | Path) -> Path:
    """Return the absolute path of a location. Raises SourceError if nothing is there."""
    given = Path(location).expanduser()
    try:
        return given.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        if _ADDRESS.match(str(location)):
            raise SourceError(
                f"{location} is an address, and Pincite does not fetch sources",
                hint="clone the repository or download the files, then index the copy",
            ) from error
        raise SourceError(
            f"{given} does not exist or cannot be reached.", hint="check the path"
        ) from error


def open_source(
    location: str | Path,
    *,
    name: str | None = None,
    ref: str | None = None,
    url_rule: str | None = None,
    anchors: AnchorStyle = "mkdocs",
    limits: SourceLimits,
    selection: Selection = EVERYTHING,
    is_folder: bool = False,
) -> OpenSource:
    """Open a checkout, folder, wheel, archive or single file. Raises SourceError.

    In a checkout, paths are relative to its root, so that citations resolve in every clone. A
    folder or file inside it limits the listing (`OpenSource.within`), but paths stay relative to
    the root. `is_folder`: the source was indexed as a folder or a file. If it has become a part of
    a checkout since then, that checkout is ignored, so that its paths stay the same.
    """
    given = Path(location).expanduser()
    place = resolved(given)
    _require_text(place)
    if is_archive(place):
        from pincite.sources.archive import open_archive

        archive = open_archive(place, name=name, ref=ref, limits=limits, selection=selection)
        archive.source = replace(
            archive.source, url_rule=url_rule, anchors=anchors, file_types=selection.file_types
        )
        return archive
    if not place.is_dir() and not place.is_file():
        raise SourceError(f"{given} is neither a file nor a folder.", hint="check the path")
    folder = place if place.is_dir() else place.parent
    checkout = find_checkout(folder)
    if is_folder and checkout and checkout.top != folder:
        checkout = None
    if checkout and ref:
        ref = lasting_name(checkout.top, ref)
    root = _root_of(place, checkout)
    within = "" if place == root else place.relative_to(root).as_posix()
    source = Source(
        name=name
        or (checkout and checkout.name)
        or (root.name if checkout or place.is_dir() else place.name),
        location=str(root),
        kind="git" if checkout else "folder" if place.is_dir() else "file",
        ref=ref or (checkout.head if checkout else None),
        url_rule=url_rule,
        anchors=anchors,
        pinned=bool(ref),
        file_types=selection.file_types,
    )
    return FolderSource(
        source,
        root=root,
        within=f"{within}/" if within and place.is_dir() else within,
        selection=selection,
        limits=limits,
        checkout=checkout,
    )


def _require_text(place: Path) -> None:
    """Raise SourceError for a path that is not valid UTF-8: it can be neither stored nor cited. So
    is one that Python has decoded as other letters, in a locale that is not UTF-8."""
    raw = os.fsencode(place)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        shown = raw.decode("utf-8", "backslashreplace")
        of_file = b"/" not in raw[error.start :] and not place.is_dir()
        raise SourceError(
            f"the path {shown} is not valid UTF-8: {raw[error.start : error.end]!r} at byte "
            f"{error.start + 1}.",
            hint="rename the file, or index its folder, which leaves it out"
            if of_file
            else "rename the folder, or index it under another path (a bind mount)",
        ) from error
    if text != str(place):
        raise SourceError(
            f"the path {text} was read as {place}: the locale of this process is not UTF-8.",
            hint="set PYTHONUTF8=1",
        )


def _root_of(place: Path, checkout: Checkout | None) -> Path:
    if checkout:
        return checkout.top
    return place if place.is_dir() else place.parent
