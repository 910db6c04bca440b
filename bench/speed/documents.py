"""PDFs that others have made: how fast they are read, and whether another reader finds the same.

The witness is `pdftotext` of poppler-utils, which shares no code with ours. *Words* is the F1 of
the words of a page (as a multiset), *pairs* that of neighbouring words, which falls where the
order of reading differs; both without hyphens, since words that are parted at the end of a line are
joined here. *Rows* is the share of the rows of our tables whose words stand in this order on one
line of `pdftotext -layout`. *Pages* says whether both count as many. Seconds are those of the
processor, in one process, pictures included.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.frame import Options, SkippedError
from pincite.errors import SourceError
from pincite.readers.extraction.result import Extraction
from pincite.readers.pdf.extract import extract_pdf

_WORD = re.compile(r"\w+")
_PARTED = re.compile(r"[-\u00ad\u2010]\s*\n?\s*")
_QUICK_FILES = 3


@dataclass(frozen=True, slots=True)
class FileFigures:
    """One PDF. `rows` are those of its tables, `whole_rows` the ones that the witness has, too."""

    pages: int
    same_pages: bool
    seconds: float
    words: float
    pairs: float
    tables: int
    rows: int
    whole_rows: int
    pictures: int
    headings: int


@dataclass(frozen=True, slots=True)
class DocumentFigures:
    """By the name of the file."""

    files: dict[str, FileFigures]
    extractor: str


async def run(options: Options) -> DocumentFigures:
    """All PDFs of the folder. Raises SkippedError where there is none, or no witness."""
    if options.documents is None:
        raise SkippedError("a folder of PDFs is named with --documents")
    if shutil.which("pdftotext") is None:
        raise SkippedError("pdftotext is not there: apt-get install poppler-utils")
    found: dict[str, FileFigures] = {}
    extractor = ""
    places = sorted(options.documents.glob("*.pdf"), key=lambda one: one.stat().st_size)
    for place in places[: _QUICK_FILES if options.quick else None]:
        started_s = time.process_time()
        try:
            extraction = extract_pdf(place.read_bytes())
        except SourceError as error:
            print(f"  {place.name}: {error.message}", flush=True)
            continue
        seconds = time.process_time() - started_s
        found[place.name] = compared(extraction, place, seconds)
        extractor = extraction.extractor
        one = found[place.name]
        print(
            f"  {place.name}: {one.pages} pages, {one.pages / seconds:.0f} a second,"
            f" words {one.words:.4f}, pairs {one.pairs:.4f}, rows {one.whole_rows}/{one.rows}",
            flush=True,
        )
    if not found:
        raise SkippedError(f"there are no PDFs in {options.documents}")
    return DocumentFigures(found, extractor)


def compared(extraction: Extraction, place: Path, seconds: float) -> FileFigures:
    """What the witness says of it."""
    theirs = witness(place)
    ours = [extraction.text[page.start : page.end] for page in extraction.pages]
    agree = [
        (len(words_of(two)), f1(words_of(one), words_of(two)), f1(pairs(one), pairs(two)))
        for one, two in zip(ours, theirs, strict=False)
    ]
    total = sum(count for count, _, _ in agree) or 1
    rows = [
        (one.page, row)
        for one in extraction.elements
        if one.kind == "table"
        for row in extraction.text[one.start : one.end].split("\n")
    ]
    lines = [
        {" ".join(words_of(line)) for line in page.split("\n")}
        for page in witness(place, "-layout")
    ]
    whole = sum(
        any(" ".join(words_of(row)) in line for line in lines[page - 1]) for page, row in rows
    )
    return FileFigures(
        len(ours),
        len(ours) == len(theirs),
        round(seconds, 2),
        round(sum(count * words for count, words, _ in agree) / total, 4),
        round(sum(count * both for count, _, both in agree) / total, 4),
        sum(one.kind == "table" for one in extraction.elements),
        len(rows),
        whole,
        sum(one.kind == "image" for one in extraction.elements),
        sum(one.kind == "heading" for one in extraction.elements),
    )


def witness(place: Path, *options: str) -> list[str]:
    """The text of each page, as pdftotext reads it."""
    command = ["pdftotext", "-enc", "UTF-8", *options, str(place), "-"]
    said = subprocess.run(command, capture_output=True, check=True).stdout.decode(
        "utf-8", "replace"
    )
    return said.split("\f")[:-1]


def words_of(text: str) -> list[str]:
    """Words in small letters, hyphens removed."""
    plain = unicodedata.normalize("NFKC", _PARTED.sub("", text))
    return _WORD.findall(plain.casefold())


def pairs(text: str) -> list[tuple[str, str]]:
    """Neighbouring words."""
    return list(pairwise(words_of(text)))


def f1(ours: Iterable[object], theirs: Sequence[object]) -> float:
    """Of two multisets."""
    one, two = Counter(ours), Counter(theirs)
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 1.0
