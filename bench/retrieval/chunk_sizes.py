"""Which chunk sizes find most of an answer within a budget of tokens?

    python bench/retrieval/chunk_sizes.py CHUNKING_EVAL_FOLDER PACKAGE_FOLDER [MODEL_FOLDER]

Two tasks. `prose`: the folder's `documents.jsonl` and `span_queries.jsonl`, whose answers are
character spans. `code`: first docstring sentences of the package's functions as queries, the
functions as answers; docstrings are blanked before ranking. Chunks are ranked by BM25 and, with
a model folder, by cosine and by the sum of both normalised; reading them from the best on until
the budget is spent, which share of the answers' characters has been read?
"""

from __future__ import annotations

import ast
import json
import math
import random
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import anyio
import numpy as np
from numpy.typing import NDArray

from pincite.chunkers import (
    ChunkerConfig,
    chunks_of,
    context_line,
    estimate_word_pieces,
    sections_of,
)
from pincite.model import Chunk, Source
from pincite.providers.bundled.minilm import MiniLmEncoder
from pincite.providers.sparse.analyser import Analyser
from pincite.readers import read_document

SIZES = ((96, 240, 48), (128, 240, 64), (160, 240, 64), (160, 240, 200), (200, 240, 64))
BUDGETS_TOKENS = (500, 1000, 2000)
CODE_QUERIES = 600
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Question:
    """`spans` are (path, start, end) in characters."""

    text: str
    spans: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Task:
    """Texts by path, what of them to blank before ranking, and questions."""

    name: str
    texts: dict[str, str]
    blanked: dict[str, str]
    questions: tuple[Question, ...]


def prose(folder: Path) -> Task:
    """The public chunking evaluation."""
    texts = {}
    for line in (folder / "documents.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        texts[row["_id"] + ".txt"] = row["text"]
    questions = []
    for line in (folder / "span_queries.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        path = row["corpus_id"] + ".txt"
        spans = tuple((path, ref["start_index"], ref["end_index"]) for ref in row["references"])
        questions.append(Question(row["text"], spans))
    return Task("prose", texts, texts, tuple(questions))


def code(folder: Path) -> Task:
    """Functions of a Python package, to be found by what their docstring says."""
    texts, blanked, questions = {}, {}, []
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text("utf-8")
        if not text.isascii():  # columns of `ast` count bytes
            continue
        path = file.relative_to(folder).as_posix()
        starts = [0]
        for line in text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        shown = text
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            documentation = ast.get_docstring(node)
            if not documentation:
                continue
            first = node.body[0]
            low, high = starts[first.lineno - 1], starts[first.end_lineno or first.lineno] - 1
            shown = shown[:low] + " " * (high - low) + shown[high:]
            sentence = documentation.split("\n")[0]
            if not isinstance(node, ast.ClassDef) and len(sentence.split()) >= 5:
                end = starts[node.end_lineno or node.lineno] - 1
                span = (path, starts[node.lineno - 1], end)
                questions.append(Question(sentence, (span,)))
        texts[path], blanked[path] = text, shown
    random.Random(0).shuffle(questions)
    return Task("code", texts, blanked, tuple(questions[:CODE_QUERIES]))


def bm25(documents: list[list[str]], queries: list[list[str]]) -> Scores:
    """Lucene's formula, k1=1.5, b=0.75; shape (queries, documents)."""
    lengths = np.array([len(terms) for terms in documents], float)
    norm = 1.5 * (0.25 + 0.75 * lengths / lengths.mean())
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, terms in enumerate(documents):
        for term, count in Counter(terms).items():
            postings[term].append((number, count))
    scores = np.zeros((len(queries), len(documents)))
    for row, query in enumerate(queries):
        for term in query:
            found = postings.get(term)
            if found:
                where = np.array([each[0] for each in found])
                counts = np.array([each[1] for each in found], float)
                idf = math.log(1 + (len(documents) - len(found) + 0.5) / (len(found) + 0.5))
                scores[row, where] += idf * counts / (counts + norm[where])
    return scores


def normalised(scores: Scores) -> Scores:
    """Each row to 0..1."""
    low = scores.min(axis=1, keepdims=True)
    high = scores.max(axis=1, keepdims=True)
    return np.asarray((scores - low) / np.maximum(high - low, 1e-9))


def recalls(task: Task, chunks: list[Chunk], scores: Scores) -> list[float]:
    """The mean share of an answer's characters that is read within each budget."""
    costs = [estimate_word_pieces(chunk.text) for chunk in chunks]
    sums = [0.0] * len(BUDGETS_TOKENS)
    for row, question in enumerate(task.questions):
        wanted = sum(end - start for _, start, end in question.spans)
        for column, budget in enumerate(BUDGETS_TOKENS):
            read, spent = 0, 0
            for index in np.argsort(-scores[row], kind="stable")[:200]:
                if spent + costs[index] > budget:
                    break
                spent += costs[index]
                chunk = chunks[index]
                read += sum(
                    max(0, min(end, chunk.end) - max(start, chunk.start))
                    for path, start, end in question.spans
                    if path == chunk.path
                )
            sums[column] += read / wanted
    return [each / len(task.questions) for each in sums]


def run(task: Task, config: ChunkerConfig, encoder: MiniLmEncoder | None) -> None:
    """One row of each table."""
    source = Source("bench", "/", "folder")
    chunks: list[Chunk] = []
    ranked: list[str] = []
    for path, text in task.texts.items():
        document = read_document(text.encode("utf-8"), source=source, path=path, ref="1")
        for chunk in chunks_of(document, sections_of(document, config)):
            shown = task.blanked[path][chunk.start : chunk.end]
            chunks.append(chunk)
            ranked.append(context_line(chunk.title, chunk.headings, chunk.path) + "\n" + shown)
    terms = Analyser().terms
    queries = [question.text for question in task.questions]
    tables = {"bm25": bm25([terms(text) for text in ranked], [terms(text) for text in queries])}
    if encoder is not None:
        rows = anyio.run(encoder.embed_documents, ranked)
        asked = anyio.run(encoder.embed_documents, queries)
        tables["dense"] = np.asarray(asked @ rows.T, float)
        tables["sum"] = normalised(tables["bm25"]) + normalised(tables["dense"])
    mean = sum(estimate_word_pieces(chunk.text) for chunk in chunks) / len(chunks)
    for name, scores in tables.items():
        shares = "  ".join(f"{share:.3f}" for share in recalls(task, chunks, scores))
        print(f"{task.name:6} {config.fingerprint:24} chunks {len(chunks):6} of {mean:4.0f}"
              f"  {name:6} {shares}", flush=True)  # fmt: skip


def main() -> None:
    """See the module's docstring."""
    encoder = MiniLmEncoder(Path(sys.argv[3])) if len(sys.argv) > 3 else None
    for task in (prose(Path(sys.argv[1])), code(Path(sys.argv[2]))):
        print(f"{task.name}: share of the answer read within {BUDGETS_TOKENS} tokens")
        for sizes in SIZES:
            run(task, ChunkerConfig(*sizes), encoder)


if __name__ == "__main__":
    main()
