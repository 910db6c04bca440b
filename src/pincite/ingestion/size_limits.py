"""Limits on the chunks of one file, which may be huge even if the file is small.

A document is written in one message to the daemon, of at most 512 MB. A larger message would end
the run, so a file above these limits fails before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pincite.model import Chunk

#: Chunks of one file. 5 MB of JSON have 40,000. A table of 10 MB with one long word would have a
#: million.
MOST_CHUNKS: Final = 100_000
#: Bytes of all chunks of one file, and of one chunk without its vector: at most 2,500 in JSON, YAML
#: and CSV.
_MOST_BYTES: Final = 400_000_000
_CHUNK_BYTES: Final = 2_500
#: Characters of attributes in all chunks of one file, which repeat those of the file.
MOST_ATTRIBUTE_CHARS: Final = 100_000_000


def excess_of(chunks: Sequence[Chunk], dimensions: int) -> str:
    """Return the limit that the chunks of a file exceed, as a message; "" if they can be written
    with vectors of this number of dimensions."""
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
