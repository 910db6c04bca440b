"""Move uploaded files from one place to another: a folder, a database, a bucket.

While the settings name the old place, files are copied and servers continue to use the old place.
After the settings name the new place, a file is deleted from the old one once its bytes at the new
one were read and hashed. So a run can be interrupted and repeated at any point.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from pincite.errors import NotFound
from pincite.workspace.checks import FILE_BYTES
from pincite.workspace.files.file_store import ANY_AGE_S, DamagedFile, File, FileStore

#: Files at a time: a bucket answers slowly and needs 16 MB of memory for a file. Guess, unmeasured.
_AT_A_TIME: Final = 4


@dataclass(slots=True)
class MovedFiles:
    """The result of a run. `there`: files that the new place already had. `damaged`: files whose
    bytes differ from the hash in their name; they stay where they are."""

    copied: int = 0
    there: int = 0
    removed: int = 0
    bytes: int = 0
    damaged: list[File] = field(default_factory=list)


async def move_files(
    source: FileStore,
    target: FileStore,
    *,
    remove: bool,
    told: Callable[[int, int], None],
) -> MovedFiles:
    """Copy all files that `target` lacks. With `remove`, delete each file from `source` once its
    bytes at `target` have the right hash. `told` is called with the number of finished files and
    the total. Raise WorkspaceUnavailable if a place cannot be reached; finished files stay
    finished."""
    there = frozenset(await target.older_than(ANY_AGE_S))
    files = await source.older_than(ANY_AGE_S)
    done, count, waiting = MovedFiles(), 0, iter(files)
    told(0, len(files))

    async def work() -> None:
        nonlocal count
        for file in waiting:
            await _move(source, target, file, done, known=file in there, remove=remove)
            count += 1
            told(count, len(files))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(_AT_A_TIME):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return done


async def _move(
    source: FileStore,
    target: FileStore,
    file: File,
    done: MovedFiles,
    *,
    known: bool,
    remove: bool,
) -> None:
    try:
        if not known or (remove and not await _is_whole(target, file)):
            await _copy(source, target, file, done)
        else:
            done.there += 1
    except DamagedFile:
        done.damaged.append(file)
        return
    except NotFound:  # deleted in the meantime, and no longer needed
        return
    if remove:
        await source.delete(*file)
        done.removed += 1


async def _copy(source: FileStore, target: FileStore, file: File, done: MovedFiles) -> None:
    """Copy one file. Raise DamagedFile if the bytes at either place differ from the hash in the
    name."""
    space, content_hash = file
    async with aclosing(_given(source, file)) as pieces:
        stored = await target.put(space, pieces, FILE_BYTES)
    if stored.content_hash != content_hash or not await _is_whole(target, file):
        raise DamagedFile
    done.copied += 1
    done.bytes += stored.size


async def _given(source: FileStore, file: File) -> AsyncGenerator[bytes]:
    async for piece in source.pieces(*file):
        yield piece


async def _is_whole(files: FileStore, file: File) -> bool:
    """Return whether the bytes have the hash of the name."""
    try:
        async for _ in files.pieces(*file):
            pass
    except (NotFound, DamagedFile):
        return False
    return True
