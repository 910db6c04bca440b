"""Read the bodies of answers up to a limit.

A server may send bytes without end, or a few kilobytes that unpack to gigabytes. Bodies are
unpacked here in small pieces, and only from the encoding that the request accepts.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Final

from pincite.errors import BadResponse

if TYPE_CHECKING:
    import httpx

#: The value of Accept-Encoding. Other encodings are refused: a few bytes of them unpack to
#: megabytes before the size can be checked.
ACCEPTED: Final = "gzip"
#: An answer without vectors, also one line of a stream. The longest answers of language models have
#: 128,000 tokens, which are about 1 MB, and 5 MB if each letter is escaped.
ANSWER_BYTES: Final = 16 << 20
#: Added for each text that was sent. A number takes up to 25 bytes as JSON, so a vector of 4,096
#: dimensions takes 100 kB, and one of 10,000 fits. Decoded, an answer takes 25 times as much at
#: worst.
ITEM_BYTES: Final = 256 << 10
#: A streamed answer. An event has 300 to 400 bytes and one token, so 128,000 tokens take 50 MB.
STREAM_BYTES: Final = 128 << 20
_PIECE: Final = 1 << 20
_ENCODING_CHARS: Final = 50  # in a message
_GZIP: Final = 31  # zlib's number for gzip with the largest window


def _as_it_is(text: str) -> str:
    return text


async def read_body(
    response: httpx.Response,
    most: int,
    where: str,
    redact: Callable[[str], str] = _as_it_is,
    *,
    cut: bool = False,
) -> bytes:
    """Return the body. Raises BadResponse if it has more than `most` bytes or cannot be unpacked;
    with `cut`, returns the first bytes of a longer one. `where` names the server in messages, and
    `redact` removes the key from what they quote of its headers."""
    body = bytearray()
    async for piece in _unpacked(response, where, redact):
        body += piece
        if len(body) > most:
            if cut:
                return bytes(body[:most])
            raise _too_long(where, most)
    return bytes(body)


async def read_lines(
    response: httpx.Response, where: str, redact: Callable[[str], str] = _as_it_is
) -> AsyncIterator[str]:
    """Yield the lines of a stream as they arrive. They end with a line feed or carriage return and
    are UTF-8, whatever the headers say. Raises BadResponse if a line has more than `ANSWER_BYTES`,
    or the stream more than `STREAM_BYTES`."""
    held, done = bytearray(), 0
    async for piece in _unpacked(response, where, redact):
        done += len(piece)
        if done > STREAM_BYTES:
            raise _too_long(where, STREAM_BYTES)
        complete, ended, rest = piece.rpartition(b"\n")
        if ended:
            for line in (held + complete).splitlines():
                yield line.decode("utf-8", "replace")
            held.clear()
        held += rest
        if len(held) > ANSWER_BYTES:
            raise _too_long(where, ANSWER_BYTES)
    for line in held.splitlines():
        yield line.decode("utf-8", "replace")


async def _unpacked(
    response: httpx.Response, where: str, redact: Callable[[str], str]
) -> AsyncIterator[bytes]:
    """Yield the unpacked body in pieces of a megabyte at most, or as they arrive."""
    given = response.headers.get("content-encoding", "").strip()
    encoding = given.lower()
    if encoding in ("", "identity"):
        async for raw in response.aiter_raw():
            yield raw
        return
    if encoding != ACCEPTED:
        said = redact(given)[:_ENCODING_CHARS]
        raise BadResponse(f"{where} returned the encoding {said!r}, not {ACCEPTED}")
    unpacker = zlib.decompressobj(_GZIP)
    try:
        async for raw in response.aiter_raw():
            while raw and not unpacker.eof:
                yield unpacker.decompress(raw, _PIECE)
                raw = unpacker.unconsumed_tail
            if unpacker.unused_data or (raw and unpacker.eof):
                raise BadResponse(f"{where} returned bytes after the end of its {ACCEPTED} body")
        yield unpacker.flush()
    except zlib.error as error:
        raise BadResponse(f"{where} returned a body that is not {ACCEPTED}: {error}") from error


def _too_long(where: str, most: int) -> BadResponse:
    return BadResponse(
        f"{where} returned more than {most:,} bytes",
        hint="check that the address is that of a model server: `pincite doctor`",
    )
