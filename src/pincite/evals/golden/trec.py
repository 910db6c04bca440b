"""Judgements and runs as TREC files, for other evaluation tools."""

from __future__ import annotations

from pathlib import Path

from pincite.errors import UsageError
from pincite.evals.golden.beir import golden_queries, read_lines, read_qrels
from pincite.evals.golden.questions import GoldenSet, write_whole
from pincite.evals.run.results import Run


def read_trec(topics: Path, qrels: Path) -> GoldenSet:
    """Read a golden set from topics (id, tab, question on each line) and qrels (query, iteration,
    document, gain). Raises UsageError with file and line."""
    queries = {}
    for number, line in enumerate(read_lines(topics), start=1):
        key, tab, text = line.partition("\t")
        if line.strip() and not (tab and key.strip() and text.strip()):
            raise UsageError(f"{topics}:{number}: query: a line takes id, tab and question")
        if line.strip():
            queries[key.strip()] = text.strip()
    if not queries:
        raise UsageError(f"{topics} has no questions")
    judgements = read_qrels(qrels)
    for query in judgements:
        if query not in queries:
            raise UsageError(f"{qrels}: query {query!r} does not exist in {topics}")
    return GoldenSet(topics.stem, tuple(golden_queries(queries, judgements)))


def write_qrels(path: Path, golden: GoldenSet) -> None:
    """Write the judgements: query, 0, item, grade. Items have their names, see `Expected.name`.
    Raises UsageError."""
    rows = [
        f"{_word(query.id)} 0 {_word(item.name)} {item.grade}"
        for query in golden.queries
        for item in query.expected
    ]
    write_whole(path, "\n".join(rows) + "\n")


def write_topics(path: Path, golden: GoldenSet) -> None:
    """Write the questions: id, tab, text. Raises UsageError."""
    rows = [f"{_word(query.id)}\t{' '.join(query.text.split())}" for query in golden.queries]
    write_whole(path, "\n".join(rows) + "\n")


def write_run(path: Path, run: Run) -> None:
    """Write the results: query, Q0, item, rank, score, name. The first candidate that counts for an
    item has the item's name, the others their own ids. Scores fall with the rank, for tools that
    sort again. Raises UsageError."""
    rows: list[str] = []
    tag = _word(run.stamp.label)
    for query in run.queries:
        shown = query.results[: query.shown]
        count = len(shown)
        for rank, result in enumerate(shown, start=1):
            first = [
                name
                for name, found in zip(query.items, query.ranks.get(run.final, ()), strict=False)
                if found == rank
            ]
            rows += [
                f"{_word(query.id)} Q0 {_word(name)} {rank} {count - rank + 1} {tag}"
                for name in first or (result.candidate_id,)
            ]
    write_whole(path, "\n".join(rows) + "\n")


def _word(text: str) -> str:
    """Remove white space, which separates the columns."""
    return "_".join(text.split()) or "_"
