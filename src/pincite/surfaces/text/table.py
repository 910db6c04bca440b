"""Format a pack for people: for each result a line with its location, and its text below."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pincite.model import RANKING_SIGNALS, Context, Evidence, EvidencePack
from pincite.model.citation import format_rows, parse_citation, place_of
from pincite.support.counted import counted
from pincite.support.terminal import Painted, file_link, one_line, visible
from pincite.surfaces.text.columns import cut, painted, wrapped
from pincite.surfaces.text.excerpt import Weighed, excerpt
from pincite.surfaces.text.highlight import Highlighter, Mark
from pincite.surfaces.text.parts import asides, attributes_of, short_id, verdict_words

_MOST_LINES = 24  # shown of one result; 300 tokens are about 30
_CONSIDERED = 2_000  # lines examined of one text
_LEAST_TEXT = 20  # columns
_MOST_ROWS = 12  # of one line of prose; guess, unmeasured
_REST = "of this line: --context unit"
_COLOURS = {"grounded": "1;32", "weak": "1;33", "none": "1;31"}
_LOCATION, _NUMBER, _DIM, _BOLD, _ASIDE = "35", "32", "2", "1", "33"


@dataclass(frozen=True, slots=True)
class Look:
    """Options of the table. `width` is the number of columns of the terminal, 0 for a pipe or a
    file, where no line is cut or wrapped. `roots` are the folders of sources on this machine, by
    collection and source; paths below `here` are shown relative to it. `languages` are those of the
    collections. `around`: show this number of lines before and after each line with a word of the
    question; None for an excerpt. `whole`: show complete texts. `details`: show the citation and
    the score of each result. `host` is the host in file URLs."""

    width: int = 0
    here: str = ""
    roots: Mapping[tuple[str, str], str] = field(default_factory=dict)
    languages: tuple[str, ...] = ("english",)
    around: int | None = None
    whole: bool = False
    details: bool = False
    host: str = ""


def table(pack: EvidencePack, look: Look) -> Iterator[str | Painted]:
    """Yield the parts of the text, without a final newline. Values from files cannot contain line
    breaks or control characters where one line is expected."""
    words, reason = verdict_words(pack)
    highlighter = Highlighter(pack.query, look.languages)
    yield Painted(words, _COLOURS[pack.verdict.level])
    yield Painted(f": {one_line(reason)}", _DIM)
    for aside in asides(pack):
        yield "\n"
        yield Painted(one_line(aside), _ASIDE)
    yield from _results(pack.evidence, look, highlighter)
    if pack.closest:
        yield "\n\n"
        yield Painted("below the bar, only nearest:", _COLOURS["none"])
        yield from _results(pack.closest, look, highlighter)


def grouped(results: Sequence[Evidence]) -> list[list[Evidence]]:
    """Return the results grouped by file, in the order of the best one of each. Each result without
    a path is a group of its own."""
    groups: dict[tuple[str, ...], list[Evidence]] = {}
    for item in results:
        own = () if item.path else (item.candidate_id,)
        groups.setdefault((item.collection, item.repo, item.path, *own), []).append(item)
    return list(groups.values())


def _results(
    results: Sequence[Evidence], look: Look, highlighter: Highlighter
) -> Iterator[str | Painted]:
    for group in grouped(results):
        yield "\n"
        for item in group:
            yield "\n"
            yield from heading(item, look)
            yield from _details(item, look)
            yield from body(item, look, highlighter)


def heading(item: Evidence, look: Look) -> Iterator[str | Painted]:
    """Yield one line with the location of a result."""
    place, link = location(item, look)
    yield Painted(f"[{item.number}]", _BOLD)
    yield " "
    yield Painted(one_line(place), _LOCATION, link)
    if item.path and item.end_line > item.start_line:
        yield Painted(f"-{item.end_line}", _DIM)
    if item.page is not None:
        yield f", {item.page_unit} "
        yield Painted(str(item.page), _LOCATION)
        if item.rows is not None:
            yield f", {format_rows(item.rows).replace('=', ' ')}"
    if item.recognised:
        yield ", "
        yield Painted("read by OCR", _ASIDE)
    yield f"  {item.score:.2f}"
    if item.truth == "moved":
        yield "  "
        yield Painted("moved since it was indexed", _ASIDE)
    if item.headings:
        yield f"  {one_line(' > '.join(item.headings))}"
    yield "  "
    yield Painted(short_id(item), _DIM)


def _details(item: Evidence, look: Look) -> Iterator[str | Painted]:
    """Yield further details of a result, on separate lines."""
    if look.details or (item.collection, item.repo) not in look.roots:
        yield "\n    "
        yield Painted(one_line(item.citation), _DIM)
    if item.url and item.start_char is not None:  # a record's citation contains no URL
        yield "\n    "
        yield Painted(one_line(item.url), _DIM)
    if look.details:
        yield f"\n    {score_of(item)}"
    for said in item.descriptions:
        yield "\n    "
        yield Painted(one_line(said)[: max(20, look.width - 4) if look.width else None], _ASIDE)
    if held := attributes_of(item):
        yield f"\n    {held}"[: look.width or None]


def location(item: Evidence, look: Look) -> tuple[str, str]:
    """Return `path:line`, and the URL of the file, "" if it is not on this machine. The path is
    relative to the current folder if the file is below it. Otherwise it has the name of its source
    and a colon before it, because the path may name another file here."""
    line = f":{item.start_line}" if item.path and item.end_line else ""
    path, found = item.path, file_of(item, look.roots)
    if not path or not found:
        return (f"{path}{line}" if path else place_of(item) or item.collection), ""
    below = f"{look.here.rstrip('/')}/"
    if look.here and found.startswith(below):
        path = found[len(below) :]
    elif look.here:
        path = f"{item.repo}:{path}"
    return f"{path}{line}", file_link(found, look.host)


def file_of(item: Evidence, roots: Mapping[tuple[str, str], str]) -> str:
    """Return the absolute path of a result's file, "" if it is not on this machine."""
    root = roots.get((item.collection, item.repo))
    if not root or not item.path:
        return ""
    found = os.path.normpath(os.path.join(root, item.path))  # noqa: PTH118 - many, and quick
    inside = found.startswith(f"{root.rstrip('/')}/")
    return found if inside and os.path.isfile(found) else ""  # noqa: PTH113


