"""Read rows of CSV as records. An unreadable row takes its place among them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from io import BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from typing import IO

from pincite.errors import SourceError
from pincite.ingestion.attributes.normalise import TableText
from pincite.readers.decoding import encoding_of_head
from pincite.records.field_map import FieldMap
from pincite.records.normalise import MOST_TEXT_CHARS, Placed, Unreadable

_HEAD = 1_000_000  # bytes from which the encoding is guessed; guess, unmeasured
_LINE_END = re.compile(r"\r\n?|\n")
_OPEN = "the quote that begins in line {:,} has no end"
_SEPARATORS = ",;\t|"


def csv_records(stream: IO[bytes], where: str, fields: FieldMap) -> Iterator[Placed | Unreadable]:
    """Yield the record of each row with its line, or an `Unreadable` with the reason. `where` names
    the file in messages. Raises SourceError for an unreadable header, UsageError for missing or
    repeated columns."""
    head = stream.read(_HEAD)
    encoding = encoding_of_head(head)
    text = TextIOWrapper(
        BufferedReader(_Joined(head, stream)), encoding, errors="surrogateescape", newline=""
    )
    before = csv.field_size_limit(MOST_TEXT_CHARS + 1_000)
    try:
        try:
            first = text.readline(1_000_000).removeprefix("\ufeff")
            lines = _Lines(first, text)
            reader = csv.reader(lines, delimiter=_separator(first), strict=False)
            columns = next(reader, [])
        except UnicodeError as error:
            said = f"{where} is not valid {encoding}, as it begins"
            raise SourceError(said, hint="save it as UTF-8") from error
        except csv.Error as error:
            said = f"the header of {where} cannot be read: {error}"
            raise SourceError(said, hint="name the columns in its first line") from error
        if columns and lines.ended:
            opened = _opened_at(columns, reader.line_num)
            raise SourceError(f"{where}: {_OPEN.format(opened)}", hint="close the quote")
        fields.require(columns, where)
        while True:
            csv.field_size_limit(MOST_TEXT_CHARS + 1_000)  # one for the whole process
            began = reader.line_num + 1
            try:
                row = next(reader, None)
            except csv.Error as error:
                said = f"{error}: the rest of the file was not read"
                code = "too_large" if "limit" in str(error) else "unreadable"
                yield Unreadable(code, said, began)
                return
            except UnicodeError:
                said = f"it is not valid {encoding} from here on: the rest of the file was not read"
                yield Unreadable("unreadable", f"{said}; save it as UTF-8", reader.line_num + 1)
                return
            if row is None:
                return
            if lines.ended:
                opened = _opened_at(row, reader.line_num)
                said = f"{_OPEN.format(opened)}: the rest of the file was not read"
                yield Unreadable("unreadable", said, opened)
                return
            if not row:
                continue
            if len(row) != len(columns):
                said = f"the row has {len(row)} columns, not {len(columns)}"
                yield Unreadable("unreadable", said, reader.line_num)
                continue
            if not _is_unicode(row):
                said = f"the row is not valid {encoding}: save the file as UTF-8"
                yield Unreadable("unreadable", said, reader.line_num)
                continue
            found = dict(zip(columns, row, strict=True))
            texts = {column: TableText(found[column]) for column in fields.attributes.values()}
            yield Placed(fields.record({**found, **texts}), reader.line_num)
    finally:
        csv.field_size_limit(before)


class _Joined(RawIOBase):
    """The bytes already read from a stream, and then the rest of it. The stream stays open."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        super().__init__()
        self._head = BytesIO(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        found = self._head.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)


def _is_unicode(row: Sequence[str]) -> bool:
    try:
        "".join(row).encode()
    except UnicodeEncodeError:
        return False
    return True


class _Lines:
    """The first line and the others. `ended` is set if a line was requested after the last one. A
    CSV reader does so before a row, and within one if a quote is still open."""

    def __init__(self, first: str, rest: TextIOWrapper) -> None:
        self._first: str | None = first
        self._rest = rest
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line, self._first = self._first, None
        if line is None:
            line = self._rest.readline(MOST_TEXT_CHARS + 1_000)
        if not line:
            self.ended = True
            raise StopIteration
        return line


def _opened_at(row: Sequence[str], last: int) -> int:
    """Return the line at which the last field begins, if it ends with the `last` line of the
    file."""
    ends = [found.end() for found in _LINE_END.finditer(row[-1])]
    return last - len(ends) + (1 if ends and ends[-1] == len(row[-1]) else 0)


def _separator(header: str) -> str:
    """Return the most frequent separator of a header. (`csv.Sniffer` may never end.)"""
    outside = "".join(header.split('"')[::2])
    return max(_SEPARATORS, key=outside.count)
