"""Write a published file to disk, as long as its bytes match the pinned file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING

from pincite.errors import ModelUnavailable

if TYPE_CHECKING:
    from pathlib import Path

    from pincite.providers.bundled.known_models import PinnedFile

Progress = Callable[[str, int, int], None]  #: stage, bytes done, bytes in all
BLOCK_BYTES = 1 << 20


def blocks_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the rest of a stream in blocks of a megabyte."""
    while block := stream.read(BLOCK_BYTES):
        yield block


def save(
    blocks: Iterable[bytes], file: PinnedFile, into: Path, origin: str, progress: Progress
) -> None:
    """Write `into / file.name` and hash it on the way. `origin` names the source in messages.

    Raises ModelUnavailable if there are too many or too few bytes, or if the hash differs.
    """
    digest = hashlib.sha256()
    done = 0
    with (into / file.name).open("wb") as target:
        for block in blocks:
            done += len(block)
            if done > file.size:
                raise ModelUnavailable(f"{origin} is longer than the {file.size} bytes expected")
            digest.update(block)
            target.write(block)
            progress(file.name, done, file.size)
    if done < file.size:
        raise ModelUnavailable(f"{origin} was cut off after {done} of {file.size} bytes")
    if digest.hexdigest() != file.sha256:
        raise ModelUnavailable(
            f"{origin} has SHA-256 {digest.hexdigest()}, but {file.sha256} is pinned"
        )
