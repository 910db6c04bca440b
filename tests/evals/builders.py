"""A small index, golden sets and runs for the tests of evaluation."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pincite.catalog.sqlite import SqliteCatalog
from pincite.deps import Deps
from pincite.evals.golden.corpora import index_corpus
from pincite.evals.golden.questions import Expected, GoldenQuery, GoldenSet, write_whole
from pincite.evals.golden.targets import find_targets
from pincite.evals.run.results import QueryResult, Run, Stamp
from pincite.evals.run.runner import Subject, run_golden
from pincite.index.local import LocalIndex
from pincite.model import EvidencePack, Question, Scope, VerdictLevel
from pincite.ports import DenseEncoder, Reranker, Searchable, SparseEncoder
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.search import search
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from pincite.trace import Trace

DOCUMENTS = {
    "keys": "To rotate a key call rotate_key with the new secret, then restart every worker.",
    "backups": "Backups run every night and are kept for thirty days in another region.",
    "billing": "Invoices are sent on the first day of each month to the daemon of the account.",
    "limits": "A request above the rate limit is answered with status 429 and a pause to wait.",
    "logs": "Logs are written as JSON lines; the level is set by an environment variable.",
    "access": "A daemon may grant access to a region; a worker never may rotate a secret.",
}
GOLDEN = GoldenSet(
    "tiny",
    (
        GoldenQuery(
            "q1",
            "how do I rotate the key of a worker with a new secret",
            (Expected("keys", grade=3), Expected("access", grade=1)),
            category="keys",
        ),
        GoldenQuery("q2", "how long are backups kept", (Expected("backups", grade=3),)),
        GoldenQuery("q3", "when are invoices sent", (Expected("billing", 1, 1, grade=2),)),
        GoldenQuery("q4", "zebra quantum ferment", off_topic=True),
        GoldenQuery("q5", "violin lacquer ballad", off_topic=True),
    ),
)


def collection(
    documents: Mapping[str, str] = DOCUMENTS,
    dense: DenseEncoder | None = None,
    sparse: SparseEncoder | None = None,
) -> Searchable:
    """The documents on the reference store, each as one chunk."""
    index = LocalIndex(MemoryStore(), SqliteCatalog(":memory:"))
    spec = asyncio.run(
        index_corpus(index, "main", documents, dense, language="english", sparse=sparse)
    )
    return Searchable(spec, index, sparse or Bm25Encoder("english"), dense)


def subject_of(
    searchable: Searchable, golden: GoldenSet = GOLDEN, reranker: Reranker | None = None
) -> Subject:
    """What is evaluated: one collection."""
    analyser = Bm25Encoder("english").analyser
    deps = Deps(
        (searchable,), lambda text: frozenset(analyser.terms(text)), guess_language, reranker
    )
    return Subject(deps, Scope(), asyncio.run(find_targets(golden.queries, [searchable])))


def hybrid() -> Subject:
    """The documents with a dense side."""
    return subject_of(collection(dense=HashingEncoder()))


def take(
    subject: Subject, golden: GoldenSet = GOLDEN, profile: Profile | None = None, label: str = "x"
) -> Run:
    """A run."""
    return asyncio.run(run_golden(subject, golden, profile or Profile(), label))


def result(
    key: str,
    *,
    ranks: Sequence[int] = (1,),
    grades: Sequence[int] = (1,),
    off_topic: bool = False,
    near: bool = False,
    verdict: VerdictLevel = "grounded",
    values: Mapping[str, float] | None = None,
) -> QueryResult:
    """A question of a run that nobody took."""
    return QueryResult(
        id=key,
        query=key,
        category="",
        mode="",
        off_topic=off_topic,
        near=near,
        items=tuple(f"item {n}" for n in range(len(grades))),
        grades=tuple(grades),
        ranks={"pack": tuple(ranks)},
        depths={"pack": 10},
        verdict=verdict,
        verdict_signal="coverage/normalised",
        calibrated=False,
        shown=1,
        values=values or {},
        results=(),
    )


def run_of(*queries: QueryResult, label: str = "run", golden: str = "g") -> Run:
    """A run of these questions."""
    import msgspec

    profile = msgspec.to_builtins(Profile())
    return Run(Stamp(label, "2026-01-01T00:00:00", "0", golden, golden, profile, "p", ()), queries)


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


def _lines(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def ask(text: str, deps: Deps, profile: Profile) -> EvidencePack:
    pack = asyncio.run(search(Question(text), deps, profile, Trace(lambda: 0.0)))
    return replace(pack, timings_ms={})
