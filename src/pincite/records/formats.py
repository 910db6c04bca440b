"""Read records from files: JSON Lines, CSV and Parquet.

An unreadable line takes its place among the records, and is reported like them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Literal, get_args

import msgspec

from pincite.errors import SourceError, UsageError
from pincite.records.csv_rows import csv_records
from pincite.records.field_map import FIELDS, FieldMap
from pincite.records.normalise import Placed, Unreadable
from pincite.support.named_file import open_named, require_named

Format = Literal["jsonl", "csv", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
_SUFFIXES: Mapping[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
_LONGEST_LINE = 64_000_000  # bytes; more than the longest text with \uXXXX for each character
_ROWS = 1_000  # of a Parquet file at once


def format_of(path: str, given: Format | None) -> Format:
    """Return the format of a file by its name; JSON Lines for the standard input. Raises
    UsageError."""
    found = given or ("jsonl" if path == "-" else _SUFFIXES.get(Path(path).suffix.lower()))
    if found is None:
        raise UsageError(
            f"{path}: the format is not clear from the file name",
            hint=f"--format {'|'.join(FORMATS)}",
        )
    return found


def require_file(path: str) -> None:
    """Raise SourceError if there is no file at this path, or one whose reading may never end. `-`
    is the standard input. The file is not opened, because a pipe can be opened only once."""
    if path == "-":
        return
    try:
        require_named(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def read_records(
    path: str, given: Format | None, fields: FieldMap, stdin: IO[bytes]
) -> Iterator[Placed | Unreadable]:
    """Yield the records of a file, `-` for `stdin`, with their lines or rows. Raises UsageError,
    and SourceError for an unreadable file."""
    kind = format_of(path, given)
    if kind == "parquet":
        if path == "-":
            raise UsageError("Parquet cannot be read from the standard input", hint="name the file")
        yield from _parquet(path, fields)
        return
    reader = _jsonl if kind == "jsonl" else csv_records
    if path == "-":
        yield from reader(stdin, "the standard input", fields)
        return
    try:
        with open_named(path) as stream:
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
        require_named(path)
        with ParquetFile(path) as opened:
            columns = list(opened.schema_arrow.names)
            fields.require(columns, path)
            names = {*FIELDS, "pages", "attributes", *fields.columns.values()}
            wanted = [one for one in columns if one in {*names, *fields.attributes.values()}]
            number = 0
            for batch in opened.iter_batches(batch_size=_ROWS, columns=wanted):
                for row in rows_of(batch):
                    number += 1
                    if isinstance(row, str):
                        yield Unreadable("unreadable", row, number, "row")
                    else:
                        yield Placed(fields.record(row), number, "row")
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error}", hint="check the file") from error
    except ArrowException as error:
        raise SourceError(
            f"{path} is not a Parquet file: {error}", hint="check the file"
        ) from error
