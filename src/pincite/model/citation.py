"""Write and read citations: `name@ref:path#L3-L9`, also with a page's address instead of the path.

Records have `name@ref:id#char=120,480`. Files with extracted text have
`name@ref:path#page=3&char=120,480`.

    citation   = source ["@" ref] ":" place ["#" (lines | characters | page)]
    lines      = "L" line ["C" column] ["-L" line ["C" column]]
    characters = "char=" start "," end
    page       = ("page" | "slide" | "sheet" | "cell" | "chapter") "=" number ["&" rows]
                 ["&" characters]
    rows       = "row=" number ["-" number]

A place is a path, an id, or an address, which may have an anchor. Character positions follow RFC
5147: they count from 0 and lie between characters, so the end is the first character that is not
cited. Pages count from 1. Characters on a page count within the whole extracted text.

Ambiguous characters are percent-encoded: `%`, `@`, `:` and white space in a source, and `%`, `:`
and white space in a ref. A path may contain any of them. In a place, only white space at its end is
encoded, and the `#` of an end that looks like lines, characters or a page. Every written citation
can be read, with the same meaning.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote, unquote

import msgspec

from pincite.model.chunks import Chunk
from pincite.model.documents import PAGE_UNITS, PageUnit, Rows
from pincite.model.evidence import Evidence
from pincite.model.revisions import short_ref

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
_SPACE = " \t\n\r\v\f"  #: white space allowed around a citation
_SPACES = tuple(_SPACE)
_MISREAD_IN_SOURCE = re.compile(r"[%@:\s]")
_MISREAD_IN_REF = re.compile(r"[%:\s]")
#: An end of a place that would be read as lines, characters or space around the citation, and its
#: escaped form. An existing escape is escaped once more.
_MISREAD_END = re.compile(
    rf"(?:#|%(?:25)*23)(?=(?:{_LINES}|{_CHARACTERS}|{_PAGE})\Z)|(?:[{_SPACE}]|%(?:25)*(?:20|09|0A|0D|0B|0C))\Z"
)
#: If only a name and a colon precede them, these are `path:line`, `path:line:count` and an address,
#: not places.
_NO_PLACE = re.compile(r"[0-9]+(?::[0-9]+)?\Z|//")


class Citation(msgspec.Struct, frozen=True):
    """The parts of a citation. `ref` is empty if no revision is known. `place` is a path, an
    address or an id. Lines and columns are 1-based and inclusive, None if unknown; a column is set
    only if a line is cut. Records and extracted texts have `start_char` and `end_char` instead of
    lines: 0-based, the end is excluded. Extracted texts also have a `page` with its `page_unit`,
    and a table in a sheet has `rows`."""

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

    @property
    def chars(self) -> tuple[int, int] | None:
        """The characters, from 0 with an exclusive end; None if lines or nothing is cited."""
        if self.start_char is None or self.end_char is None:
            return None
        return self.start_char, self.end_char

    @property
    def columns(self) -> tuple[int | None, int | None]:
        """The first and the last column, None where the line is whole."""
        return self.start_column, self.end_column


def cite(chunk: Chunk) -> str:
    """Return the citation of a chunk: `name@ref:path#L3-L9`, or `name@ref:https://…#top#L3-L9` for
    a document with an address. The lines are always those of the file, not of the rendered page.

    Columns are added if the chunk begins or ends inside a line. Unknown parts are left out: the
    lines or the revision. A chunk with neither address nor path is cited by its id. A chunk of a
    record is cited by the record's id and its characters, `name@ref:id#char=120,480`, even if it
    has an address. The citation of an extracted document also has the page:
    `name@ref:path#page=3&char=120,480`.
    """
    if chunk.cited_in and chunk.path:
        chars = format_chars(chunk.start, chunk.end)
        page, unit = page_of(chunk)
        rows = chunk.on_page.rows if chunk.on_page else None
        return _write(chunk.repo, chunk.ref, chunk.path, format_page(page, unit, chars, rows))
    place = chunk.url or chunk.path or chunk.id
    return _write(chunk.repo, chunk.ref, place, line_range(chunk) if chunk.end_line else "")


def cited_in(chunk: Chunk) -> Citation:
    """Return the place of a chunk in its file: its lines and columns, or its characters and page in
    a record or an extracted document. Rows and the address are left out."""
    name, ref, path = chunk.repo, chunk.ref, chunk.path
    if (chars := chars_of(chunk)) is None:
        lines, columns = (chunk.start_line, chunk.end_line), (chunk.start_column, chunk.end_column)
        return Citation(name, ref, path, *lines, *columns)
    page, unit = page_of(chunk)
    start, end = chars
    return Citation(name, ref, path, start_char=start, end_char=end, page=page, page_unit=unit)


def format_citation(citation: Citation) -> str:
    """Return the text of a citation; `parse_citation` reads it back."""
    start, end = citation.start_line, citation.end_line
    lines = ""
    if citation.chars is not None:
        chars = format_chars(*citation.chars)
        lines = format_page(citation.page, citation.page_unit, chars, citation.rows)
    elif citation.page is not None:
        lines = format_page(citation.page, citation.page_unit, rows=citation.rows)
    elif start is not None and end is not None:
        lines = format_lines(start, end, citation.start_column, citation.end_column)
    return _write(citation.source, citation.ref, citation.place, lines)


def short_citation(text: str) -> str:
    """The citation for display: with twelve digits of its commit, which `parse_citation` and
    everything that takes citations read as well. Other texts stay as they are."""
    read = parse_citation(text)
    if read is None or (short := short_ref(read.ref)) == read.ref:
        return text
    return text.replace(f"@{read.ref}:", f"@{short}:", 1)


def parse_citation(text: str) -> Citation | None:
    """Parse a text that is a citation, else return None. Surrounding white space is ignored."""
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
    """Return the same citation with other lines. A column is kept if its line is still the first,
    or the last. Raises ValueError if the text is not a citation."""
    parsed = parse_citation(citation)
    if parsed is None:
        raise ValueError(f"{citation!r} is not a citation")
    first = parsed.start_column if start_line == parsed.start_line else None
    last = parsed.end_column if end_line == parsed.end_line else None
    source, ref, place = parsed.source, parsed.ref, parsed.place
    return format_citation(Citation(source, ref, place, start_line, end_line, first, last))


def with_chars(citation: str, start_char: int, end_char: int) -> str:
    """Return the same citation with other characters, without rows. Raises ValueError if the text
    is not a citation."""
    parsed = parse_citation(citation)
    if parsed is None:
        raise ValueError(f"{citation!r} is not a citation")
    found = Citation(
        *(parsed.source, parsed.ref, parsed.place),
        start_char=start_char,
        end_char=end_char,
        page=parsed.page,
        page_unit=parsed.page_unit,
    )
    return format_citation(found)


def place_of(one: Chunk | Evidence) -> str:
    """Return the path with lines, a page or characters of a record, as far as known; else the
    address, or an empty text."""
    if not one.path:
        return one.url or ""
    if (page := page_of(one))[0] is not None:
        return f"{one.path}#{format_page(*page)}"
    if (chars := chars_of(one)) is not None:
        return f"{one.path}#{format_chars(*chars)}"
    return f"{one.path}#{line_range(one)}" if one.end_line else one.path


def chars_of(one: Chunk | Evidence) -> tuple[int, int] | None:
    """Return the cited characters; None if lines are cited."""
    if isinstance(one, Chunk):
        return (one.start, one.end) if one.cited_in else None
    if one.start_char is None or one.end_char is None:
        return None
    return one.start_char, one.end_char


def page_of(one: Chunk | Evidence) -> tuple[int | None, PageUnit | None]:
    """Return the page of a passage in an extracted document, and the unit of its pages; (None,
    None) in other documents."""
    if not isinstance(one, Chunk):
        return one.page, one.page_unit
    if one.cited_in == "" or one.cited_in == "char" or not one.page:
        return None, None
    return one.page, one.cited_in


def format_page(
    page: int | None, unit: PageUnit | None, chars: str = "", rows: Rows | None = None
) -> str:
    """Return `page=3&char=120,480`, one of its parts, or an empty text; with rows
    `sheet=2&row=4-9`."""
    if not page or not unit:
        return chars
    return "&".join(filter(None, (f"{unit}={page}", format_rows(rows), chars)))


def format_rows(rows: Rows | None) -> str:
    """Return `row=4-9` or `row=4`, or an empty text for None."""
    if rows is None:
        return ""
    return f"row={rows[0]}-{rows[1]}" if rows[0] != rows[1] else f"row={rows[0]}"


def format_chars(start_char: int, end_char: int) -> str:
    """Return `char=120,480`."""
    return f"char={start_char},{end_char}"


def line_range(one: Chunk | Evidence) -> str:
    """Return the lines of a chunk in the form of `format_lines`."""
    return format_lines(one.start_line, one.end_line, one.start_column, one.end_column)


def format_lines(
    start_line: int,
    end_line: int,
    start_column: int | None = None,
    end_column: int | None = None,
) -> str:
    """Return `L3-L9`, `L3`, or `L3C10-L9C2` with columns where a line is cut."""
    first, last = f"L{start_line}", f"L{end_line}"
    if start_column is not None:
        first += f"C{start_column}"
    if end_column is not None:
        last += f"C{end_column}"
    return first if first == last else f"{first}-{last}"


def _write(source: str, ref: str, place: str, lines: str) -> str:
    if "#" in place or "%" in place or place.endswith(_SPACES):  # looking closely is slow
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
