"""Convert ids of points of other programs to chunk ids and back."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

import msgspec

_SPREAD: Final = 0x9E3779B97F4A7C15  # odd, so that multiplying modulo 2^64 can be undone
_GATHER: Final = pow(_SPREAD, -1, 2**64)
_TAIL: Final = "0" * 8


class PointIds(msgspec.Struct, frozen=True):
    """The ids of one collection. A UUID is its own chunk id. A number becomes 8 digits from the
    collection's name, 16 from the number and 8 zeros. Numbers are spread, so that the beginnings of
    ids differ."""

    collection: str

    @property
    def tag(self) -> str:
        """Return the common prefix of ids made from numbers."""
        return blake2b(self.collection.encode(), digest_size=4).hexdigest()

    def chunk_id(self, point: Any) -> str:
        """Return 32 hex digits."""
        if isinstance(point, int):
            return f"{self.tag}{point * _SPREAD % 2**64:016x}{_TAIL}"
        return UUID(str(point)).hex

    def point_id(self, chunk_id: str) -> int | str:
        """Return the number or UUID for 32 hex digits."""
        if chunk_id.startswith(self.tag) and chunk_id.endswith(_TAIL):
            return int(chunk_id[8:24], 16) * _GATHER % 2**64
        return str(UUID(hex=chunk_id))
