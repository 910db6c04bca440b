"""Citations, written and read: `name@ref:path#L3-L9`, or with a page's address; of records
`name@ref:id#char=120,480`; of files whose text was extracted `name@ref:path#page=3&char=120,480`.

    citation   = source ["@" ref] ":" place ["#" (lines | characters | page)]
    lines      = "L" line ["C" column] ["-L" line ["C" column]]
    characters = "char=" start "," end
    page       = ("page" | "slide" | "sheet" | "cell" | "chapter") "=" number ["&" rows]
                 ["&" characters]
    rows       = "row=" number ["-" number]

A place is a path, an address, which may have an anchor of its own, or an id. Characters are counted
as in RFC 5147: between them, from 0, so that the end is the first one that is not cited. Pages
count from 1, and the characters on them in the whole extracted text. What would be misread is
escaped as in addresses: in a source `%`, `@`, `:` and white space, in a ref `%`, `:` and white
space. A path may hold any of them; in a place only white space at its end is escaped, and the `#`
of an end that looks like lines, characters or a page. So whatever is written can be read, and says
the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote

from pincite.model.documents import PAGE_UNITS, Chunk, PageUnit, Rows
from pincite.model.evidence import Evidence

_NUMBER = "[0-9]{1,9}"
_LINES = rf"L{_NUMBER}(?:C{_NUMBER})?(?:-L{_NUMBER}(?:C{_NUMBER})?)?"
_CHARACTERS = rf"char={_NUMBER},{_NUMBER}"
_ROWS = rf"row={_NUMBER}(?:-{_NUMBER})?"
_PAGE = rf"(?:{'|'.join(PAGE_UNITS)})={_NUMBER}(?:&{_ROWS})?(?:&{_CHARACTERS})?"
_CITATION = re.compile(
    r"(?P<source>[^@:\s]+)(?:@(?P<ref>[^:\s]*))?:(?P<place>.+?)"
    rf"(?:#L(?P<start>{_NUMBER})(?:C(?P<first>{_NUMBER}))?"
    rf"(?P<range>-L(?P<end>{_NUMBER})(?:C(?P<last>{_NUMBER}))?)?"
    rf"|#(?:(?P<unit>{'|'.join(PAGE_UNITS)})=(?P<page>{_NUMBER})"
    rf"(?:&row=(?P<first_row>{_NUMBER})(?:-(?P<last_row>{_NUMBER}))?)?)?"
    rf"(?:(?:(?<=#)|(?<=[0-9])&)char=(?P<start_char>{_NUMBER}),(?P<end_char>{_NUMBER}))?(?<!#))?",
    re.DOTALL,  # a path may have any character in it
)
_SPACE = " \t\n\r\v\f"  #: what may stand around a citation
_MISREAD_IN_SOURCE = re.compile(r"[%@:\s]")
_MISREAD_IN_REF = re.compile(r"[%:\s]")
#: The end of a place that would be read as lines, characters or as space around the citation, and
#: what such an end becomes when it is escaped: each escape that stands there already is escaped
#: once more.
_MISREAD_END = re.compile(
    rf"(?:#|%(?:25)*23)(?=(?:{_LINES}|{_CHARACTERS}|{_PAGE})\Z)|(?:[{_SPACE}]|%(?:25)*(?:20|09|0A|0D|0B|0C))\Z"
)
#: After a name and a colon alone, these are `path:line`, `path:line:count` and an address.
_NO_PLACE = re.compile(r"[0-9]+(?::[0-9]+)?\Z|//")


@dataclass(frozen=True, slots=True)
class Citation:
    """The parts of a citation. `ref` is empty where no revision is known. `place` is a path, an
    address or an id. Lines and columns are 1-based and inclusive, None where there are none; a
    column stands only where a line is cut. `start_char` and `end_char` stand instead of lines, of a
    record or an extracted text: 0-based, the end is not cited. The latter has a `page`, too, with
    the `page_unit` that it is counted in, and of a table in a sheet its `rows`."""

    source: str
    ref: str
    place: str
    start_line: int | None = None
    end_line: int | None = None
    start_column: int | None = None
    end_column: int | None = None
    start_char: int | None = None
    end_char: int | None = None
    page: int | None = None
    page_unit: PageUnit | None = None
    rows: Rows | None = None


def cite(chunk: Chunk) -> str:
    """`name@ref:path#L3-L9`, or for documents that have an address `name@ref:https://…#top#L3-L9`.
    The lines are those of the file, whatever the page looks like.

    Columns are added where the chunk begins or ends inside a line. Nothing is invented: a chunk
    without lines is cited without lines, one without a revision without it, and one that has
    neither address nor path by its id. A chunk of a record is cited by the record's id and its
    characters, `name@ref:id#char=120,480`, whether or not it has an address, one of an extracted
    document by its page, too: `name@ref:path#page=3&char=120,480`.
    """
    if chunk.cited_in and chunk.path:
        chars = format_chars(chunk.start, chunk.end)
        page, unit = page_of(chunk)
        rows = chunk.on_page.rows if chunk.on_page else None
        return _write(chunk.repo, chunk.ref, chunk.path, format_page(page, unit, chars, rows))
    place = chunk.url or chunk.path or chunk.id
    return _write(chunk.repo, chunk.ref, place, line_range(chunk) if chunk.end_line else "")


def format_citation(citation: Citation) -> str:
    """The text that `parse_citation` reads as this citation."""
    start, end = citation.start_line, citation.end_line
    lines = ""
    if citation.start_char is not None and citation.end_char is not None:
        chars = format_chars(citation.start_char, citation.end_char)
        lines = format_page(citation.page, citation.page_unit, chars, citation.rows)
    elif citation.page is not None:
        lines = format_page(citation.page, citation.page_unit, rows=citation.rows)
    elif start is not None and end is not None:
        lines = format_lines(start, end, citation.start_column, citation.end_column)
    return _write(citation.source, citation.ref, citation.place, lines)


def parse_citation(text: str) -> Citation | None:
    """The citation that the whole text is, or None. White space around it does not count."""
    match = _CITATION.fullmatch(text.strip(_SPACE))
    if match is None or (match["ref"] is None and _NO_PLACE.match(match["place"])):
        return None
    start, first = _number(match["start"]), _number(match["first"])
    end, last = _number(match["end"]), _number(match["last"])
    if match["range"] is None:
        end, last = start, first
    place = _MISREAD_END.sub(_unescape, match["place"])
    source, ref = unquote(match["source"]), unquote(match["ref"] or "")
    chars = _number(match["start_char"]), _number(match["end_char"])
    unit = next((one for one in PAGE_UNITS if one == match["unit"]), None)
    page = _number(match["page"])
    row = _number(match["first_row"])
    rows = None if row is None else (row, _number(match["last_row"]) or row)
    return Citation(source, ref, place, start, end, first, last, *chars, page, unit, rows)


def with_lines(citation: str, start_line: int, end_line: int) -> str:
    """The same citation, of other lines. Raises ValueError for what is no citation."""
    parsed = parse_citation(citation)
    if parsed is None:
        raise ValueError(f"{citation!r} is no citation")
    source, ref, place = parsed.source, parsed.ref, parsed.place
    return format_citation(Citation(source, ref, place, start_line, end_line))


def with_chars(citation: str, start_char: int, end_char: int) -> str:
    """The same citation, of other characters, whose rows are not known. Raises ValueError for what
    is no citation."""
    parsed = parse_citation(citation)
    if parsed is None:
        raise ValueError(f"{citation!r} is no citation")
    found = Citation(
        *(parsed.source, parsed.ref, parsed.place),
        start_char=start_char,
        end_char=end_char,
        page=parsed.page,
        page_unit=parsed.page_unit,
    )
    return format_citation(found)


def place_of(one: Chunk | Evidence) -> str:
    """Path and lines, a page, or characters of a record, as far as they are known; else the
    address, or nothing."""
    if not one.path:
        return one.url or ""
    if (page := page_of(one))[0] is not None:
        return f"{one.path}#{format_page(*page)}"
    if (chars := chars_of(one)) is not None:
        return f"{one.path}#{format_chars(*chars)}"
    return f"{one.path}#{line_range(one)}" if one.end_line else one.path


def chars_of(one: Chunk | Evidence) -> tuple[int, int] | None:
    """The characters that are cited, None for what is cited by lines."""
    if isinstance(one, Chunk):
        return (one.start, one.end) if one.cited_in else None
    if one.start_char is None or one.end_char is None:
        return None
    return one.start_char, one.end_char


def page_of(one: Chunk | Evidence) -> tuple[int | None, PageUnit | None]:
    """The page of a passage of an extracted document, and what pages are called there; (None, None)
    of any other."""
    if not isinstance(one, Chunk):
        return one.page, one.page_unit
    if one.cited_in == "" or one.cited_in == "char" or not one.page:
        return None, None
    return one.page, one.cited_in


def format_page(
    page: int | None, unit: PageUnit | None, chars: str = "", rows: Rows | None = None
) -> str:
    """`page=3&char=120,480`, either of them alone, or nothing; `sheet=2&row=4-9` with rows."""
    if not page or not unit:
        return chars
    return "&".join(filter(None, (f"{unit}={page}", format_rows(rows), chars)))


def format_rows(rows: Rows | None) -> str:
    """`row=4-9`, `row=4`, or nothing."""
    if rows is None:
        return ""
    return f"row={rows[0]}-{rows[1]}" if rows[0] != rows[1] else f"row={rows[0]}"


def format_chars(start_char: int, end_char: int) -> str:
    """`char=120,480`."""
    return f"char={start_char},{end_char}"


def line_range(one: Chunk | Evidence) -> str:
    """The lines of a chunk, see `format_lines`."""
    return format_lines(one.start_line, one.end_line, one.start_column, one.end_column)


def format_lines(
    start_line: int,
    end_line: int,
    start_column: int | None = None,
    end_column: int | None = None,
) -> str:
    """`L3-L9`, `L3`, or `L3C10-L9C2` with columns where a line is cut."""
    first, last = f"L{start_line}", f"L{end_line}"
    if start_column is not None:
        first += f"C{start_column}"
    if end_column is not None:
        last += f"C{end_column}"
    return first if first == last else f"{first}-{last}"


def _write(source: str, ref: str, place: str, lines: str) -> str:
    if "#" in place or "%" in place or place[-1] in _SPACE:  # most have none, and looking is slow
        place = _MISREAD_END.sub(_escape, place)
    at = "@" if not ref and _NO_PLACE.match(place) else ""
    end = f"#{lines}" if lines else ""
    return f"{_name(source, ref)}{at}:{place}{end}"


@lru_cache(maxsize=256)
def _name(source: str, ref: str) -> str:
    name = _MISREAD_IN_SOURCE.sub(_quoted, source)
    return f"{name}@{_MISREAD_IN_REF.sub(_quoted, ref)}" if ref else name


def _quoted(match: re.Match[str]) -> str:
    return quote(match[0], safe="")


def _escape(match: re.Match[str]) -> str:
    end = match[0]
    return f"%25{end[1:]}" if end[0] == "%" else quote(end)


def _unescape(match: re.Match[str]) -> str:
    end = match[0]
    return f"%{end[3:]}" if end.startswith("%25") else unquote(end)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None
