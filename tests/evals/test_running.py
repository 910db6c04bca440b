"""Runs keep what every stage did with each question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.errors import ModelUnavailable
from pincite.evals.analysis.summary import scores, summarise
from pincite.evals.golden.questions import Expected, GoldenQuery, GoldenSet
from pincite.evals.run.runner import measured_profile, preset_in_use
from pincite.evals.sweep.shared_ports import Ledger, share
from pincite.ports import RerankScore
from pincite.profile import Profile
from pincite.settings.load import load_settings
from pincite.stages.gate import GateConfig, Thresholds
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder, OverlapReranker
from tests.evals.builders import GOLDEN, ask, collection, hybrid, subject_of, take


def test_a_run_has_ranks_after_every_stage_that_ranks() -> None:
    run = take(hybrid())
    assert run.stages == (
        *("retrieve.dense", "retrieve.sparse", "retrieve", "fuse", "load", "dedup", "smooth"),
        "rank_code",
        *("rerank", "blend", "versions_first", "cover", "gate", "select", "context", "pack"),
    )
    assert run.final == "pack"
    first = run.queries[0]
    assert first.items == ("keys", "access")
    assert first.ranks["pack"][0] == 1
    assert first.ranks["retrieve"] == tuple(
        min(r for r in pair if r)
        for pair in zip(first.ranks["retrieve.dense"], first.ranks["retrieve.sparse"], strict=True)
    )
    assert first.depths["retrieve"] == 6
    assert first.results[0].place == "keys#L1"
    assert first.results[0].grade == 3
    assert first.tokens > 0
    assert first.timings_ms.keys() >= {"retrieve", "pack"}
    assert "dense/cosine" in first.values


def test_the_summary_counts_what_it_should() -> None:
    summary = summarise(take(hybrid()))
    assert (summary.questions, summary.judged, summary.off_topic) == (5, 3, 2)
    assert (summary.missing, summary.failed) == (0, 0)
    assert summary.measures["RR@12"].mean == pytest.approx(1)
    assert summary.verdicts["off topic"]["none"] == 2
    assert (summary.precision, summary.recall) == (1, 1)
    assert summary.auroc["coverage/normalised"] == 1
    assert summary.categories["keys"]["questions"] == 1
    assert [one.stage for one in summary.stages][:2] == ["retrieve.dense", "retrieve.sparse"]


@pytest.mark.parametrize(
    ("written", "preset", "results"),
    [
        ("", None, 12),
        ("[select]\nresults = 1\n", None, 1),
        ("[select]\nresults = 1\n", "notes", 1),
        ('extends = "notes"\n', None, 12),
        ('extends = "./team.toml"\n', None, 3),
        ("[select]\nresults = 25\n", None, 25),
    ],
)
def test_a_number_of_results_that_a_file_sets_is_measured(
    tmp_path: Path, written: str, preset: str | None, results: int
) -> None:
    (tmp_path / "team.toml").write_text('preset = "notes"\n[select]\nresults = 3\n')
    (tmp_path / "pincite.toml").write_text(f'{written}[context]\naround = "section"\n')
    settings = load_settings({}, tmp_path, tmp_path / ".pincite")
    profile = measured_profile(settings, preset)
    assert (profile.select.results, profile.context.around) == (results, "none")
    assert preset_in_use(settings) == ("notes" if "extends" in written else "general")
    summary = summarise(take(hybrid(), profile=profile), ("R@20",))
    least = "" if results >= 20 else "; R@20 sees no more than these"
    assert summary.measured == f"Measured with {results} results, single passages{least}."


def test_a_question_without_results_counts_as_nothing() -> None:
    everything_is_refused = Profile(
        gate=GateConfig(coverage_normalised=Thresholds(2.0, 2.0)),
    )
    run = take(hybrid(), profile=everything_is_refused)
    assert all(query.verdict == "none" and query.shown == 0 for query in run.queries)
    assert set(scores(run, ("nDCG@10",))) == {"q1", "q2", "q3"}
    assert summarise(run).measures["nDCG@10"].mean == 0
    assert scores(run, ("RR",), "blend")["q1"]["RR"] == 1  # it was there before the verdict
    assert run.queries[0].results  # what would have been shown


def test_a_search_that_fails_counts_as_nothing_and_is_told() -> None:
    class Broken(OverlapReranker):
        async def rerank(
            self,
            query: str,
            documents: Sequence[str],
            top_n: int | None = None,
            *,
            instruction: str = "",
        ) -> tuple[RerankScore, ...]:
            raise ModelUnavailable("gone")

    subject = subject_of(collection(dense=HashingEncoder()), reranker=Broken())
    run = take(subject, profile=Profile())
    assert all("rerank_unavailable" in query.notices for query in run.queries)
    golden = GoldenSet("g", (*GOLDEN.queries[:2], GoldenQuery("bad", " \t", (Expected("keys"),))))
    run = take(replace(hybrid(), targets=subject.targets), golden)
    assert run.queries[2].notices[0].startswith("search_failed: the query is empty")
    assert run.queries[2].ranks == {}
    assert scores(run, ("RR",))["bad"]["RR"] == 0
    assert summarise(run).failed == 1


def test_expected_items_that_are_not_indexed_are_named() -> None:
    golden = GoldenSet(
        "g", (GoldenQuery("q", "keys?", (Expected("keys"), Expected("gone", 3, 4))),)
    )
    subject = subject_of(collection(), golden)
    assert subject.targets.missing == {"q": ("gone#L3-L4",)}
    run = take(subject, golden)
    assert run.queries[0].missing == ("gone#L3-L4",)
    assert summarise(run).missing == 1


def test_the_stamp_changes_with_what_is_indexed_and_with_the_profile() -> None:
    run = take(hybrid())
    again = take(hybrid())
    assert run.stamp.collections == again.stamp.collections
    assert run.stamp.golden_fingerprint == GOLDEN.fingerprint
    other = take(subject_of(collection({"keys": "other"}, HashingEncoder())))
    assert other.stamp.collections[0].contents != run.stamp.collections[0].contents
    changed = take(hybrid(), profile=Profile(gate=GateConfig(signal="coverage")))
    assert changed.stamp.profile_fingerprint != run.stamp.profile_fingerprint
    assert changed.stamp.profile["gate"]["signal"] == "coverage"


def test_shared_ports_change_no_pack_and_ask_everything_once() -> None:
    subject = subject_of(collection(dense=HashingEncoder()), reranker=OverlapReranker())
    ledger = Ledger()
    deps = share(subject.deps, ledger)
    profiles = [
        Profile(),
        replace(Profile(), fuse=replace(Profile().fuse, method="rrf")),
        replace(Profile(), rerank=replace(Profile().rerank, pool=2)),
        replace(Profile(), retrieve=replace(Profile().retrieve, dense_limit=3)),
        Profile(),
    ]
    for profile in profiles:
        for query in GOLDEN.queries:
            assert ask(query.text, deps, profile) == ask(query.text, subject.deps, profile)
    questions = len(GOLDEN.queries)
    assert ledger.made["embed"] == questions
    assert ledger.remembered["embed"] == questions * (len(profiles) - 1)
    assert ledger.made["search"] == 2 * questions  # two depths
    assert ledger.made["load"] == 6  # every chunk
    assert ledger.remembered["rerank"] >= questions
    assert ledger.take() > 0
    assert ledger.take() == 0
