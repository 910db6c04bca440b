"""Files that would take too much of the index, however small they are.

A document is written whole, in one message to the daemon, which may have 512 MB. A larger one would
end the run of all files, so such a file fails alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pincite.model import Chunk

#: Chunks of one file. 5 MB of JSON have 40,000; 10 MB of one long word in a table would have a
#: million.
MOST_CHUNKS: Final = 100_000
#: Bytes of the chunks of one file, and of a chunk without its vector, 2,500 at most in texts of
#: JSON, YAML and CSV.
_MOST_BYTES: Final = 400_000_000
_CHUNK_BYTES: Final = 2_500
#: Characters of attributes in all chunks of one file, which repeat those of the file.
MOST_ATTRIBUTE_CHARS: Final = 100_000_000


def excess_of(chunks: Sequence[Chunk], dimensions: int) -> str:
    """Return what the chunks of a file have too much of, in words; "" if they can be written with
    vectors of so many dimensions."""
    most = min(MOST_CHUNKS, _MOST_BYTES // (_CHUNK_BYTES + 4 * dimensions))
    if len(chunks) > most:
        return f"{len(chunks):,} chunks; at most {most:,}"
    sizes: dict[int, int] = {}  # most share those of their document
    total = 0
    for chunk in chunks:
        held = chunk.attributes
        total += sizes.get(id(held)) or sizes.setdefault(id(held), len(str(held)))
    if total > MOST_ATTRIBUTE_CHARS:
        return f"{total:,} characters of attributes in its chunks; at most {MOST_ATTRIBUTE_CHARS:,}"
    return ""
