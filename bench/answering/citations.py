"""Are citations true? Every chunk of an index against the bytes of its file.

Three sources (this repository, the ADK documentation, the wheel of its code) are indexed by the
product, without vectors, on which no chunk depends; then every chunk is read back. Nothing of the
product's own counting is used: a file is opened as bytes and cut at its newlines, and the place is
taken from the citation's text.

- exact: the cited lines (less what stands outside of the cited columns, and less the last line's
  newline) are the chunk's text, byte for byte, and the file has the cited content hash.
- covered: characters that are not white space of indexed files that lie in some chunk; a line
  counts as covered if all of them do. Lines without such characters are not counted.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.adk import find_wheel, require_docs
from bench.frame import ROOT, Options, SkippedError
from bench.product import open_product, read_raw, temporary_folder
from pincite.engine import AsyncPincite
from pincite.evals.golden.targets import every_chunk
from pincite.ingestion.options import IndexOptions
from pincite.model import Chunk
from pincite.model.citation import cite

_PLACE = re.compile(r".*#L(\d+)(?:C(\d+))?(?:-L(\d+)(?:C(\d+))?)?", re.DOTALL)
_MARKS = {
    b"\xff\xfe\x00\x00": "utf-32-le",
    b"\x00\x00\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
_SHOWN = 20

Place = tuple[int, int, int, int]  #: first line and column, last line and column; 0: no column


@dataclass(frozen=True, slots=True)
class SourceFigures:
    """One source. The lists name at most 20 chunks, and lines, that do not hold."""

    name: str
    files: int
    chunks: int
    exact: int
    lines: int
    covered: int
    wrong: tuple[str, ...]
    uncovered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CitationFigures:
    """All sources; `sources_skipped` says which are not here."""

    sources: tuple[SourceFigures, ...]
    sources_skipped: tuple[str, ...] = ()

    @property
    def perfect(self) -> bool:
        """Does every citation hold, and is every line covered?"""
        return all(s.exact == s.chunks and s.covered == s.lines for s in self.sources)


async def run(options: Options) -> CitationFigures:
    """Check this repository, and the other two where they can be had."""
    figures, skipped = [], []
    with temporary_folder() as work:
        places = [ROOT / "src" if options.quick else ROOT]
        try:
            docs = require_docs(options)
            places.append(docs / "docs" / "tools" if options.quick else docs)
            if not options.quick:
                places.append(find_wheel(options, work))
        except SkippedError as error:
            skipped.append(str(error))
        for number, place in enumerate(places):
            async with open_product(work / f"index{number}", options) as engine:
                await engine.index([place], options=IndexOptions(lexical=True))
                figures.append(await check(engine))
                print(f"  {_line(figures[-1])}")
    return CitationFigures(tuple(figures), tuple(skipped))


async def check(engine: AsyncPincite) -> SourceFigures:
    """Check all chunks of an index with one source."""
    client = engine.client()
    info = (await client.collections())[0]
    location = Path(info.sources[0].source.location)
    chunks: dict[str, list[Chunk]] = defaultdict(list)
    async for chunk in every_chunk(client, "main"):
        chunks[chunk.path].append(chunk)
    wrong: list[str] = []
    uncovered: list[str] = []
    lines_in_all = covered_in_all = 0
    records = await client.documents("main")
    for record in records:
        raw = read_raw(location, record.path)
        lines = lines_of(raw)
        places = []
        for chunk in chunks.pop(record.path, []):
            place = place_of(cite(chunk))
            places.append(place)
            if problem := find_problem(chunk, place, lines, raw):
                wrong.append(f"{cite(chunk)}: {problem}")
        open_lines = find_uncovered(lines, places)
        uncovered += [f"{record.path}:{number}" for number in open_lines]
        filled = sum(not line.isspace() and line != "" for line in lines)
        lines_in_all += filled
        covered_in_all += filled - len(open_lines)
    wrong += [f"{path}: chunks of a file that is not in the catalog" for path in chunks]
    return SourceFigures(
        name=info.sources[0].source.name,
        files=len(records),
        chunks=info.chunks,
        exact=info.chunks - len(wrong),
        lines=lines_in_all,
        covered=covered_in_all,
        wrong=tuple(wrong[:_SHOWN]),
        uncovered=tuple(uncovered[:_SHOWN]),
    )


def place_of(citation: str) -> Place:
    """Lines and columns as a reader of the citation would take them. Raises ValueError."""
    match = _PLACE.fullmatch(citation)
    if match is None:
        raise ValueError(f"{citation!r} names no lines")
    first, first_column, last, last_column = (int(part or 0) for part in match.groups())
    return first, first_column, last or first, last_column


def encoding_of(raw: bytes) -> str:
    """By its mark, else UTF-8, else Windows-1252, else Latin-1."""
    for mark, encoding in _MARKS.items():
        if raw.startswith(mark):
            return encoding
    for encoding in ("utf-8", "cp1252"):
        try:
            raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def lines_of(raw: bytes) -> list[str]:
    """The lines of a file, without their newlines; carriage returns stay. UTF-8, as nearly all
    files are, is cut as bytes."""
    encoding = encoding_of(raw)
    if encoding == "utf-8":
        return [line.decode() for line in raw.split(b"\n")]
    return raw.decode(encoding).split("\n")


def find_problem(chunk: Chunk, place: Place, lines: Sequence[str], raw: bytes) -> str:
    """Why the citation does not hold, empty if it does."""
    first, first_column, last, last_column = place
    if not 1 <= first <= last <= len(lines):
        return f"there are {len(lines)} lines"
    if hashlib.sha256(raw).hexdigest() != chunk.content_hash:
        return "the content hash is another"
    cited = list(lines[first - 1 : last])
    cited[-1] = cited[-1][:last_column] if last_column else cited[-1].removesuffix("\r")
    cited[0] = cited[0][max(0, first_column - 1) :]
    if "\n".join(cited).encode() != chunk.text.encode():
        return "the lines are not the text"
    return ""


def find_uncovered(lines: Sequence[str], places: Sequence[Place]) -> list[int]:
    """The lines with a character that is not white space and in no chunk, from 1."""
    whole: set[int] = set()
    parts: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for first, first_column, last, last_column in places:
        for number in range(first, last + 1):
            start = first_column - 1 if number == first and first_column else 0
            end = last_column if number == last and last_column else 0
            if start or end:
                parts[number].append((start, end or len(lines[number - 1])))
            else:
                whole.add(number)
    missing = []
    for number, line in enumerate(lines, start=1):
        if number in whole:
            continue
        seen: set[int] = set()
        for start, end in parts[number]:
            seen.update(range(start, end))
        if any(place not in seen for place, sign in enumerate(line) if not sign.isspace()):
            missing.append(number)
    return missing


def _line(figures: SourceFigures) -> str:
    exact = 100 * figures.exact / max(1, figures.chunks)
    covered = 100 * figures.covered / max(1, figures.lines)
    report = (
        f"{figures.name}: {figures.chunks:,} chunks, {exact:.4g} % exact;"
        f" {figures.lines:,} lines, {covered:.4g} % covered"
    )
    violations = (*figures.wrong, *figures.uncovered)
    return "\n    ".join((report, *violations))
