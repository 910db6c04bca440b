"""Workbooks: a sheet is a page with its name as heading and its rows as tables.

An empty row ends a table, whose first row is its header. Values are those that the program saved;
formulas are not computed. Hidden sheets are counted but not read.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import warnings
import zipfile
import zlib
from functools import lru_cache
from itertools import zip_longest
from typing import Any
from xml.etree.ElementTree import ParseError

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from pincite.readers.extraction.result import MOST_CHARS, Extraction, refused
from pincite.readers.office.building import Builder, row_of
from pincite.readers.office.package import open_package

_MOST_CELLS = 1_000  # of a row; the cells after these are left out
_MOST_ROWS = 1_048_576  # of a sheet: the limit of the format and of its programs
_MOST_PLACES = 100_000_000  # cells of all sheets, also empty ones; a row counts as 4 more; 6 s
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ParseError),
    *(ValueError, TypeError, LookupError, OverflowError, NotImplementedError),
)  # errors of the library for a sheet
_LITERAL = re.compile(r'"[^"]*(?:"|$)|\[[^\]]*(?:\]|$)|[\\_*].', re.S)
_MOST_FORMAT = 255  # characters: the limit of its programs
_MOST_CHECKED = 20_000_000  # bytes of a file in which formulas without values are counted


def extract_xlsx(raw: bytes) -> Extraction:
    """Return the values of a workbook. Raises SourceError."""
    open_package(raw)
    builder = Builder("sheet", "xlsx")
    workbook = _open(raw, values=True)
    computed = _open(raw, values=False) if len(raw) <= _MOST_CHECKED else None
    places = _MOST_PLACES
    same = computed.worksheets if computed is not None else ()
    for number, (sheet, formulas) in enumerate(zip_longest(workbook.worksheets, same), start=1):
        if number > 1:
            builder.next_page()
        if sheet.sheet_state != "visible":
            builder.note(f"hidden: sheet {number}, {sheet.title}")
            continue
        if builder.repeats(sheet._worksheet_path, sheet.title):
            continue
        try:
            lacking, places = _add(builder, sheet, formulas, places)
        except _BROKEN as error:
            detail = f"sheet {number}, {sheet.title}, cannot be read: {error}"
            raise refused("failed", f"{detail}; save it again, or exclude it") from error
        if lacking:
            builder.note(f"no_values: sheet {number}, {lacking:,} formulas without a saved value")
    return builder.done(workbook.properties.title or "")


def _open(raw: bytes, *, values: bool) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about data that it would not save
            return load_workbook(
                io.BytesIO(raw), read_only=True, data_only=values, keep_links=False
            )
    except (
        InvalidFileException,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,  # a sheet for a chart without one
        OSError,
        zipfile.BadZipFile,
    ) as error:
        raise refused("failed", f"it is not a workbook: {error}") from error
    except ParseError as error:
        raise refused("failed", f"its XML is broken: {error}") from error


def _add(builder: Builder, sheet: Any, same: Any, places: int) -> tuple[int, int]:
    """Write the rows of a sheet. `same` is the sheet with its formulas. Return the number of
    formulas without a saved value, and how many of the `places` that may be read are left.

    The library fills gaps between rows and cells with empty ones, so a cell far away costs as much
    as all those before it.
    """
    sheet.reset_dimensions()  # the size in the file may be wrong
    formulas = None
    if same is not None:
        same.reset_dimensions()
        formulas = same.iter_rows(values_only=True)
    rows: list[list[str]] = []
    lacking = size = 0
    titled = False
    number = 0
    for number, row in enumerate(sheet.iter_rows(), start=1):
        if number > _MOST_ROWS:
            builder.note(f"rows_cut: sheet {builder.page}, at {_MOST_ROWS:,} rows")
            break
        places -= len(row) + 4
        if places < 0:
            what = f"sheet {builder.page}, after {_MOST_PLACES:,} cells of the workbook"
            builder.note(f"cells_cut: {what}, empty ones included")
            break
        given = next(formulas, ()) if formulas is not None else ()
        if not row:
            if rows:
                builder.table(rows, number - len(rows))
                rows = []
            continue
        cells = row[:_MOST_CELLS]
        shown = [_shown(cell) for cell in cells]
        lacking += sum(
            not text and isinstance(one, str) and one.startswith("=")
            for text, one in zip(shown, given, strict=False)
        )
        if len(row) > _MOST_CELLS:
            builder.note(f"columns_cut: sheet {builder.page}, at {_MOST_CELLS:,} columns")
        if row_of(shown):
            if not titled:
                builder.add("heading", sheet.title, level=1)
                titled = True
            rows.append(shown)
            size += sum(map(len, shown))
            if size > MOST_CHARS:
                raise refused("too_large", f"more than {MOST_CHARS:,} characters of text")
        elif rows:
            builder.table(rows, number - len(rows))
            rows = []
    else:
        number += 1
    builder.table(rows, number - len(rows))
    return lacking, places


@lru_cache(maxsize=1024)
def _is_percentage(number_format: str) -> bool:
    """Return whether numbers of this format are shown a hundred times as large, with a `%`. One in
    quotes, or after a sign that makes it text or space, is text."""
    return "%" in _LITERAL.sub("", number_format)


def _shown(cell: Any) -> str:
    """Return the value much as the sheet displays it: percentages, dates, and numbers without
    binary rounding noise."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float | int):
        if _is_percentage(str(cell.number_format)[:_MOST_FORMAT]):
            return f"{value * 100:.12g}%"
        return str(value) if isinstance(value, int) else f"{value:.15g}"
    if isinstance(value, dt.datetime):
        plain = value.time() == dt.time()
        return value.date().isoformat() if plain else value.isoformat(" ", "seconds")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value)
