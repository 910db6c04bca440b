"""Reading test collections in the BEIR layout."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from bench.frame import BEIR_LAYOUT, require


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


def read_collection(folder: Path) -> Collection:
    """The collection in a folder: every document as title, newline, text (see `text_of`), and
    the queries that have a judgement above 0. Raises SkippedError naming what is missing."""
    require(folder, BEIR_LAYOUT)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        require(folder / name, BEIR_LAYOUT)
    documents = {row["_id"]: text_of(row) for row in read_rows(folder / "corpus.jsonl")}
    judgements: dict[str, dict[str, int]] = {}
    lines = (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        query, document, gain = line.split("\t")
        judgements.setdefault(query, {})[document] = int(gain)
    judged = {query for query, gains in judgements.items() if max(gains.values()) > 0}
    queries = {
        row["_id"]: row["text"]
        for row in read_rows(folder / "queries.jsonl")
        if row["_id"] in judged
    }
    return Collection(
        folder.name, documents, queries, {query: judgements[query] for query in queries}
    )


def text_of(row: Mapping[str, Any]) -> str:
    """Title, newline, text; the text alone where there is no title."""
    title, text = row.get("title") or "", row["text"]
    return f"{title}\n{text}" if title.strip() else str(text)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)
