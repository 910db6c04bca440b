"""Limits on the chunks of one file, which may be huge even if the file is small.

A document is written in one message to the daemon, of at most 512 MB. A larger message would end
the run, so a file above these limits fails before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pincite.chunkers.limits import MOST_SECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pincite.model import Chunk

#: Bytes of all chunks of one file, and of one chunk without its vector: at most 2,500 in JSON, YAML
#: and CSV.
_MOST_BYTES: Final = 400_000_000
_CHUNK_BYTES: Final = 2_500
#: Characters of attributes in all chunks of one file, which repeat those of the file.
MOST_ATTRIBUTE_CHARS: Final = 100_000_000


def excess_of_count(chunks: int, dimensions: int) -> str:
    """Return the message for a file with too many chunks for vectors of this number of dimensions;
    "" if they can be written."""
    most = min(MOST_SECTIONS, _MOST_BYTES // (_CHUNK_BYTES + 4 * dimensions))
    return f"{chunks:,} chunks; at most {most:,}" if chunks > most else ""


def excess_of_attributes(chunks: Sequence[Chunk]) -> str:
    """Return the message for chunks with too many attributes; "" if they can be written."""
    sizes: dict[int, int] = {}  # most share those of their document
    total = 0
    for chunk in chunks:
        held = chunk.attributes
        total += sizes.get(id(held)) or sizes.setdefault(id(held), len(str(held)))
    if total > MOST_ATTRIBUTE_CHARS:
        return f"{total:,} characters of attributes in its chunks; at most {MOST_ATTRIBUTE_CHARS:,}"
    return ""
