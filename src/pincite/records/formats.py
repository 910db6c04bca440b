"""Read records from files: JSON Lines, CSV and Parquet.

A line that cannot be read takes its place among the records, and is reported as they are.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import IO, Any, Literal, get_args

import msgspec

from pincite.errors import SourceError, UsageError
from pincite.ingestion.attributes.normalise import TableText
from pincite.readers.decoding import encoding_of_head
from pincite.records.normalise import MOST_TEXT_CHARS, Placed, Unreadable

Format = Literal["jsonl", "csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
_SUFFIXES: Mapping[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
_LONGEST_LINE = 64_000_000  # bytes; a text of the most characters, each written as \uXXXX, and more
_HEAD = 1_000_000  # bytes of a table that tell its encoding; guess, unmeasured
_LINE_END = re.compile(r"\r\n?|\n")
_OPEN = "the quote that begins in line {:,} has no end"
_SEPARATORS = ",;\t|"
_ROWS = 1_000  # of a Parquet file at once
_NEEDED = ("id", "text")
_FIELDS = (*_NEEDED, "title", "url", "language")


@dataclass(frozen=True, slots=True)
class FieldMap:
    """Which column is which field of a record, by the field; one that is not named is the column
    of its own name, if there is one. `attributes` are columns by attribute: such a column is a
    field too only if `columns` names it, or if it is the id or the text. `language` holds for all
    records that say nothing themselves."""

    columns: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    language: str = ""

    @property
    def is_empty(self) -> bool:
        """Are rows records as they are?"""
        return not (self.columns or self.attributes)

    def require(self, columns: Sequence[str], where: str) -> None:
        """Raise UsageError for a column that is not there, or there twice. Those without a name do
        not count."""
        for name, count in Counter(columns).items():
            if name and count > 1:
                raise UsageError(
                    f"{where} has {count} columns {name!r}", hint="give each a name of its own"
                )
        wanted = (*self.columns.values(), *self.attributes.values())
        needed = (*wanted, *(name for name in _NEEDED if name not in self.columns))
        for name in needed:
            if name not in columns:
                shown = ", ".join(columns[:20]) or "none"
                raise UsageError(
                    f"{where} has no column {name!r}; its columns: {shown}",
                    hint="name the columns: --id COLUMN --text COLUMN --attribute NAME=COLUMN",
                )

    def record(self, row: Mapping[str, Any]) -> dict[str, object]:
        """The record of a row. Attributes that are not an object stay as they are: `accept` refuses
        them."""
        found: dict[str, object] = {}
        named = {name: row.get(column) for name, column in self.attributes.items()}
        free = {name: row[name] for name in row.keys() - self.attributes.values()}
        for name in _FIELDS:
            among = row if name in self.columns or name in _NEEDED else free
            value = among.get(self.columns.get(name, name))
            if value not in (None, ""):
                found[name] = value
        if "pages" in free and "text" not in found:
            found["pages"] = free["pages"]
        own = _object_of(free.get("attributes"))
        if isinstance(own, str):
            own = TableText(own)  # for a message about the column
        found["attributes"] = {**(own or {}), **named} if isinstance(own, dict | None) else own
        return self._with_language(found)

    def record_as_it_is(self, record: Mapping[str, object]) -> dict[str, object]:
        """A record that is one without columns being named."""
        if isinstance(own := record.get("attributes"), str):
            record = {**record, "attributes": _object_of(own)}
        return self._with_language(record)

    def _with_language(self, record: Mapping[str, object]) -> dict[str, object]:
        if self.language and not record.get("language"):
            return {**record, "language": self.language}
        return dict(record)


def _object_of(value: object) -> object:
    """The object that a text is in JSON, None for an empty text or null, else the value itself."""
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        found = msgspec.json.decode(value)
    except (msgspec.MsgspecError, RecursionError):
        return value
    return found if isinstance(found, dict | None) else value


def format_of(path: str, given: Format | None) -> Format:
    """The format of a file by its name, JSON Lines from the standard input. Raises UsageError."""
    found = given or ("jsonl" if path == "-" else _SUFFIXES.get(Path(path).suffix.lower()))
    if found is None:
        raise UsageError(
            f"{path}: the format is not clear from the file name",
            hint=f"--format {'|'.join(FORMATS)}",
        )
    return found


def require_file(path: str) -> None:
    """Raise SourceError if nothing has this path. `-` is the standard input. The file is not
    opened, because a pipe can be opened only once."""
    if path == "-":
        return
    try:
        Path(path).stat()
    except OSError as error:
        raise _unreadable(path, error) from error


def read_records(
    path: str, given: Format | None, fields: FieldMap, stdin: IO[bytes]
) -> Iterator[Placed | Unreadable]:
    """The records of a file, `-` for `stdin`, with their lines or rows. Raises UsageError,
    SourceError for a file that cannot be read."""
    kind = format_of(path, given)
    if kind == "parquet":
        if path == "-":
            raise UsageError("Parquet cannot be read from the standard input", hint="name the file")
        yield from _parquet(path, fields)
        return
    reader = _jsonl if kind == "jsonl" else _csv
    if path == "-":
        yield from reader(stdin, "the standard input", fields)
        return
    try:
        with Path(path).open("rb") as stream:
            yield from reader(stream, path, fields)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: OSError) -> SourceError:
    return SourceError(f"{path} cannot be read: {error.strerror}", hint="check the path")


def _jsonl(stream: IO[bytes], _where: str, fields: FieldMap) -> Iterator[Placed | Unreadable]:
    number = 0
    while line := stream.readline(_LONGEST_LINE):
        number += 1
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
                continue
            said = f"the line is longer than {_LONGEST_LINE:,} bytes"
            yield Unreadable("too_large", said, number)
            continue
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line)
        except (msgspec.MsgspecError, RecursionError) as error:
            yield Unreadable("unreadable", f"the line is not valid JSON: {error}", number)
            continue
        if not isinstance(row, dict):
            yield Unreadable("wrong_type", "the line is not a JSON object", number)
            continue
        record = fields.record_as_it_is(row) if fields.is_empty else fields.record(row)
        yield Placed(record, number)


def _csv(stream: IO[bytes], where: str, fields: FieldMap) -> Iterator[Placed | Unreadable]:
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
    """The bytes that were read of a stream, and the rest of it. The stream stays open."""

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
    """The first line and the others. `ended` says that one more was asked for than there are. A
    reader does that before a row, and within one if a quote is still open."""

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
    """The line at which the last field begins, if it ends with the `last` line of the file."""
    ends = [found.end() for found in _LINE_END.finditer(row[-1])]
    return last - len(ends) + (1 if ends and ends[-1] == len(row[-1]) else 0)


def _separator(header: str) -> str:
    """What stands between columns most often. (What `csv.Sniffer` does can take forever.)"""
    outside = "".join(header.split('"')[::2])
    return max(_SEPARATORS, key=outside.count)


def _parquet(path: str, fields: FieldMap) -> Iterator[Placed | Unreadable]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise UsageError(
            "pyarrow is not installed; Parquet needs it",
            hint="pip install 'pincite[parquet]'",
        ) from error
    from pincite.records.parquet import rows_of

    try:
        with ParquetFile(path) as opened:
            columns = list(opened.schema_arrow.names)
            fields.require(columns, path)
            names = {*_FIELDS, "pages", "attributes", *fields.columns.values()}
            wanted = [one for one in columns if one in {*names, *fields.attributes.values()}]
            number = 0
            for batch in opened.iter_batches(batch_size=_ROWS, columns=wanted):
                for row in rows_of(batch):
                    number += 1
                    if isinstance(row, str):
                        yield Unreadable("unreadable", row, number)
                    else:
                        yield Placed(fields.record(row), number)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error}", hint="check the file") from error
    except ArrowException as error:
        raise SourceError(
            f"{path} is not a Parquet file: {error}", hint="check the file"
        ) from error
