"""Make the outline of a document from its chunks."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Final

import msgspec

from pincite.model import Chunk
from pincite.model.outline import BEGINS, ENDS, OTHERS, ROW, UNKNOWN, Outline
from pincite.model.spans import between
from pincite.support.token_estimate import estimate_tokens

_MOST: Final = 2**31 - 1
_STEP: Final = 200  # chunks that are estimated in one step: 3 ms


def outline_steps(chunks: Sequence[Chunk]) -> Generator[None, None, Outline | None]:
    """Make the outline of a document with these chunks, in the order of the file, and return it.
    None if it has no chunks, if they are on pages, because their lines are counted in the text, or
    if it has 2**31 characters or more. There is a pause after every 200 chunks, in which requests
    can be served."""
    if not chunks or any(one.on_page is not None or one.end > _MOST for one in chunks):
        return None
    paths, places = bytearray(), dict[tuple[str, ...], tuple[int, int]]()
    spaces: dict[str, int] = {}
    rows = bytearray()
    for number, chunk in enumerate(chunks, 1):
        after = chunks[number] if number < len(chunks) else None
        if number % _STEP == 0:
            yield
        if chunk.headings not in places:
            path = msgspec.msgpack.encode(chunk.headings)
            places[chunk.headings] = len(paths), len(path)
            paths += path
        rows += ROW.pack(
            chunk.start,
            chunk.end,
            chunk.start_line,
            chunk.end_line,
            estimate_tokens(chunk.text),
            UNKNOWN if after is None else _space(between(chunk, after), spaces),
            *places[chunk.headings],
            BEGINS * (chunk.start_column not in (None, 1)) + ENDS * (chunk.end_column is not None),
        )
    return Outline(bytes(rows), bytes(paths), tuple(spaces))


def _space(space: str | None, others: dict[str, int]) -> int:
    if space is None:
        return UNKNOWN
    if not space.strip("\n"):
        return len(space)
    return OTHERS - others.setdefault(space, len(others))
