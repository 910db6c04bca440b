"""Convert the lines and columns of citations to characters of a text, and characters to lines and
columns."""

from __future__ import annotations

from pincite.model.citation import format_lines
from pincite.support.finding.ends import Ends
from pincite.support.finding.find import Exact, Lines, without_returns

#: First and last column (from 1, inclusive); None if the line is whole at that end.
Columns = tuple[int | None, int | None]
WHOLE: Columns = (None, None)


def chars_of_lines(
    given: str | Exact, start: int, end: int, columns: Columns = WHOLE
) -> tuple[int, int] | None:
    """Return the characters of the lines `start` to `end` (1-based, inclusive), from the first
    column of the first line to the last column of the last one: 0-based, the end is excluded. None
    if the text has no such lines or columns."""
    first, last = columns
    text = given if isinstance(given, str) else given.text
    begins = _line_begins(given, start, end) if 1 <= start <= end else None
    if begins is None:
        return None
    begin, final = begins
    if 0 < final == len(text):  # no line begins after a newline at the end of the text
        return None
    stops = _line_stop(text, begin), _line_stop(text, final)
    from_, to = begin + (first or 1) - 1, stops[1] if last is None else final + last
    if first is not None and not begin <= from_ < stops[0]:
        return None
    if last is not None and not final < to <= stops[1]:
        return None
    return (from_, to) if from_ <= to else None


def misordered(start: int, end: int, columns: Columns = WHOLE) -> str:
    """Return why no text can have these lines and columns, "" if one may have them."""
    first, last = columns
    if end < start:
        return f"line {end} comes before line {start}"
    if 0 in (first, last):
        return "columns count from 1"
    if start == end and last is not None and last < (first or 1):
        return f"column {last} comes before column {first}"
    return ""


def ends_of_columns(columns: Columns) -> Ends:
    """Return the ends of a text with these columns: "line" without a column, otherwise "any"."""
    return Ends(*("line" if one is None else "any" for one in columns))


def find_former_text(
    searched: Exact, wanted: str, lines: Lines, columns: Columns = WHOLE
) -> tuple[int, int] | None:
    """Return the current characters of `wanted`, the former text of these lines and columns, as
    0-based positions with an exclusive end: those of the cited place, else the nearest ones; None
    if the text does not have it. At an end without a cited column, the text must begin or end with
    a line. Line ends may be translated."""
    text = searched.text
    here = chars_of_lines(searched, lines.start, lines.end, columns)
    if here is not None and _bare(text[slice(*here)], columns) == _bare(wanted, columns):
        return here
    whole = wanted if columns[1] is not None else wanted.removesuffix("\r")
    starts, ends = columns[0] is None, columns[1] is None
    return searched.find(whole, lines, starts_line=starts, ends_line=ends)


def _bare(text: str, columns: Columns) -> str:
    """Return the text without the carriage returns of line ends, also at its end if the last line
    is whole."""
    return without_returns(text if columns[1] is not None else text.removesuffix("\r"))


def columns_at(text: str, start: int, end: int, cited: Columns = WHOLE) -> tuple[Lines, Columns]:
    """Return the lines of these characters, and the columns of the first and the last one, all from
    1 and inclusive. Columns that were not `cited` are None. `end` is exclusive, and on the last
    line, which may be empty. No line begins after a newline at the end of the text."""
    beyond = start < end == len(text) and text[end - 1] == "\n" and cited[1] is None
    lines = Lines(text.count("\n", 0, start) + 1, text.count("\n", 0, end - beyond) + 1)
    first = start - text.rfind("\n", 0, start) if cited[0] is not None else None
    return lines, (first, end - text.rfind("\n", 0, end) - 1 if cited[1] is not None else None)


def named_lines(text: str, start: int, end: int, cited: Columns) -> str:
    """Return the lines and columns of these characters as a text, `L3C10-L9C2`. Columns that were
    not `cited` are left out. `end` is exclusive."""
    lines, columns = columns_at(text, start, end, cited)
    return format_lines(lines.start, lines.end, *columns)


def _line_begins(given: str | Exact, start: int, end: int) -> tuple[int, int] | None:
    """Return the positions where these two lines begin, None if the text lacks one."""
    if not isinstance(given, str):
        begins = given.begins
        return (begins[start - 1], begins[end - 1]) if end <= len(begins) else None
    begin = _line_begin(given, 0, start - 1)
    final = None if begin is None else _line_begin(given, begin, end - start)
    return None if begin is None or final is None else (begin, final)


def _line_begin(text: str, begin: int, after: int) -> int | None:
    """Return the start of the line that is `after` lines after the one that begins at `begin`; None
    if the text has fewer lines."""
    for _ in range(after):
        begin = text.find("\n", begin) + 1
        if begin == 0:
            return None
    return begin


def _line_stop(text: str, begin: int) -> int:
    stop = text.find("\n", begin)
    return len(text) if stop < 0 else stop
