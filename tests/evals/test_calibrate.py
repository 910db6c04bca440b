"""Thresholds of the verdict, learned, validated, written and used."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.evals.analysis.calibrate import as_table, calibrate, learn
from pincite.evals.analysis.profile_file import write_thresholds
from pincite.evals.analysis.refusal import Refusal
from pincite.evals.run.results import Run
from pincite.ports import RerankScore
from pincite.profile import Profile
from pincite.settings.load import load_settings
from pincite.stages.cover import CoverageConfig
from pincite.stages.gate import GateConfig, RerankedThresholds, Thresholds
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder, OverlapReranker
from tests.evals.builders import ask, collection, hybrid, result, run_of, subject_of, take

SIGNAL = "coverage/normalised"


def overlapping(count: int = 60, seed: int = 1) -> Run:
    """On topic around .6, off topic around .35."""
    rng = random.Random(seed)
    on = [result(f"on{n}", values={SIGNAL: rng.gauss(0.6, 0.08)}) for n in range(count)]
    off = [
        result(
            f"off{n}", off_topic=True, grades=(), ranks=(), values={SIGNAL: rng.gauss(0.35, 0.08)}
        )
        for n in range(count // 2)
    ]
    return run_of(*on, *off)


def test_between_questions_that_can_be_parted_the_middle_is_taken() -> None:
    found = learn([0.6, 0.8], [0.2, 0.3])
    assert (found.weak_at, found.grounded_at) == pytest.approx((0.45, 0.45))


def test_where_they_overlap_caution_decides() -> None:
    # Refusing below .35 loses nobody; below .55 one of two on topic; off topic lie on both sides.
    found = learn([0.4, 0.7], [0.3, 0.5], caution=2)
    assert found.weak_at == pytest.approx(0.35)
    assert found.grounded_at == pytest.approx(0.6)
    assert learn([0.4, 0.7], [0.3, 0.5], caution=0.1).weak_at == pytest.approx(0.6)


def test_questions_without_a_candidate_are_below_every_threshold() -> None:
    found = learn([0.5, 0.6], [float("-inf"), float("-inf")])
    assert 0 < found.weak_at < 0.5


def balanced_accuracy(of: Refusal) -> float:
    """Mean of the shares of off-topic questions refused and of the others not refused."""
    return (of.off_refused / of.off_total + 1 - of.on_refused / of.on_total) / 2


def test_cross_validation_judges_with_thresholds_of_other_questions() -> None:
    found = calibrate(overlapping())
    (one,) = found.signals
    assert (found.on_topic, found.far, found.near, found.folds) == (60, 30, 0, 5)
    assert one.validated.far.total == 30 * found.repeats
    assert one.validated.on.total == 60 * found.repeats
    assert one.validated.cost(found.caution) >= one.fitted.cost(found.caution)
    assert balanced_accuracy(one.validated.refusal) > 0.85
    assert one.chosen[0] <= one.learned.weak_at <= one.chosen[1]
    assert one.auroc["far"] > 0.95
    assert "near" not in one.auroc
    assert found == calibrate(overlapping())


def test_a_signal_that_says_nothing_is_not_made_to_look_good() -> None:
    rng = random.Random(2)
    queries = [
        result(
            f"q{n}",
            off_topic=n % 2 == 0,
            grades=(1,) * (n % 2),
            ranks=(1,) * (n % 2),
            values={SIGNAL: rng.random()},
        )
        for n in range(120)
    ]
    (one,) = calibrate(run_of(*queries)).signals
    assert 0.4 < balanced_accuracy(one.validated.refusal) < 0.6


def test_too_few_questions_are_refused_and_few_are_told() -> None:
    with pytest.raises(UsageError, match="at least 2 questions on topic and 2 off topic"):
        calibrate(run_of(result("a"), result("b")))
    found = calibrate(take(hybrid()))
    assert "only 2 off-topic questions" in found.notes[0]


def test_every_signal_is_shown_and_those_of_the_gate_have_their_field() -> None:
    run = take(subject_of(collection(), reranker=OverlapReranker()))
    fields = {one.signal: one.field for one in calibrate(run).signals}
    assert fields["reranked/probability"] == "reranked_probability"
    assert fields["coverage/share"] == "coverage_share"
    assert fields["sparse/bm25"] == ""
    run = take(hybrid())
    signals = {one.signal: one for one in calibrate(run).signals}
    assert signals["dense/cosine"].uncalibrated_at == Profile().gate.dense_cosine
    assert signals["fused/normalised"].uncalibrated is None


def test_what_is_written_is_used_and_packs_say_so(tmp_path: Path) -> None:
    place = tmp_path / "pincite.toml"
    above = '# ours\npreset = "general"\n\n[providers.openai]\ntries = 1\n\n'
    place.write_text(f"{above}[select]\nresults = 7 # few\n")
    run = overlapping()
    assert not any(query.calibrated for query in run.queries)
    names = write_thresholds(place, calibrate(run), "2026-01-02")
    assert names == ("coverage_normalised",)
    text = place.read_text()
    assert "# ours" in text
    assert "results = 7 # few" in text
    assert "learned 2026-01-02 on g" in text
    assert "60 questions on topic, 30 far off topic, 0 near; AUROC far 1.000" in text
    assert "# 0 near questions are fewer than" in text
    assert "grounded / weak / none in %, 5-fold cross-validation: on topic " in text
    table = tomllib.loads(text)
    assert table["gate"]["coverage_normalised"]["calibrated"] is True
    profile = load_settings({}, tmp_path, tmp_path / ".pincite").profile
    assert profile.select.results == 7
    assert profile.gate.coverage_normalised.weak_at == pytest.approx(
        table["gate"]["coverage_normalised"]["weak_at"]
    )
    pack = ask("how long are backups kept", hybrid().deps, profile)
    assert pack.verdict.calibrated
    by_cosine = replace(profile, gate=replace(profile.gate, signal="dense"))
    pack = ask("how long are backups kept", hybrid().deps, by_cosine)
    assert not pack.verdict.calibrated  # nothing was learned for this signal
    write_thresholds(place, calibrate(run), "2026-01-03")  # again, in place of the first
    assert place.read_text().count("learned 2026") == 1


def test_thresholds_that_were_better_stay(tmp_path: Path) -> None:
    """One off-topic question lies just below the profile's .35 and the others far below: what
    is learned without this one is wrong about it."""
    on = [result(f"on{n}", values={"dense/cosine": 0.36, SIGNAL: 0.6}) for n in range(20)]
    off = [
        result(
            f"off{n}",
            off_topic=True,
            grades=(),
            ranks=(),
            values={"dense/cosine": value, SIGNAL: 0.2},
        )
        for n, value in enumerate((*[0.02] * 19, 0.34))
    ]
    found = calibrate(run_of(*on, *off))
    (cosine,) = (one for one in found.signals if one.field == "dense_cosine")
    assert cosine.uncalibrated is not None
    assert (cosine.uncalibrated.far.none, cosine.uncalibrated.on.none) == (20, 0)
    assert cosine.validated.far.none < cosine.validated.far.total
    names = write_thresholds(tmp_path / "pincite.toml", found, "2026-01-02")
    assert names == ("coverage_normalised",)
    assert "dense_cosine" not in (tmp_path / "pincite.toml").read_text()


@pytest.mark.parametrize(
    "written",
    [
        'gate = { signal = "auto" }\nextends = "evidence"\n[select]\nresults = 7 # few\n',
        "[gate]\n# ours\ncoverage_normalised = { weak_at = 0.1, grounded_at = 0.2 }\n"
        'signal = "auto"\n',
        'gate.signal = "auto"\ngate.defined = false\nextends = "evidence"\n',
        "[gate.dense_cosine]\nweak_at = 0.1\ngrounded_at = 0.2\n[select]\nresults = 7\n"
        "[gate.coverage_normalised]\nweak_at = 0.2\ngrounded_at = 0.2\n",
    ],
    ids=["in a line", "a pair in a line", "dotted", "apart"],
)
def test_however_the_gate_is_written_the_rest_of_the_file_stays(
    tmp_path: Path, written: str
) -> None:
    place = tmp_path / "pincite.toml"
    place.write_text(written)
    write_thresholds(place, calibrate(overlapping()), "2026-01-02")
    text = place.read_text()
    table, before = tomllib.loads(text), tomllib.loads(written)
    assert table["gate"].pop("coverage_normalised")["calibrated"] is True
    before["gate"].pop("coverage_normalised", None)
    assert table == before
    assert ("# ours" in text, "# few" in text) == ("# ours" in written, "# few" in written)


def test_thresholds_that_would_change_no_verdict_are_not_written(tmp_path: Path) -> None:
    """Coverage decides, and what is learned for it is worse; for cosines it is better."""
    on, far = ([0.55] * 24 + [0.38], 0.9), ([0.2] * 24 + [0.369], 0.6)
    queries = [
        result(
            f"{'off' if off else 'on'}{n}",
            off_topic=off,
            grades=() if off else (1,),
            ranks=() if off else (1,),
            values={SIGNAL: value, "dense/cosine": cosine + n / 1000},
        )
        for off, (values, cosine) in ((False, on), (True, far))
        for n, value in enumerate(values)
    ]
    found = calibrate(run_of(*queries))
    assert set(as_table(found)) == {"dense_cosine"}
    place = tmp_path / "pincite.toml"
    with pytest.raises(UsageError, match="verdicts go by coverage_normalised") as told:
        write_thresholds(place, found, "2026-01-02")
    assert 'set gate.signal = "dense" in ' in told.value.hint
    assert not place.exists()
    place.write_text('[gate]\nsignal = "dense"\n')
    assert write_thresholds(place, found, "2026-01-02") == ("dense_cosine",)


class Contrary(OverlapReranker):
    """A reranker that puts the worst first."""

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        found = await super().rerank(query, documents, instruction=instruction)
        scores = [RerankScore(one.index, 1 - one.score) for one in found]
        return tuple(sorted(scores, key=lambda one: (-one.score, one.index))[:top_n])


def test_the_order_of_a_reranker_does_not_move_the_verdict_either() -> None:
    narrow = Profile(cover=CoverageConfig(candidates=1))
    text = "how are backups kept for thirty days"
    alone = ask(text, hybrid().deps, narrow)
    subject = subject_of(collection(dense=HashingEncoder()), reranker=Contrary())
    reranked = ask(text, subject.deps, narrow)
    assert reranked.evidence[0].path != alone.evidence[0].path
    assert reranked.verdict == alone.verdict


def test_a_reranker_moves_the_verdict_only_with_thresholds_that_were_learned_with_it() -> None:
    deps = subject_of(collection(), reranker=OverlapReranker()).deps
    text = "backups run nightly"  # the reranker finds 2 of 3 words
    strict = Thresholds(2.0, 2.0)  # words alone never reach it
    guessed = GateConfig(coverage_share=strict)
    verdict = ask(text, deps, Profile(gate=guessed)).verdict
    assert (verdict.level, verdict.signal, verdict.thresholds) == ("none", "coverage", "assumed")
    assert ask(text, deps, Profile()).verdict.thresholds == "measured"

    by_name = replace(guessed, signal="reranked")
    verdict = ask(text, deps, Profile(gate=by_name)).verdict
    assert (verdict.level, verdict.signal, verdict.thresholds) == (
        *("grounded", "reranked", "assumed"),
    )

    learned = RerankedThresholds(0.6, 0.4, calibrated=True, reranker="overlap")
    ours = replace(guessed, reranked_probability=learned)
    verdict = ask(text, deps, Profile(gate=ours)).verdict
    assert (verdict.level, verdict.signal, verdict.thresholds) == (
        *("grounded", "reranked", "calibrated"),
    )
    other = replace(ours, reranked_probability=replace(learned, reranker="voyage/rerank-2.5"))
    pack = ask(text, deps, Profile(gate=other))
    assert (pack.verdict.level, pack.verdict.signal) == ("none", "coverage")
    assert "calibration_of_another_reranker" in {notice.code for notice in pack.warnings}


def test_a_file_that_is_no_profile_is_left_alone(tmp_path: Path) -> None:
    found = calibrate(overlapping())
    for wrong in ("[gate\n", "unknown = 1\n", "[gate]\nsignal = 7\n"):
        place = tmp_path / "pincite.toml"
        place.write_text(wrong)
        with pytest.raises(UsageError, match=r"pincite\.toml"):
            write_thresholds(place, found, "2026-01-02")
        assert place.read_text() == wrong
