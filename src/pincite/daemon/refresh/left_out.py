"""The paths that the catalog lists as left out of a source."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pincite.model import SourceRecord
from pincite.model.left_out import NOT_READ, code_of, path_of
from pincite.sources import Entry
from pincite.sources.entries import NAME_IS_NO_TEXT


class Listed(NamedTuple):
    """What the catalog lists as left out of a source, and what of it could not be read. It lists
    the first files only. If there are more, `all_before_ns` is the beginning of the run that left
    them out, otherwise 0. `folders` are times of folders, read so far."""

    left_out: frozenset[str]
    unreadable: frozenset[str]
    all_before_ns: int
    folders: dict[str, int]

    @classmethod
    def of(cls, record: SourceRecord) -> Listed:
        skipped = record.skipped_paths
        cut = sum(record.skipped.values()) > len(skipped)
        before_ns = (record.compared_ns("") or 0) if cut and record.complete else 0
        paths = (frozenset(map(path_of, skipped)), frozenset(unreadable_of(skipped, NOT_READ)))
        return cls(*paths, before_ns, {})

    def may_be_left_out(self, entry: Entry, root: str) -> bool:
        """Return whether a file without a document may have been left out of a source at `root`
        without being listed: it was there when the run began. Neither it nor a folder above it
        changed since; a folder that was moved here changes the one above."""
        if not 0 < entry.changed_ns < self.all_before_ns:
            return False
        above = (one.as_posix() for one in Path(entry.path).parents)
        return all(self._folder_ns(root, one) < self.all_before_ns for one in above)

    def _folder_ns(self, root: str, folder: str) -> int:
        if folder not in self.folders:
            try:
                seen = Path(root, folder).stat()
            except OSError:
                return self.all_before_ns
            self.folders[folder] = max(seen.st_mtime_ns, seen.st_ctime_ns)
        return self.folders[folder]


def unreadable_of(skipped: Iterable[str], codes: Container[str] = ("unreadable",)) -> Iterator[str]:
    """Yield the paths of files and folders that were left out for one of these reasons. Names that
    are not text are none: what is shown of them may be the path of another file."""
    ours = (one for one in skipped if code_of(one) in codes)
    return (path_of(one) for one in ours if not one.endswith(f" ({NAME_IS_NO_TEXT})"))
