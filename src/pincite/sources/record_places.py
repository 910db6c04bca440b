"""The storage of an index's records: in its folder, or in a database that several machines share.

The code that opens the index registers the storage here once. Readers of records name the index
folder in both cases.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pincite.sources.record_store import RecordCounts, RecordStore, records_file

#: By index folder: a function that opens records stored elsewhere.
_ELSEWHERE: dict[Path, Callable[[], RecordStore]] = {}


def keep_elsewhere(folder: Path, opening: Callable[[], RecordStore]) -> None:
    """Use `opening` for the records of this index from now on, in this process."""
    _ELSEWHERE[folder.absolute()] = opening


def keep_in_folder(folder: Path) -> None:
    """Use the folder itself for the records of this index from now on, in this process."""
    _ELSEWHERE.pop(folder.absolute(), None)


def has_records(folder: Path) -> bool:
    """Return whether the index already has a storage with records."""
    return folder.absolute() in _ELSEWHERE or records_file(folder).is_file()


def unfinished_records(folder: Path) -> dict[str, RecordCounts]:
    """Return the counts of an index's collections that have pending records, by name. Raises
    IndexTooNew, StoreError."""
    if not has_records(folder):
        return {}
    with open_record_store(folder, only_read=True) as store:
        return store.unfinished()


def open_record_store(folder: Path, *, only_read: bool = False) -> RecordStore:
    """Open the records of an index; create them if they are missing, unless `only_read`. Raises
    IndexTooNew, StoreError."""
    if opening := _ELSEWHERE.get(folder.absolute()):
        return opening()
    return RecordStore(folder, only_read=only_read)
