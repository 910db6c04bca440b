"""The text of a cited place as it was indexed, from the chunks of its document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pincite.citations.claimed_text import Passages
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

#: What may follow the last chunk of a file.
_LAST = ("\n", "", "\r\n")


def is_indexed(ref: str, chunk: Chunk) -> bool:
    """Return whether a ref names the revision at which a chunk was indexed."""
    return same_revision(ref, chunk.ref) or names_content(ref, chunk.content_hash)


class IndexedText:
    """The text of a document in the indexed revision, as far as its chunks have it."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks

    @cached_property
    def _runs(self) -> list[_Run]:
        return list(_runs(self._chunks))

    def part(self, cited: Citation) -> Part | None:
        """Return the text of the cited place. None if another revision is cited, or if the chunks
        do not have all of the text."""
        if not all(is_indexed(cited.ref, chunk) for chunk in self._chunks):
            return None
        if cited.start_char is not None and cited.end_char is not None:
            return _of_chars(self._runs, cited.start_char, cited.end_char)
        if cited.page is not None:
            return _of_page(self._runs, cited)
        return _of_lines(self._runs, cited)

    def ends(self, start: int, end: int) -> Ends:
        """Return how these characters begin and end; with a line each if they are not known."""
        part = _of_chars(self._runs, start, end)
        return LINES if part is None else part.ends


class IndexedDocument:
    """A document as it was indexed, by its collection, source and path: read once for all claims
    about it."""

    def __init__(self, index: CitedIndex, place: tuple[str, str, str]) -> None:
        self._index, self._place = index, place
        self._chunks: Sequence[Chunk] | None = None
        self._text: IndexedText | None = None
        self._passages: Passages | None = None

    async def text(self) -> IndexedText:
        """Raises StoreError."""
        if self._text is None:
            self._text = IndexedText(await self._read())
        return self._text

    async def passages(self) -> Passages:
        """Raises StoreError."""
        if self._passages is None:
            self._passages = await asyncio.to_thread(Passages, await self._read())
        return self._passages

    async def _read(self) -> Sequence[Chunk]:
        if self._chunks is None:
            self._chunks = await self._index.document(*self._place)
        return self._chunks


@dataclass(frozen=True, slots=True)
class _Run:
    """Chunks of a document with the text between them. A text that is not indexed before or after
    them is on other lines, except where a chunk has columns. `whole` says that it is all of the
    file."""

    text: str
    start: int
    chunks: tuple[Chunk, ...]
    whole: bool = False

    def part(self, start: int, end: int) -> Part | None:
        """These characters of the document, None if the run does not have all of them."""
        if not self.start <= start < end <= self.start + len(self.text):
            return None
        return part_of(self.text, start - self.start, end - self.start)


def _runs(chunks: Sequence[Chunk]) -> Iterator[_Run]:
    ours: list[Chunk] = []
    parts: list[str] = []
    for chunk in sorted(chunks, key=lambda one: (one.start, -one.end)):
        added = _added(ours[-1], chunk) if ours else None
        if added == "":
            continue  # all of it is in the chunk before
        if added is None and ours:
            yield _run(ours, parts)
            ours, parts = [], []
        ours.append(chunk)
        parts.append(chunk.text if added is None else added)
    if ours:
        yield _to_its_end(_run(ours, parts))


def _run(chunks: Sequence[Chunk], parts: Sequence[str]) -> _Run:
    first = chunks[0]
    blank = first.start if first.start == first.start_line - 1 else 0  # lines before the first
    return _Run("\n" * blank + "".join(parts), first.start - blank, tuple(chunks))


def _added(last: Chunk, chunk: Chunk) -> str | None:
    """The text from the end of a chunk to the end of the next one, None if it is not known."""
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
    """The last run, with what follows it if the hash says that this is the whole file."""
    wanted = run.chunks[-1].content_hash
    for after in _LAST if run.start == 0 else ():
        text = run.text + after
        if content_hash_of(text.encode("utf-8", "surrogatepass")) == wanted:
            return replace(run, text=text, whole=True)
    return run


def _of_chars(runs: Iterable[_Run], start: int, end: int) -> Part | None:
    return next((part for run in runs if (part := run.part(start, end))), None)


def _of_lines(runs: Iterable[_Run], cited: Citation) -> Part | None:
    first, columns = cited.start_line, (cited.start_column, cited.end_column)
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
    """The text of a page, which other chunks must follow, or of its rows. Text that is not indexed
    may be before the first chunk of a document, and after the last one."""
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
    """The text of rows that are in one chunk, which ends with its last row."""
    held = chunk.on_page.rows if chunk.on_page else None
    if held is None or not held[0] <= rows[0] <= rows[1] <= held[1]:
        return None
    lines = chunk.text.split("\n")
    last = len(lines) - (held[1] - rows[1])
    first = last - (rows[1] - rows[0]) - 1
    return Part("\n".join(lines[first:last]), LINES) if first >= 0 else None
