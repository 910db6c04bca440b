"""The gate catches what was made worse on purpose, and lets pass what chance does."""

from __future__ import annotations

import random
from dataclasses import dataclass

import msgspec
import pytest

from pincite.errors import UsageError
from pincite.evals.analysis.compare import compare
from pincite.evals.analysis.regression import check_measures
from pincite.evals.golden.questions import Expected, GoldenQuery, GoldenSet
from pincite.evals.report.tables import checks_table, comparison_table
from pincite.evals.run.results import Run
from pincite.evals.run.runner import Subject, measured
from pincite.evals.sweep.points import with_values
from pincite.model import (
    Chunk,
    CollectionSpec,
    Hit,
    Ranking,
    SignalKind,
    SignalName,
    SparseVector,
)
from pincite.ports import Index, Searchable, SearchRequest, Stored
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from tests.builders import chunk
from tests.evals.builders import collection, result, run_of, subject_of, take

VERBS = ("rotate", "encrypt", "archive", "publish", "install", "compress", "delete", "rename")
NOUNS = ("secret", "backup", "invoice", "message", "package", "snapshot", "tenant", "volume")


def results(before: Run, now: Run) -> dict[str, str]:
    return {one.measure: one.result for one in check_measures(before, now).measures}


def inflected() -> tuple[dict[str, str], GoldenSet]:
    """Documents that say `rotating secrets`, questions that say `rotate secret`."""
    documents, queries = {}, []
    for verb in VERBS:
        for noun in NOUNS:
            name = f"{verb}-{noun}"
            documents[name] = f"{verb.rstrip('e')}ing {noun}s goes on by itself, as {name[-3:]}"
            queries.append(GoldenQuery(name, f"{verb} a {noun}", (Expected(name, grade=3),)))
    return documents, GoldenSet("inflected", tuple(queries))


def test_an_analyser_without_stemming_is_caught() -> None:
    documents, golden = inflected()
    stemmed, plain = Bm25Encoder("english"), Bm25Encoder("unstemmed")
    before, now = (
        take(subject_of(collection(documents, sparse=one), golden), golden, _shown())
        for one in (stemmed, plain)
    )
    assert results(before, now)["nDCG@10"] == "worse"
    assert results(now, before)["nDCG@10"] == "better"


def _shown(**fuse: object) -> Profile:
    """Verdicts are not the point here."""
    profile = measured(Profile())
    return replace(
        profile,
        select=replace(profile.select, on_none="keep"),
        smooth=replace(profile.smooth, weight=0.0),
        load=replace(profile.load, vectors=False),
        fuse=replace(profile.fuse, **fuse),
    )


@dataclass
class Scripted:
    """An index that answers `question <n>` with rankings made up from `n`.

    The right chunk is at rank 5 of both sides; at the top of each stands one that the other does
    not rank high. With k = 60 the sum of two good ranks wins, with k = 2 a single first one.
    In every third question the dense side has the right chunk first and the other has it last.
    """

    chunks: dict[str, Chunk]

    async def search(self, name: str, request: SearchRequest) -> tuple[Ranking, ...]:
        assert request.sparse is not None
        number = int(request.sparse.values[0]) - 1
        names = [f"{number}-{place}" for place in range(20)]
        dense = [*names[1:5], names[0], *names[5:]]
        sparse = [*names[6:10], names[0], *names[10:], *names[1:6]]
        if number % 3 == 0:
            dense, sparse = names, [*names[1:], names[0]]
        return (
            _ranking(name, "dense", dense, self.chunks),
            _ranking(name, "sparse", sparse, self.chunks),
        )

    async def load(self, name: str, ids: list[str], *, vectors: bool = False) -> tuple[Stored, ...]:
        by_id = {one.id: one for one in self.chunks.values()}
        return tuple(Stored(by_id[key]) for key in ids)

    async def page(self, name: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        return () if after else tuple(self.chunks.values())

    async def documents(self, name: str) -> tuple[object, ...]:
        return ()


def _ranking(
    collection: str, signal: SignalName, ranked: list[str], chunks: dict[str, Chunk]
) -> Ranking:
    kind: SignalKind = "cosine" if signal == "dense" else "bm25"
    hits = tuple(Hit(chunks[one].id, 1 - place / 40) for place, one in enumerate(ranked))
    return Ranking(collection, signal, kind, hits, len(hits))


class Numbers:
    """A sparse side that hands the question's number on to the scripted index."""

    fingerprint = "numbers"
    idf = True

    def encode_query(self, text: str) -> SparseVector:
        return SparseVector((0,), (float(text.split()[-1]) + 1,))

    def encode_document(self, text: str, average_length: float) -> tuple[SparseVector, int]:
        raise AssertionError


def scripted(questions: int = 60) -> tuple[Subject, GoldenSet]:
    queries = [
        GoldenQuery(f"q{n}", f"question {n}", (Expected(f"docs/{n}-0.md", grade=3),))
        for n in range(questions)
    ]
    chunks = {
        f"{n}-{place}": chunk(f"{n}-{place}") for n in range(questions) for place in range(20)
    }
    golden = GoldenSet("scripted", tuple(queries))
    spec = CollectionSpec("main", "numbers", "c", dense="hashing/16", dimensions=16)
    index: Index = Scripted(chunks)  # type: ignore[assignment]
    searchable = Searchable(spec, index, Numbers(), HashingEncoder())
    return subject_of(searchable, golden), golden


def test_a_small_k_is_caught() -> None:
    subject, golden = scripted()
    before = take(subject, golden, _shown(method="rrf", k=60))
    now = take(subject, golden, _shown(method="rrf", k=2))
    assert results(before, now)["nDCG@10"] == "worse"


def test_swapped_branches_are_caught() -> None:
    subject, golden = scripted()
    before = take(subject, golden, _shown(dense_weight=0.8, code_dense_weight=0.8))
    now = take(subject, golden, _shown(dense_weight=0.2, code_dense_weight=0.2))
    assert results(before, now)["nDCG@10"] == "worse"


def test_a_repeated_run_passes() -> None:
    documents, golden = inflected()
    subject = subject_of(collection(documents, HashingEncoder()), golden)
    before, now = take(subject, golden), take(subject, golden)
    assert set(results(before, now).values()) == {"ok"}
    assert compare(before, [now], ("nDCG@10",)).moved == ()


@pytest.mark.parametrize("seed", range(12))
def test_noise_passes(seed: int) -> None:
    """A rebuilt graph finds a few things at other ranks, for better or worse."""
    rng = random.Random(seed)
    ranks = {f"q{n}": rng.choice((1, 1, 2, 3, 7, 0)) for n in range(80)}

    def run() -> Run:
        noisy = {
            key: max(1, rank + rng.choice((-1, 1))) if rank and rng.random() < 0.15 else rank
            for key, rank in ranks.items()
        }
        return run_of(*(result(key, ranks=[rank]) for key, rank in noisy.items()))

    assert set(results(run(), run()).values()) == {"ok"}


def test_a_small_loss_of_many_questions_is_caught() -> None:
    before = run_of(*(result(f"q{n}", ranks=[1 + n % 7]) for n in range(80)))
    now = run_of(*(result(f"q{n}", ranks=[1 + n % 7 + (n % 3 == 0)]) for n in range(80)))
    found = check_measures(before, now).measures[0]
    assert found.measure == "nDCG@10"
    assert found.result == "worse"
    assert 0 < -found.delta < found.tolerance  # the baseline's interval alone would let it pass


def test_wrong_verdicts_are_caught() -> None:
    good = [result(f"q{n}") for n in range(30)]
    off = [result(f"o{n}", off_topic=True, grades=(), ranks=(), verdict="none") for n in range(10)]
    answered = [replace(one, verdict="grounded") for one in off]
    found = results(run_of(*good, *off), run_of(*good, *answered))
    assert found == {"nDCG@10": "ok", "R@20": "ok", "verdict": "worse"}


def test_comparison_by_hand() -> None:
    base = run_of(result("a", ranks=[1]), result("b", ranks=[2]), result("c", ranks=[0]))
    other = run_of(
        result("a", ranks=[2]), result("b", ranks=[2]), result("d", ranks=[1]), label="other"
    )
    found = compare(base, [other], ("RR@12", "Success@1"))
    first = found.differences[0]
    assert (first.base, first.other, first.delta) == (0.75, 0.5, -0.25)
    assert (first.better, first.worse, first.same) == (0, 1, 1)
    assert (first.p, first.p_holm) == (1.0, 1.0)  # one question can be chance
    assert [one.base.id for one in found.moved] == ["a"]
    text = comparison_table(found, 1)
    assert "1 of 10" in text
    assert "2 of 10" in text


def test_runs_without_a_common_question_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="'run' and 'other' share no question"):
        check_measures(run_of(result("a")), run_of(result("b"), label="other"))


