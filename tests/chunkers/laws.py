"""What holds for the chunks of every document, checked on the bytes, not through the chunkers."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TYPE_CHECKING

from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from pincite.chunkers.least_cost import most_chars
from pincite.model import Document, Source
from pincite.readers import read_document

if TYPE_CHECKING:
    from pincite.model import Chunk

SOURCE = Source("acme/docs", "/nowhere", "folder")
SMALL = ChunkerConfig(target_tokens=24, max_tokens=70, solo_tokens=10)


def read(path: str, text: str | bytes) -> Document:
    """A document as a source would give it."""
    raw = text if isinstance(text, bytes) else text.encode("utf-8")
    return read_document(raw, source=SOURCE, path=path, ref="1.0")


def lawful_chunks(path: str, text: str | bytes, config: ChunkerConfig = SMALL) -> tuple[Chunk, ...]:
    """The chunks of a file, after checking that every law holds."""
    document = read(path, text)
    sections = sections_of(document, config)
    chunks = chunks_of(document, sections)
    raw = text if isinstance(text, bytes) else text.encode("utf-8")
    assert_exact(raw, document, chunks)
    longest = most_chars(config.max_tokens)
    assert all(len(chunk.text) <= longest for chunk in chunks)
    assert all(len(chunk.plain or "") <= longest for chunk in chunks)
    return chunks


class Child:
    """Checks the laws in another process, since a parser may crash on a text that makes no sense.
    The product cuts in processes as well, and such a file is left out there."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def lawful_chunks(self, path: str, text: str, config: ChunkerConfig = SMALL) -> bool:
        """Whether the parser lived. Raises AssertionError for a law that is broken."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        try:
            self._pool.submit(lawful_chunks, path, text, config).result()
        except BrokenProcessPool:
            self.close()
            return False
        return True

    def close(self) -> None:
        """End the process."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)


def assert_exact(raw: bytes, document: Document, chunks: tuple[Chunk, ...]) -> None:
    """Order, no overlap, text as on disk, lines and columns true, nothing left out."""
    assert raw.decode(document.encoding) == document.text
    newline = "\n".encode(document.encoding)
    rows = [row.decode(document.encoding) for row in _split(raw, newline)]
    reached = 0
    covered: set[int] = set()
    for chunk in chunks:
        assert reached <= chunk.start < chunk.end <= len(document.text)
        reached = chunk.end
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.text.strip()
        shown = rows[chunk.start_line - 1 : chunk.end_line]
        if chunk.start_column is None or chunk.end_column is None:
            assert chunk.start_column is chunk.end_column
            # the newline that follows the chunk may be "\r\n", of which "\r" ends the last row
            expected = "\n".join(shown)
            followed = chunk.end_line < len(rows)
            assert chunk.text == (expected.removesuffix("\r") if followed else expected)
        else:
            shown[-1] = shown[-1][: chunk.end_column]
            shown[0] = shown[0][chunk.start_column - 1 :]
            assert chunk.text == "\n".join(shown)
        covered.update(range(chunk.start_line - 1, chunk.end_line))
    text, first = document.text, chunks[0].start if chunks else 0
    if first > 1 and text[1:first].isspace():  # a byte order mark before many blanks is in no chunk
        text, rows[0] = text.removeprefix("\ufeff"), rows[0].removeprefix("\ufeff")
    missing = [row for number, row in enumerate(rows) if row.strip() and number not in covered]
    assert not missing
    letters = "".join("".join(chunk.text.split()) for chunk in chunks)
    assert letters == "".join(text.split())
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def _split(raw: bytes, newline: bytes) -> list[bytes]:
    """At newlines that lie on a character boundary."""
    width = len(newline)
    if width == 1:
        return raw.split(newline)
    rows, begin = [], 0
    for position in range(0, len(raw), width):
        if raw[position : position + width] == newline:
            rows.append(raw[begin:position])
            begin = position + width
    return [*rows, raw[begin:]]
