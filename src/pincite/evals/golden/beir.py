"""Test collections in the BEIR layout: `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl`
(`_id`, `text`) and `qrels/test.tsv` (query-id, corpus-id, score)."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.evals.golden.questions import MAX_GRADE, Expected, GoldenQuery, GoldenSet
from pincite.support.fields import replace
from pincite.support.named_file import read_named_text

_LONGEST = 80  # characters of a wrong value in a message
LAYOUT = (
    "BEIR layout: corpus.jsonl (_id, title, text), queries.jsonl (_id, text) and"
    " qrels/test.tsv (query-id, corpus-id, score)"
)


@dataclass(frozen=True, slots=True)
class Collection:
    """Texts by document id, judged queries by query id, and gains by query and document id."""

    name: str
    documents: Mapping[str, str]
    queries: Mapping[str, str]
    judgements: Mapping[str, Mapping[str, int]]

    def first(self, queries: int) -> Collection:
        """Return the collection with all documents and only the first queries."""
        kept = dict(islice(self.queries.items(), queries))
        return replace(self, queries=kept, judgements={key: self.judgements[key] for key in kept})

    def golden(self) -> GoldenSet:
        """Return the queries as a golden set whose items are whole documents, by their ids."""
        return GoldenSet(self.name, tuple(golden_queries(self.queries, self.judgements)))


def read_beir(folder: Path, split: str = "test") -> Collection:
    """Read the collection in a folder: every document as title, newline, text (see `text_of`), and
    the queries with a judgement above 0. Raises UsageError for a missing or invalid file."""
    places = [folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / f"{split}.tsv"]
    for place in places:
        if not place.is_file():
            raise UsageError(f"{place} is missing ({LAYOUT})")
    documents = {}
    for where, row in read_rows(places[0]):
        _text(row, "text", where)
        if row.get("title") is not None:
            _text(row, "title", where)
        documents[_text(row, "_id", where, empty=False)] = text_of(row)
    judgements = read_qrels(places[2])
    judged = {query for query, gains in judgements.items() if max(gains.values()) > 0}
    queries = {
        row["_id"]: _text(row, "text", where, empty=False)
        for where, row in read_rows(places[1])
        if _text(row, "_id", where, empty=False) in judged
    }
    if not queries:
        raise UsageError(
            f"{places[2]} judges no document above 0 for a query of {places[1].name} ({LAYOUT})"
        )
    return Collection(
        folder.name, documents, queries, {query: judgements[query] for query in queries}
    )


def golden_queries(
    queries: Mapping[str, str], judgements: Mapping[str, Mapping[str, int]]
) -> Iterator[GoldenQuery]:
    """Yield the queries with their judged documents. Gains below 0 count as 0. Raises UsageError
    for gains above the highest grade."""
    for key, text in queries.items():
        expected = tuple(
            Expected(path=document, grade=_grade(gain, f"{document} for query {key}"))
            for document, gain in judgements.get(key, {}).items()
        )
        yield GoldenQuery(key, text, expected)


def _grade(gain: int, what: str) -> int:
    if gain > MAX_GRADE:
        raise UsageError(
            f"the judgement of {what} is {gain}, above the highest grade {MAX_GRADE}",
            hint="scale the judgements in the qrels file to 0..10, then import it again",
        )
    return max(0, gain)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Return the gains by query and document of a table with three columns, or of a TREC file
    (query, iteration, document, gain). A first line with three columns is a header if it does not
    end in a number. Raises UsageError with file and line."""
    judgements: dict[str, dict[str, int]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        parts = [part.strip() for part in (line.split("\t") if "\t" in line else line.split())]
        whole = len(parts) in (3, 4) and all(parts)
        if number == 1 and whole and len(parts) == 3 and not _is_number(parts[-1]):
            continue
        try:
            gain = int(parts[-1])
        except ValueError:
            whole = False
        if not whole:
            raise UsageError(
                f"{path}:{number}: score: a line takes query, document and a whole number, or"
                f" query, iteration, document and a whole number, not {line!r}"
            )
        judgements.setdefault(parts[0], {})[parts[-2]] = gain
    return judgements


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file, which end with newlines only. Raises UsageError."""
    try:
        return read_named_text(path).split("\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def text_of(row: Mapping[str, Any]) -> str:
    """Return title, newline, text; the text alone if there is no title."""
    title, text = row.get("title") or "", row["text"]
    return f"{title}\n{text}" if title.strip() else str(text)


def read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a file of JSON lines, each with `file:line`. Raises UsageError."""
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}:{number}: invalid JSON: {error}") from error
        if not isinstance(row, dict):
            raise UsageError(f"{path}:{number}: expected an object, got {_shortened(row)}")
        yield f"{path}:{number}", row


def _text(row: Mapping[str, Any], name: str, where: str, *, empty: bool = True) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not (empty or value.strip()):
        raise UsageError(f"{where}: {name}: expected a text, got {_shortened(value)}")
    return value


def _shortened(value: object) -> str:
    return textwrap.shorten(repr(value), _LONGEST)