def body(item: Evidence, look: Look, highlighter: Highlighter) -> Iterator[str | Painted]:
    """Yield the text of a result, an excerpt if it is long; each line begins with a newline."""
    shown = item.context
    text = (shown.text if shown else item.text).removeprefix("\ufeff").removesuffix("\n")
    first = shown.start_line if shown else item.start_line
    lines = [_plain(line) for line in text.split("\n")]
    skipped = max(0, min((item.start_line - first if shown else 0) - _CONSIDERED // 2, len(lines)))
    lines, first = lines[skipped : skipped + _CONSIDERED], first + skipped
    numbered = bool(item.path and item.end_line)
    found, own = _found(item)
    marks = [highlighter.marks(line) for line in lines]
    weighed = [
        Weighed(
            frozenset().union(*(mark.terms for mark in held)),
            not shown or any(start <= first + n <= end for start, end in found),
            not line.strip(),
            not shown or own[0] <= first + n <= own[1],
        )
        for n, (line, held) in enumerate(zip(lines, marks, strict=True))
    ]
    picked = excerpt(weighed, len(lines) if look.whole else _MOST_LINES, look.around)
    size = len(str(first + len(lines))) if numbered else 0
    above, below = _left_out(weighed, picked)
    if above and look.around is None:
        yield "\n  "
        yield Painted(f"... {counted(above, 'line')} above", _DIM)
    before = -1
    for n in picked:
        if before >= 0 and n > before + 1:
            yield "\n"
            yield Painted("  --", _DIM)
        before = n
        sign = ":" if weighed[n].found else "-"
        yield "\n  "
        if numbered:
            yield Painted(f"{first + n:>{size}}{sign}", _NUMBER if weighed[n].found else _DIM)
        else:
            yield Painted("|", _DIM)
        if lines[n]:
            yield " "
            yield from _shown(lines[n], marks[n], item, look, size + 4)
    if below and look.around is None:
        yield "\n  "
        yield Painted(f"... {counted(below, 'more line')}", _DIM)


def _left_out(lines: Sequence[Weighed], picked: Sequence[int]) -> tuple[int, int]:
    """Return the numbers of lines with text above and below those that are shown."""
    first, last = (picked[0], picked[-1] + 1) if picked else (0, 0)
    above, below = lines[:first], lines[last:]
    return sum(not one.blank for one in above), sum(not one.blank for one in below)


def _found(item: Evidence) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Return the ranges of found lines among those shown (inclusive), and the range of the item's
    own lines. On a page, they count from 0."""
    if item.page is not None and item.context is not None:
        return _found_on_page(item, item.context)
    own = (item.start_line, item.end_line)
    matches = item.context.matches if item.context else ()
    return [(one.start_line, one.end_line) for one in matches] or [own], own


def _found_on_page(
    item: Evidence, context: Context
) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    cited = parse_citation(context.citation)
    first = (cited.start_char if cited else None) or 0
    spans = [(one.start_char, one.end_char) for one in context.matches]
    own = (item.start_char, item.end_char)
    found = []
    for start, end in (*(spans or [own]), own):
        begin, stop = (start or 0) - first, (end or 0) - first
        above = context.text.count("\n", 0, max(0, begin))
        found.append((above, above + context.text.count("\n", max(0, begin), max(0, stop))))
    return found[:-1], found[-1]


def _plain(line: str) -> str:
    return visible(line.removesuffix("\r").expandtabs(4))


def _shown(
    line: str, marks: Sequence[Mark], item: Evidence, look: Look, indent: int
) -> Iterator[str | Painted]:
    """Yield a line of the text, cut or wrapped according to the look."""
    if not look.width:
        return painted(line, marks, 0, len(line))
    width = max(_LEAST_TEXT, look.width - indent)
    whole = look.whole or look.around is not None
    if whole or (item.source_type == "docs" and item.rows is None):
        return wrapped(line, marks, width, " " * indent, len(line) if whole else _MOST_ROWS, _REST)
    return cut(line, marks, width)


def score_of(item: Evidence) -> str:
    """Return the score by which a result is ranked, with its name and kind."""
    ranks = next(one for one in reversed(item.signals) if one.name in RANKING_SIGNALS)
    return f"{ranks.name} {ranks.value:.3f} ({ranks.kind})"
