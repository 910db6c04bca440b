"""The ids of the chunks of a document, in the order of its file, as bytes in its row.

A search needs them to read only the chunks around a result. Sixteen bytes for each chunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

PACKED_BYTES: Final = 16  # of an id


def packed(ids: Sequence[str]) -> bytes:
    """Return these ids as bytes, empty if one of them is not 32 lower-case hexadecimal digits."""
    try:
        found = bytes.fromhex("".join(ids))
    except ValueError:
        return b""
    return found if unpacked(found, len(ids)) == tuple(ids) else b""


def unpacked(found: bytes, chunks: int) -> tuple[str, ...]:
    """Return the ids that `packed` has packed. Return () unless there are `chunks` of them: an
    earlier version of Pincite replaces a document without writing ids."""
    if len(found) != PACKED_BYTES * chunks:
        return ()
    return tuple(found.hex(" ", PACKED_BYTES).split())


def by_place(rows: Iterable[Sequence[Any]]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the ids of each document by (source, path); those without ids are left out. Each row
    is a source, a path and the columns `chunk_ids` and `chunks`."""
    named = {(source, path): unpacked(ids, chunks) for source, path, ids, chunks in rows}
    return {place: ids for place, ids in named.items() if ids}
