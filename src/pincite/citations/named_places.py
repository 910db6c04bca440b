"""Find places that a locator names by words: a heading or its anchor, a symbol, a sheet.

People and models write `guide.md#body-limit`, `app.py:Keys.rotate`, `app.py::Keys::rotate` and
`prices.xlsx#sheet=Prices`. Such places are found by the headings and symbols of chunks in the
index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from pincite.citations.forms import Span, forms
from pincite.citations.listing import CitedIndex
from pincite.citations.passage import IndexedFile
from pincite.citations.resolve import NotNamed, find_span, shortened
from pincite.model import Chunk
from pincite.model.citation import Citation, format_citation, page_of
from pincite.model.revisions import same_revision
from pincite.scope.near import near_names
from pincite.support.fields import replace
from pincite.support.terminal import one_line

_MOST_SPLITS = 4  # of a locator into a file and a place
_MOST_NAMED = 3  # places in a hint
_UNIT = re.compile(r"(?:page|slide|sheet|cell|chapter|section|heading)\s*=\s*", re.I)
_SEPARATOR = re.compile(r"::|[.#>/\\]")
_SIGNS = re.compile(r"[\W_]+")
#: By language: the sign of headings, and the beginnings of fences.
_MARKUP = {"markdown": ("#", ("```", "~~~")), "asciidoc": ("=", ("---",)), "org": ("*", ())}
_Fold = Callable[[str], str]


class NoPlace(NotNamed):
    """A file is indexed, but has no place with this name, or several."""


async def find_place(index: CitedIndex, locator: str, *, hidden: bool = False) -> Span | None:
    """Return a place in an indexed file, as lines of the indexed text, or as characters of an
    extracted document. None if the locator names no indexed file. Raises NoPlace, or UsageError for
    an ambiguous file. With `hidden`, return None instead of raising NoPlace, so that the caller
    does not learn which files exist."""
    for name, place in _split(locator):
        try:
            known, cited = await find_span(index, Span(name))
        except NotNamed:
            continue
        found = await index.document(known.collection, known.record.source.name, known.path)
        chunks = sorted(found, key=lambda one: one.start)
        held = _places(place, chunks)
        if len(held) != 1 and hidden:
            return None
        if len(held) != 1:
            raise _no_place(known.path, place, chunks, held)
        return _span(known, cited.ref if cited else "", held[0])
    return None


def _split(locator: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to split a locator into a file and a place, the longest file first."""
    for form in forms(locator):
        at = [found.start() for found in re.finditer("[#:]", form)]
        for end in at[: -_MOST_SPLITS - 1 : -1]:
            name, place = form[:end].rstrip(":"), form[end + 1 :].strip()
            if name and place:
                yield name, place


def _places(place: str, chunks: Sequence[Chunk]) -> list[list[Chunk]]:
    """Return the chunks of each place with this name. It is compared with headings in the lines of
    markup, else with the headings and symbols of chunks: exactly, then without punctuation and
    case, each time first as one name, then as a path of names."""
    bare = _UNIT.sub("", place, count=1)
    if found := list(_by_lines(_folded(bare), chunks)):
        return found
    for fold in (str.strip, _folded):
        parts = [one for one in map(fold, _SEPARATOR.split(bare)) if one]
        for wanted in ([whole] if (whole := fold(bare)) else [], parts):
            if wanted and (found := _by_names(wanted, chunks, fold)):
                return found
    return []


def _folded(text: str) -> str:
    return _SIGNS.sub("", text).casefold()


def _by_names(wanted: list[str], chunks: Sequence[Chunk], fold: _Fold) -> list[list[Chunk]]:
    """Return groups of consecutive chunks whose heading path contains these names in a row, or
    which define the last of them. Chunks of a group have the same parent heading. Small definitions
    may share a chunk."""
    found: list[list[Chunk]] = []
    last: tuple[int, tuple[str, ...]] | None = None  # the number of a chunk, and its heading
    for number, chunk in enumerate(chunks):
        path, symbols = [*map(fold, chunk.headings)], {*map(fold, chunk.symbols)}
        ends = range(len(wanted), len(path) + 1)
        end = next((at for at in ends if path[at - len(wanted) : at] == wanted), None)
        defines = wanted[-1] in symbols and symbols.union(path).issuperset(wanted)
        if end is None and not defines:
            continue
        above = chunk.headings[: len(path) if end is None else end - 1]
        if last == (number - 1, above):
            found[-1].append(chunk)
        else:
            found.append([chunk])
        last = number, above
    return found


def _by_lines(wanted: str, chunks: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    """Yield the sections of a page with this heading, up to the next heading of their level or a
    higher one."""
    language = chunks[0].language if wanted and chunks else ""
    heads = list(_headings(language, chunks)) if language in _MARKUP else []
    for number, (line, level, text) in enumerate(heads):
        if _folded(text) == wanted:
            after = (one for one, other, _ in heads[number + 1 :] if other <= level)
            end = next(after, chunks[-1].end_line + 1) - 1
            yield [replace(chunks[0], start_line=line, end_line=end)]


def _headings(language: str, chunks: Sequence[Chunk]) -> Iterator[tuple[int, int, str]]:
    """Yield the line, level and text of each heading outside of fences."""
    (sign, fences), fence = _MARKUP[language], ""
    for chunk in chunks:
        for number, line in enumerate(chunk.text.split("\n"), chunk.start_line):
            mark = line.lstrip()[:3]
            if mark in fences and fence in ("", mark):
                fence = "" if fence else mark
            text = line.lstrip(sign)
            if not fence and text != line and text.startswith(" "):
                yield number, len(line) - len(text), text


def _span(known: IndexedFile, ref: str, chunks: Sequence[Chunk]) -> Span:
    """Return the place of these chunks. Its `ref` is the indexed revision, because the chunks are
    from the indexed text; another revision is left out of its name."""
    first, last = chunks[0], chunks[-1]
    of = Citation(
        known.record.source.name, ref if same_revision(ref, known.ref) else "", known.path
    )
    page, unit = page_of(first)
    if page is None:
        return Span(format_citation(of), first.start_line, last.end_line, known.ref)
    chars = (first.start, last.end)
    return Span(format_citation(of), ref=known.ref, page=page, page_unit=unit, chars=chars)


def _no_place(
    path: str, place: str, chunks: Sequence[Chunk], held: Sequence[Sequence[Chunk]]
) -> NoPlace:
    if held:
        at = [f"{path}:{one[0].start_line}-{one[-1].end_line}" for one in held[:_MOST_NAMED]]
        said = f"{path} has {len(held)} places {shortened(place)}"
        return NoPlace(said, hint=f"name one of them: {', '.join(at)}")
    names = [name for one in chunks for name in (*one.headings[::-1], *one.symbols)]
    near = near_names([place], dict.fromkeys(names), _MOST_NAMED)
    said = f"{path} is indexed, but has no place {shortened(place)}"
    meant = " or ".join(f"{path}#{one_line(one)}" for one in near)
    return NoPlace(said, hint=f"did you mean {meant}?" if near else f"pincite get {path}")
