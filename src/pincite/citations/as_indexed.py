"""The indexed text of a cited place, from the chunks of its document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pincite.citations.claimed_text import JoinedChunks
from pincite.citations.lines_and_columns import chars_of_lines
from pincite.citations.listing import CitedIndex
from pincite.model import Chunk
from pincite.model.citation import Citation, page_of
from pincite.model.documents import Rows
from pincite.model.revisions import names_content, same_revision
from pincite.model.spans import between
from pincite.readers import content_hash_of
from pincite.support.fields import replace
from pincite.support.finding.ends import LINES, Ends, Part, part_of

#: Line ends that may follow the last chunk of a file.
_LAST = ("\n", "", "\r\n")


def is_indexed(ref: str, chunk: Chunk) -> bool:
    """Return whether a ref names the revision at which a chunk was indexed."""
    return same_revision(ref, chunk.ref) or names_content(ref, chunk.content_hash)


class IndexedText:
    """The text of a document in the indexed revision. Text that no chunk has is missing, unless it
    is known to be white space."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks

    @cached_property
    def _runs(self) -> list[_Run]:
        return list(_runs(self._chunks))

    def part(self, cited: Citation) -> Part | None:
        """Return the text of the cited place. None if another revision is cited, or if the chunks
        do not contain all of the text."""
        if not all(is_indexed(cited.ref, chunk) for chunk in self._chunks):
            return None
        if cited.chars is not None:
            return _of_chars(self._runs, *cited.chars)
        if cited.page is not None:
            return _of_page(self._runs, cited)
        return _of_lines(self._runs, cited)

    def ends(self, start: int, end: int) -> Ends:
        """Return the ends of the text of these characters (from 0, end exclusive), `LINES` if the
        text is unknown."""
        part = _of_chars(self._runs, start, end)
        return LINES if part is None else part.ends


class IndexedDocument:
    """The indexed text of a document, by its collection, source and path. It is read once for all
    claims about the document."""

    def __init__(self, index: CitedIndex, place: tuple[str, str, str]) -> None:
        self._index, self._place = index, place
        self._chunks: Sequence[Chunk] | None = None
        self._text: IndexedText | None = None
        self._joined: JoinedChunks | None = None

    async def text(self) -> IndexedText:
        """Return the text. Raises StoreError."""
        if self._text is None:
            self._text = IndexedText(await self._read())
        return self._text

    async def joined(self) -> JoinedChunks:
        """Return its chunks, joined. Raises StoreError."""
        if self._joined is None:
            self._joined = await asyncio.to_thread(JoinedChunks, await self._read())
        return self._joined

    async def _read(self) -> Sequence[Chunk]:
        if self._chunks is None:
            self._chunks = await self._index.document(*self._place)
        return self._chunks


@dataclass(frozen=True, slots=True)
class _Run:
    """Consecutive chunks of a document with the text between them, from the character `start`. Text
    that is not indexed is on other lines, unless the chunk beside it has columns. `whole`: the run
    is the whole file."""

    text: str
    start: int
    chunks: tuple[Chunk, ...]
    whole: bool = False

    def part(self, start: int, end: int) -> Part | None:
        """Return these characters of the document, None if the run does not contain all of them."""
        if not self.start <= start < end <= self.start + len(self.text):
            return None
        return part_of(self.text, start - self.start, end - self.start)


def _runs(chunks: Sequence[Chunk]) -> Iterator[_Run]:
    ours: list[Chunk] = []
    parts: list[str] = []
    for chunk in sorted(chunks, key=lambda one: (one.start, -one.end)):
        added = _added(ours[-1], chunk) if ours else None
        if added == "":
            continue  # the previous chunk contains all of it
        if added is None and ours:
            yield _run(ours, parts)
            ours, parts = [], []
        ours.append(chunk)
        parts.append(chunk.text if added is None else added)
    if ours:
        yield _to_its_end(_run(ours, parts))


def _run(chunks: Sequence[Chunk], parts: Sequence[str]) -> _Run:
    first = chunks[0]
    blank = first.start if first.start == first.start_line - 1 else 0  # empty lines
    return _Run("\n" * blank + "".join(parts), first.start - blank, tuple(chunks))


def _added(last: Chunk, chunk: Chunk) -> str | None:
    """Return the text from the end of a chunk to the end of the next one, None if it is unknown."""
    if chunk.start < last.end:
        common = min(last.end, chunk.end) - chunk.start
        offset = chunk.start - last.start
        same = last.text[offset : offset + common] == chunk.text[:common]
        return chunk.text[common:] if same else None
    if chunk.start - last.end == len(chunk.space_before):
        return chunk.space_before + chunk.text
    space = between(last, chunk)
    return None if space is None else space + chunk.text


def _to_its_end(run: _Run) -> _Run:
    """Return the last run. If the content hash shows that it is the whole file apart from a last
    line end, add the line end."""
    wanted = run.chunks[-1].content_hash
    for after in _LAST if run.start == 0 else ():
        text = run.text + after
        if content_hash_of(text.encode("utf-8", "surrogatepass")) == wanted:
            return replace(run, text=text, whole=True)
    return run


def _of_chars(runs: Iterable[_Run], start: int, end: int) -> Part | None:
    return next((part for run in runs if (part := run.part(start, end))), None)


def _of_lines(runs: Iterable[_Run], cited: Citation) -> Part | None:
    first, columns = cited.start_line, cited.columns
    for run in runs:
        if first is None:
            if run.whole:
                return Part(run.text, LINES)
            continue
        chunk = run.chunks[0]
        before = ""
        if run.start:
            before = "\n" * (chunk.start_line - 1) + " " * ((chunk.start_column or 1) - 1)
        text = before + run.text
        chars = chars_of_lines(text, first, cited.end_line or first, columns)
        if chars is None or chars[0] < len(before):
            continue
        open_end = not run.whole and run.chunks[-1].end_column is not None
        if chars[1] < len(text) or columns[1] is not None or not open_end:
            return part_of(text, *chars)
    return None


def _of_page(runs: Iterable[_Run], cited: Citation) -> Part | None:
    """Return the text of the cited page or rows. A page counts only if chunks of another page
    follow it, and if a chunk precedes it or it begins the document: text at both ends of a document
    may not be indexed."""
    for run in runs:
        ours = [one for one in run.chunks if page_of(one) == (cited.page, cited.page_unit)]
        if cited.rows is not None:
            for chunk in ours:
                if (part := _of_rows(chunk, cited.rows)) is not None:
                    return part
            continue
        others = run.chunks[-1].page
        if ours and others != cited.page and (ours[0] != run.chunks[0] or run.start == 0):
            return run.part(ours[0].start, ours[-1].end)
    return None


def _of_rows(chunk: Chunk, rows: Rows) -> Part | None:
    """Return the text of these rows, None if the chunk does not contain all of them. The last line
    of the chunk is its last row."""
    held = chunk.on_page.rows if chunk.on_page else None
    if held is None or not held[0] <= rows[0] <= rows[1] <= held[1]:
        return None
    lines = chunk.text.split("\n")
    last = len(lines) - (held[1] - rows[1])
    first = last - (rows[1] - rows[0]) - 1
    return Part("\n".join(lines[first:last]), LINES) if first >= 0 else None