def test_a_changed_golden_set_is_told() -> None:
    found = compare(run_of(result("a")), [run_of(result("a"), golden="new")], ("RR",))
    assert "the golden set has changed" in found.notes[0]


def test_questions_that_are_gone_fail_unless_they_may_be_missing() -> None:
    before = run_of(*(result(f"q{n}") for n in range(9)))
    now = run_of(*(result(f"q{n}") for n in range(5)), golden="new")
    found = check_measures(before, now)
    assert (found.passed, found.questions) == (False, 9)
    assert found.missing == ("q5", "q6", "q7", "q8")
    text = checks_table(found, before.stamp, now.stamp)
    assert "Questions of the baseline are missing. 5 of the baseline's 9 questions" in text
    assert "missing or without judgements now: q5, q6, q7 and 1 more." in text
    assert "> run: the golden set has changed" in text
    allowed = check_measures(before, now, allow_missing=True)
    assert allowed.passed
    assert "in the questions that are left" in checks_table(allowed, before.stamp, now.stamp)
    assert check_measures(now, before).passed  # new questions are no loss

    unjudged = run_of(*(result(f"q{n}", grades=(), ranks=()) for n in range(5)), result("q6"))
    assert check_measures(run_of(*before.queries[:7]), unjudged).missing == (
        *("q0", "q1", "q2", "q3", "q4", "q5"),
    )


def test_other_conditions_of_a_run_are_told() -> None:
    usual = measured(Profile())
    few = msgspec.to_builtins(with_values(usual, {"select.results": 3}))
    run = run_of(result("a"), label="one")
    one = replace(run, stamp=replace(run.stamp, profile=msgspec.to_builtins(usual)))
    tags = {"tags": {"lang": ["en"]}}
    two = replace(run, stamp=replace(run.stamp, label="two", profile=few, searched=tags))
    found = check_measures(one, two)
    assert found.notes == (
        "Measured with 3 results, single passages; nDCG@10, R@20 see no more than these.",
        "two was measured with 3 results, single passages, one was measured with 12 results, single"
        " passages",
        "two searched within tags {'lang': ['en']}, one searched everything",
    )
    assert check_measures(one, one, ("RR",)).notes == (
        "Measured with 12 results, single passages.",
    )


def test_the_table_says_what_is_wrong() -> None:
    before = run_of(*(result(f"q{n}", ranks=[1]) for n in range(30)))
    now = run_of(*(result(f"q{n}", ranks=[5]) for n in range(30)))
    text = checks_table(check_measures(before, now), before.stamp, now.stamp)
    assert "Worse than the baseline: nDCG@10." in text
    assert "fell by more than the baseline's" in text
