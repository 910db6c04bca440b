"""Test collections in the BEIR layout: `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl`
(`_id`, `text`) and `qrels/test.tsv` (query-id, corpus-id, score)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pincite.errors import UsageError
from pincite.evals.golden.questions import MAX_GRADE, Expected, GoldenQuery, GoldenSet, write_whole
from pincite.support.fields import replace

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
        """The same documents with fewer queries."""
        kept = dict(islice(self.queries.items(), queries))
        return replace(self, queries=kept, judgements={key: self.judgements[key] for key in kept})

    def golden(self) -> GoldenSet:
        """The queries as a golden set whose items are whole documents, by their ids."""
        return GoldenSet(
            self.name, tuple(golden_queries(self.queries, self.judgements, synthetic=""))
        )


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
        documents[_text(row, "_id", where)] = text_of(row)
    judgements = read_qrels(places[2])
    judged = {query for query, gains in judgements.items() if max(gains.values()) > 0}
    queries = {
        row["_id"]: _text(row, "text", where)
        for where, row in read_rows(places[1])
        if _text(row, "_id", where) in judged
    }
    return Collection(
        folder.name, documents, queries, {query: judgements[query] for query in queries}
    )


def golden_queries(
    queries: Mapping[str, str], judgements: Mapping[str, Mapping[str, int]], synthetic: str
) -> Iterator[GoldenQuery]:
    """Return the queries with their judged documents. Gains below 0 count as 0."""
    for key, text in queries.items():
        expected = tuple(
            Expected(path=document, grade=min(MAX_GRADE, max(0, gain)))
            for document, gain in judgements.get(key, {}).items()
        )
        yield GoldenQuery(key, text, expected, synthetic=synthetic)


def write_beir(folder: Path, golden: GoldenSet, corpus: Mapping[str, str]) -> None:
    """Write a golden set as a BEIR collection. Its documents are the items: files, spans of lines
    or candidates; `corpus` has their texts under the items' names."""
    rows = [{"_id": name, "title": "", "text": text} for name, text in sorted(corpus.items())]
    write_whole(folder / "corpus.jsonl", _lines(rows))
    asked = [{"_id": query.id, "text": query.text} for query in golden.queries]
    write_whole(folder / "queries.jsonl", _lines(asked))
    judged = [
        f"{query.id}\t{item.name}\t{item.grade}"
        for query in golden.queries
        for item in query.expected
    ]
    write_whole(
        folder / "qrels" / "test.tsv", "\n".join(("query-id\tcorpus-id\tscore", *judged)) + "\n"
    )


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Gains of a table with three columns and a head, or of a TREC file (query, iteration,
    document, gain). Raises UsageError naming file and line."""
    judgements: dict[str, dict[str, int]] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(lines, start=1):
        parts = line.split("\t") if "\t" in line else line.split()
        if not parts or (number == 1 and "id" in parts[0]):
            continue
        try:
            query, document, gain = (parts[0], *parts[-2:])
            judgements.setdefault(query, {})[document] = int(gain)
        except ValueError as error:
            raise UsageError(
                f"{path}:{number}: score: a line takes query, document and a whole number, not"
                f" {line!r}"
            ) from error
    return judgements


def text_of(row: Mapping[str, Any]) -> str:
    """Return title, newline, text; the text alone if there is no title."""
    title, text = row.get("title") or "", row["text"]
    return f"{title}\n{text}" if title.strip() else str(text)


def read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a file of JSON lines, each with `file:line`. Raises UsageError."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise UsageError(f"{path}:{number}: invalid JSON: {error}") from error
                yield f"{path}:{number}", row


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise UsageError(f"{where}: {name}: expected a text, got {value!r}")
    return value


def _lines(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
