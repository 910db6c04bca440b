"""Unpack a compressed tar in order, never beyond the limits."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from pincite.errors import SourceError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from pincite.sources.entries import SourceLimits

_CHUNK = 65_536
_XZ_BYTES = 200_000_000  # `xz -9` asks for 65 MB; a header may ask for 4 GB
_HEADER_BYTES = 1_000_000  # of the headers before one member: names and pax data
_MEMBER_BYTES = 4096  # of a member's header, its pax header and padding
_FREE_BYTES = 1_000_000  # unpacked bytes exempt from the ratio: an empty tar is 10 kB


class TooMuch(Exception):
    """The archive unpacks to more than the limit. The message has the size."""


class Unpacked:
    """A compressed or plain tar file that `tarfile` reads from its beginning to its end. Reading
    and seeking raise TooMuch beyond the limits."""

    def __init__(self, place: Path, limits: SourceLimits) -> None:
        self._packed = place.open("rb")
        self._source = _unpacker(self._packed)
        self._position = 0
        self._header_from = 0
        size = place.stat().st_size
        self._ratio = limits.max_ratio
        self._by_ratio = max(_FREE_BYTES, limits.max_ratio * size)
        self._limit = limits.max_total_bytes + limits.max_members * _MEMBER_BYTES

    def tell(self) -> int:
        """Return the number of unpacked bytes that have been read."""
        return self._position

    def seek(self, position: int, whence: int = io.SEEK_SET) -> int:
        """Seek forwards. Raises ValueError for a backward seek."""
        if whence != io.SEEK_SET or position < self._position:
            raise ValueError("a compressed tar can only be read forwards")
        while self._position < position:
            if not self._take(min(_CHUNK, position - self._position)):
                break
        self.begin_header()
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Read bytes of a header. The headers of one member are limited to 1 MB, more than real
        programs write."""
        if size < 0 or self._position + size - self._header_from > _HEADER_BYTES:
            raise TooMuch(f"a header is larger than {_HEADER_BYTES:,} bytes")
        return self.take(size)

    def take(self, size: int) -> bytes:
        """Read bytes of a member; fewer than `size` at the end of the file."""
        parts = []
        while size > 0 and (part := self._take(min(size, _CHUNK))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def begin_header(self) -> None:
        """Start counting the headers of one member."""
        self._header_from = self._position

    def close(self) -> None:
        """Close the file."""
        self._source.close()
        self._packed.close()

    def _take(self, size: int) -> bytes:
        part = self._source.read(size)
        self._position += len(part)
        if self._position > self._by_ratio:
            raise TooMuch(f"it unpacks to more than {self._ratio} times its size")
        if self._position > self._limit:
            raise TooMuch(f"it unpacks to more than {self._limit:,} bytes")
        return part


def _unpacker(packed: IO[bytes]) -> IO[bytes]:
    """Return the unpacker for the first bytes: the suffix may be wrong. Raises SourceError."""
    begin = packed.read(6)
    packed.seek(0)
    if begin.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=packed))
    if begin.startswith(b"BZh"):
        return cast("IO[bytes]", bz2.BZ2File(packed))
    if begin.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        return io.BufferedReader(_Xz(packed), _CHUNK)
    if begin.startswith(b"\x28\xb5\x2f\xfd"):
        raise SourceError("zstd is not supported; unpack it and index the folder")
    return packed


class _Xz(io.RawIOBase):
    """Like `lzma.LZMAFile`, with a memory limit."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._decompressor = lzma.LZMADecompressor(memlimit=_XZ_BYTES)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        while True:
            if self._decompressor.eof:
                rest = self._decompressor.unused_data.lstrip(b"\0") or self._packed.read(_CHUNK)
                if not rest.strip(b"\0"):
                    return 0
                self._decompressor = lzma.LZMADecompressor(memlimit=_XZ_BYTES)
            else:
                rest = self._packed.read(_CHUNK) if self._decompressor.needs_input else b""
                if not rest and self._decompressor.needs_input:
                    raise EOFError("the file is incomplete")
            part = self._decompressor.decompress(rest, len(view))
            if part:
                view[: len(part)] = part
                return len(part)
