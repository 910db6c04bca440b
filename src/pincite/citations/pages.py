"""Read and check citations of extracted documents, by page and characters.

The text is extracted again from the current file. Readers cannot see the lines of such a text, so
lines are never named.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from pincite.errors import SourceError, UsageError
from pincite.model import Document, Evidence, PageUnit
from pincite.model.citation import format_page, format_rows
from pincite.model.documents import Element, Rows
from pincite.model.pages import chars_of_rows, page_of_span, rows_at, unit_of
from pincite.model.revisions import is_ambiguous, names_content, same_revision
from pincite.readers import read_document
from pincite.sources import OpenSource
from pincite.support.counted import counted
from pincite.support.finding.ends import ANYWHERE, WORDS, Ends, part_of
from pincite.support.finding.find import Lines, find_chars, find_span
from pincite.support.finding.trailing_space import end_before_space
from pincite.support.finding.word_ends import places, whole_places


@dataclass(frozen=True, slots=True)
class Place:
    """Characters of an extracted text (from 0, end exclusive), and the page (from 1) that they are
    on; None if they are on several pages."""

    start: int
    end: int
    page: int | None


def place_in(
    document: Document,
    page: int | None,
    unit: PageUnit | None,
    chars: tuple[int, int] | None,
    rows: Rows | None = None,
) -> Place:
    """Return the place of a citation in a document: the characters if they are cited, else the rows
    of the page, else the whole page, else the whole document. Raises UsageError if the document
    does not have it."""
    own, path, size = unit_of(document), document.path, len(document.text)
    if own is None:
        raise UsageError(
            f"{path} has lines, not {unit or 'page'}s", hint=f"pincite get {path}:1:20"
        )
    if chars is not None:
        start, end = chars
        if not 0 <= start < end or start >= size:
            raise UsageError(f"{path} has {size:,} characters: {start} to {end} is outside of them")
        return place_of_chars(document, start, min(end, size))
    if page is None:
        return Place(0, size, None)
    last = len(document.pages)
    if unit != own:
        raise UsageError(f"{path} has {own}s, not {unit}s", hint=f"pincite get {path}#{own}=1")
    if not 1 <= page <= last:
        raise UsageError(f"{path} has {counted(last, own)}: {own} {page} does not exist")
    if rows is not None:
        found = chars_of_rows(document.elements, document.text, page, rows)
        if found is None:
            raise UsageError(f"{own} {page} of {path} is empty in {_of_rows(rows)}")
        return Place(*found, page)
    span = document.pages[page - 1]
    return Place(span.start, end_before_space(document.text, span.start, span.end), page)


def find_page(
    document: Document, wanted: str, page: int | None, unit: PageUnit | None, rows: Rows | None
) -> Place | None:
    """Return the current place of `wanted`, the former text of this page or of these rows: the
    cited place, else the nearest page with exactly this text, or with it as whole rows. None if the
    document does not have it."""
    with suppress(UsageError):
        here = place_in(document, page, unit, None, rows)
        if document.text[here.start : here.end] == wanted:
            return here
    if page is None:
        return None
    for one in sorted(document.pages, key=lambda one: abs(one.number - page)):
        place = place_in(document, one.number, unit_of(document), None)
        part = document.text[place.start : place.end]
        found = (0, len(part)) if part == wanted else None
        if found is None and rows is not None:
            found = find_span(part, wanted, Lines(1, 1), starts_line=True, ends_line=True)
        if found is not None:
            return place_of_chars(document, place.start + found[0], place.start + found[1])
    return None


def exact_place(
    document: Document,
    page: int | None,
    unit: PageUnit | None,
    chars: tuple[int, int] | None,
    rows: Rows | None = None,
) -> Place:
    """Return the place of `place_in`, if all numbers name the same place: the characters must be on
    the page and in the rows, and must not exceed the text. Raises UsageError."""
    place = place_in(document, page, unit, chars, rows)
    if said := misplaced(document, place, page, unit, rows if chars else None):
        raise UsageError(said)
    if chars is not None and chars[1] > place.end:
        said = f"{document.path} has {len(document.text):,} characters"
        raise UsageError(f"{said}: {chars[0]} to {chars[1]} is outside of them")
    if chars is None and page is not None and rows is not None:
        last = max(_last_row(one, document.text) for one in document.elements if one.page == page)
        if rows[1] > last:
            said = f"{unit} {page} of {document.path} has {counted(last, 'row')}"
            raise UsageError(f"{said}: row {rows[1]} does not exist")
    return place


def misplaced(
    document: Document, place: Place, page: int | None, unit: PageUnit | None, rows: Rows | None
) -> str:
    """Return a message if a place is not on this page or not in these rows, "" if it is. None means
    that the number is not cited."""
    own = unit_of(document) or "page"
    if page is not None and unit != own:
        return f"{document.path} has {own}s, not {unit or 'page'}s"
    if page is not None and page != place.page:
        there = f"on {own} {place.page}" if place.page else f"on several {own}s"
        return f"these characters are {there}"
    if rows is not None and rows != (now := _rows_of(document, place)):
        return f"these characters are in {_of_rows(now) or 'no row'}"
    return ""


def _rows_of(document: Document, place: Place) -> Rows | None:
    return rows_at(document.elements, document.text, place.start, place.end)


def _last_row(one: Element, text: str) -> int:
    return one.row + text.count("\n", one.start, one.end) if one.row else 0


def _of_rows(rows: Rows | None) -> str:
    return format_rows(rows).replace("=", " ")


def place_of_chars(document: Document, start: int, end: int) -> Place:
    """Return the place of these characters, with their page if all are on one page."""
    found = page_of_span(document.pages, start, end)
    return Place(start, end, found.number if found else None)


def widened(document: Document, place: Place, lines: int) -> Place:
    """Return the place with this number of lines of the extracted text before and after it, on the
    same page. A place on several pages is not changed."""
    if not lines or place.page is None:
        return place
    page, text = document.pages[place.page - 1], document.text
    start, position = page.start, place.start
    for _ in range(lines + 1):
        position = text.rfind("\n", page.start, position)
        if position < 0:
            break
    else:
        start = position + 1
    position = place.end - 1
    end = page.end
    for _ in range(lines + 1):
        position = text.find("\n", position + 1, page.end)
        if position < 0:
            break
    else:
        end = position
    while text[start].isspace():
        start += 1
    return Place(start, end_before_space(text, start, end), place.page)


def words_of(document: Document, place: Place) -> str:
    """Return the page, rows and characters of a place as a text: `page 3, characters 120-480`."""
    chars = f"characters {place.start}-{place.end}"
    return ", ".join(filter(None, (page_words(document, place), chars)))


def page_words(document: Document, place: Place) -> str:
    """Return the page and the rows of a sheet as a text: `sheet 2, row 4-9`. The page is left out
    for a place on several pages."""
    rows = _rows_of(document, place)
    named = f"{unit_of(document) or 'page'} {place.page}" if place.page else ""
    return ", ".join(filter(None, (named, _of_rows(rows))))


def no_lines(document: Document) -> UsageError:
    """Return the error for a request of lines of an extracted document."""
    unit, path = unit_of(document) or "page", document.path
    return UsageError(
        f"{path} is an extracted text, which has {unit}s but no lines",
        hint=f"pincite get {path}#{format_page(1, unit)}",
    )


@dataclass(frozen=True, slots=True)
class Held:
    """The current place of a text, None if it is missing. `there`: it is the cited place."""

    place: Place | None
    there: bool


def held_against(
    document: Document, item: Evidence, *, text_cut: bool, ends: Ends = ANYWHERE
) -> Held:
    """Return the place of an item's text in a document: the cited characters, else the nearest
    ones. The text must have these `ends`."""
    chars = chars_now(document.text, item, text_cut=text_cut, ends=ends)
    if chars is None:
        return Held(None, there=False)
    place = place_of_chars(document, *chars)
    wrong = misplaced(document, place, item.page, item.page_unit, item.rows)
    return Held(place, chars == (item.start_char, item.end_char) and not wrong)


def chars_now(
    text: str, item: Evidence, *, text_cut: bool, ends: Ends = ANYWHERE
) -> tuple[int, int] | None:
    """Return the characters of a document's text that are an item's text: the cited ones, else the
    nearest ones; None if it is missing. The text must have these `ends`. With `text_cut`, the item
    may have only the beginning of the cited text, and its end is not checked."""
    start, end = item.start_char or 0, item.end_char or 0
    ends = Ends(ends.begin, "any") if text_cut else ends
    found = find_chars(text, item.text, start, ends)
    if found is None:
        return None
    size = end - start if text_cut else len(item.text)
    return found, min(found + size, len(text))


def ends_of_item(then: Document | None, item: Evidence) -> Ends:
    """Return the ends of an item's text in the cited revision `then`, `WORDS` if that is not
    available or does not have the text there."""
    start = item.start_char or 0
    if then is None or not then.text.startswith(item.text, start):
        return WORDS
    return part_of(then.text, start, start + len(item.text)).ends


def cited_then(opened: OpenSource, item: Evidence, document: Document | None) -> Document | None:
    """Return the document in the revision that an item cites, None if that is not available."""
    if document is not None and document.content_hash == item.content_hash:
        of_content = names_content(item.ref, item.content_hash) or is_ambiguous(item.ref)
        if of_content or same_revision(item.ref, document.ref):
            return document
    return document_then(opened, item.ref, item.path)


def document_then(opened: OpenSource, ref: str, path: str) -> Document | None:
    """Return a document in a revision of its source; None if that is not available, has no such
    file, or if no text can be extracted."""
    raw = opened.read_at(ref, path)
    if not raw:
        return None
    try:
        return read_document(raw, source=opened.source, path=path, ref=ref)
    except SourceError:
        return None


def chars_of_quote(text: str, quote: str, lines: Lines) -> tuple[int, int]:
    """Return the start and the end (exclusive) of a quote that begins in the first and ends in the
    last of these lines, apart from white space: the first such place with whole words, else the
    first one."""
    start, end = _line_starts(text, lines.start, lines.end)
    words, wanted = " ".join(text[start:end].split()), " ".join(quote.split())
    head = " ".join(text[start:end].partition("\n")[0].split())
    tail = " ".join(text[start:end].rpartition("\n")[2].split())
    most, least = len(head), len(words) - len(tail) - len(wanted)

    def fitting(found: Iterable[int]) -> int | None:
        return next((at for at in found if least < at < most), None)

    at = fitting(whole_places(words, wanted))
    before = words[: fitting(places(words, wanted)) if at is None else at]
    shown = (at for at in range(start, end) if not text[at].isspace())
    first = len(before) - before.count(" ")
    found = tuple(islice(shown, first, first + len(wanted) - wanted.count(" ")))
    return found[0], found[-1] + 1


def _line_starts(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the start of the first line, and the end of the last line before its newline."""
    position = 0
    for _ in range(first - 1):
        position = text.index("\n", position) + 1
    end = position
    for _ in range(last - first + 1):
        end = text.find("\n", end) + 1
        if end == 0:
            return position, len(text)
    return position, end - 1
