"""Read wheels, source distributions and other archives in memory; nothing is extracted to disk."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import SourceError
from pincite.model import Source
from pincite.model.revisions import content_ref
from pincite.sources.archived_tree import ArchivedTree
from pincite.sources.entries import Entry, OpenSource, Selection, Skipped, SourceLimits
from pincite.sources.kinds import RESOURCE_FORKS
from pincite.sources.members import TAR_SUFFIXES, ZIP_SUFFIXES
from pincite.sources.tar_archive import open_tar
from pincite.sources.zip_archive import open_zip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pincite.sources.members import Members

_VERSIONED = re.compile(r"(?P<name>.+?)-(?P<version>v?\d[\w.+!-]*|[0-9a-f]{40})")
_FIELD = re.compile(r"^(Name|Version):(.*)$", re.MULTILINE)
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class ArchiveSource(OpenSource):
    """The members of one archive, without the single top folder, if there is one."""

    def __init__(
        self,
        source: Source,
        *,
        members: Members,
        top: str,
        selection: Selection,
        recorded: str | None,
        limits: SourceLimits,
    ) -> None:
        super().__init__(source)
        self._recorded = recorded
        self._members = members
        self._top = top
        self._tree = ArchivedTree(members, top, selection, limits, Path(source.location))

    def entries(self) -> Iterator[Entry | Skipped]:
        """See OpenSource."""
        return self._tree.entries()

    def find(self, path: str) -> Entry | None:
        """See OpenSource."""
        found = self._tree.look_up(path)
        return found if isinstance(found, Entry) else None

    def left_out(self, path: str) -> Skipped | None:
        """See OpenSource."""
        found = self._tree.look_up(path)
        return found if isinstance(found, Skipped) else None

    def own_ref(self, entry: Entry, content_hash: str, raw: bytes | None = None) -> str:  # noqa: ARG002
        """See OpenSource: the commit or version of the archive."""
        return self._recorded or content_ref(content_hash)

    def read(self, entry: Entry) -> bytes:
        """See OpenSource."""
        return self._members.read(self._top + entry.path)

    def close(self) -> None:
        """See OpenSource."""
        self._members.close()


def open_archive(
    place: Path,
    *,
    name: str | None,
    ref: str | None,
    limits: SourceLimits,
    selection: Selection,
) -> ArchiveSource:
    """Open an archive. Name and revision are, by default, from its metadata, else from the file's
    name; a commit in its comment is used as revision first. Raises SourceError."""
    is_wheel = place.suffix.lower() == ".whl"
    members: Members
    if place.name.lower().endswith(ZIP_SUFFIXES):
        members = open_zip(place, limits, selection.file_types)
    else:
        members = open_tar(place, limits, selection.file_types)
    top = "" if is_wheel else _single_top(members)
    found_name, version = _metadata(members, top, is_wheel=is_wheel)
    if not found_name:
        found_name, version = _from_file_name(place.name)
    commit = members.comment.strip()
    recorded = commit if _SHA.fullmatch(commit) else version
    source = Source(
        name=name or found_name,
        location=str(place),
        kind="wheel" if is_wheel else "archive",
        ref=ref or recorded,
        pinned=bool(ref),
    )
    return ArchiveSource(
        source,
        members=members,
        top=top,
        selection=selection,
        recorded=recorded,
        limits=limits,
    )


def _single_top(members: Members) -> str:
    tops = {each.path.partition("/")[0] for each in members.listing if isinstance(each, Entry)}
    tops.discard(RESOURCE_FORKS)
    loose = any("/" not in each.path for each in members.listing if isinstance(each, Entry))
    return f"{tops.pop()}/" if len(tops) == 1 and not loose else ""


def _metadata(members: Members, top: str, *, is_wheel: bool) -> tuple[str, str | None]:
    wanted = re.compile(r"[^/]+\.dist-info/METADATA" if is_wheel else re.escape(top) + r"PKG-INFO")
    for each in members.listing:
        if isinstance(each, Entry) and wanted.fullmatch(each.path):
            try:
                head = members.read(each.path).decode("utf-8", "replace").partition("\n\n")[0]
            except SourceError:
                break
            found = ((name, value.strip(" \r")) for name, value in _FIELD.findall(head))
            fields = {name: value for name, value in found if value}
            return fields.get("Name", ""), fields.get("Version")
    return "", None


def _from_file_name(file_name: str) -> tuple[str, str | None]:
    stem = file_name
    for suffix in sorted((*ZIP_SUFFIXES, *TAR_SUFFIXES), key=len, reverse=True):
        if stem.lower().endswith(suffix):
            stem = stem[: -len(suffix)]
            break
    if file_name.lower().endswith(".whl"):
        parts = stem.split("-")
        return parts[0], parts[1] if len(parts) > 1 else None
    match = _VERSIONED.fullmatch(stem)
    return (match["name"], match["version"]) if match else (stem, None)
