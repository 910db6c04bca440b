"""Far and near questions, and what may be learned from them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.evals.analysis.calibrate import as_table, calibrate, learn
from pincite.evals.analysis.profile_file import write_thresholds
from pincite.evals.run.results import Run
from pincite.settings.load import load_settings
from pincite.stages.gate import MEASURED, Thresholds
from pincite.support.fields import replace
from tests.evals.builders import result, run_of

SIGNAL = "coverage/normalised"


def measured(corpus: str, far: int = 100, near: int = 100) -> Run:
    """Values of a run with the bundled model: documentation and code of ADK, or the documentation
    of Claude, with the questions of golden/."""
    place = Path(__file__).with_name("coverage_values.json")
    values = json.loads(place.read_text())[corpus]
    kinds = ("on", False, False, 1000), ("far", True, False, far), ("near", True, True, near)
    return run_of(
        *(
            result(
                f"{kind}{number}",
                off_topic=off,
                near=is_near,
                grades=() if off else (1,),
                ranks=() if off else (1,),
                values={SIGNAL: value},
            )
            for kind, off, is_near, most in kinds
            for number, value in enumerate(values[kind][:most])
        )
    )


def grounded(run: Run, at: Thresholds, topic: str) -> int:
    """How many questions of a kind are called grounded."""
    return sum(q.topic == topic and q.values[SIGNAL] >= at.grounded_at for q in run.queries)


@pytest.mark.parametrize(("corpus", "shipped", "learned"), [("adk", 15, 4), ("claude", 3, 1)])
def test_near_questions_teach_what_is_grounded(corpus: str, shipped: int, learned: int) -> None:
    run = measured(corpus)
    found = calibrate(run)
    (one,) = found.signals
    assert (found.near, found.notes) == (26, ())
    assert grounded(run, MEASURED["coverage_normalised"], "near") == shipped
    assert grounded(run, one.learned, "near") == learned
    assert grounded(run, one.learned, "far") == 0
    assert one.validated.near.total == 26 * found.repeats
    assert one.uncalibrated is not None
    assert one.uncalibrated.near.grounded == shipped
    assert one.validated.cost(2) < one.uncalibrated.cost(2)


@pytest.mark.parametrize("corpus", ["adk", "claude"])
def test_far_questions_alone_do_not_lower_what_is_grounded(corpus: str) -> None:
    """Far and on-topic questions can be parted anywhere from .32 to .36, or to .39, where near
    ones lie; so the middle of that range says nothing about them."""
    run = measured(corpus, near=0)
    found = calibrate(run)
    (one,) = found.signals
    assert one.learned.grounded_at == MEASURED["coverage_normalised"].grounded_at
    assert one.learned.weak_at < one.learned.grounded_at
    assert "0 near questions" in found.notes[0]
    assert grounded(measured(corpus), one.learned, "near") == grounded(
        measured(corpus), MEASURED["coverage_normalised"], "near"
    )


def test_what_is_no_better_than_what_is_there_is_not_written(tmp_path: Path) -> None:
    found = calibrate(measured("claude", near=0))
    with pytest.raises(UsageError, match="none is better than the current ones") as caught:
        write_thresholds(tmp_path / "pincite.toml", found, "2026-01-02")
    assert '"near": true' in str(caught.value.hint)


def test_nothing_is_written_from_a_few_far_questions(tmp_path: Path) -> None:
    found = calibrate(measured("claude", far=4, near=0))
    with pytest.raises(
        UsageError, match=r"need 20 off-topic questions, .* 4 far and 0 near"
    ) as caught:
        write_thresholds(tmp_path / "pincite.toml", found, "2026-01-02")
    assert '"near": true' in str(caught.value.hint)
    assert not (tmp_path / "pincite.toml").exists()
    enough = calibrate(measured("claude", far=4, near=16))
    assert write_thresholds(tmp_path / "pincite.toml", enough, "2026-01-02")


def test_near_questions_that_overlap_may_lower_it_and_those_that_do_not_may_not() -> None:
    on, far = [0.3, 0.32, 0.34, 0.36], [0.1, 0.2]
    assert learn(on, far, [0.22], least=0.43).grounded_at == 0.43  # they can be parted
    assert learn(on, far, [0.31], least=0.43).grounded_at == pytest.approx(0.315)
    assert learn(on, far, [0.31], least=0.43, firm=True).grounded_at == 0.43  # too few of them


def test_far_and_near_questions_weigh_the_same_however_many_there_are() -> None:
    on, near = [0.4, 0.5, 0.6, 0.7], [0.45, 0.55]
    assert learn(on, [0.1], near) == learn(on, [0.1] * 50, near)


def test_a_reranker_is_calibrated_with_near_questions_under_its_name(tmp_path: Path) -> None:
    def taken(near: int, values: tuple[float, float, float]) -> Run:
        kinds = zip(("on topic", "far", "near"), (30, 30, near), values, strict=True)
        run = run_of(
            *(
                result(
                    f"{kind}{n}",
                    off_topic=kind != "on topic",
                    near=kind == "near",
                    grades=(1,) if kind == "on topic" else (),
                    ranks=(1,) if kind == "on topic" else (),
                    values={
                        "reranked/probability": value + n / 1000,
                        SIGNAL: {"on topic": 0.6, "far": 0.2, "near": 0.5 + n / 100}[kind],
                    },
                )
                for kind, count, value in kinds
                for n in range(count)
            )
        )
        return replace(run, stamp=replace(run.stamp, reranker="voyage/rerank-2.5"))

    place = tmp_path / "pincite.toml"
    names = write_thresholds(place, calibrate(taken(30, (0.4, 0.27, 0.3))), "2026-01-02")
    assert "reranked_probability" in names
    table = tomllib.loads(place.read_text())["gate"]["reranked_probability"]
    assert table["reranker"] == "voyage/rerank-2.5"
    assert 0.33 < table["weak_at"] <= table["grounded_at"] < 0.4
    profile = load_settings({}, tmp_path, tmp_path / ".pincite").profile
    assert profile.gate.reranked_probability.calibrated_for("voyage/rerank-2.5")
    assert not profile.gate.reranked_probability.calibrated_for("voyage/rerank-3")

    without = as_table(calibrate(taken(0, (0.4, 0.27, 0.3))))
    assert set(without) == {"coverage_normalised"}
    worse = as_table(calibrate(taken(30, (0.3, 0.27, 0.3))))  # coverage parts them better
    assert set(worse) == {"coverage_normalised"}
