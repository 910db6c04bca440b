"""Sweeps: which points there are, what they share, and that they survive being cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.errors import ConfigError, UsageError
from pincite.evals.analysis.summary import scores
from pincite.evals.sweep.cells import SWEPT, sweep_points
from pincite.evals.sweep.points import Point, draw, grid, parse_values, with_values
from pincite.evals.sweep.results import Row, SweepTable, is_tune
from pincite.evals.sweep.runner import run_sweep
from pincite.model import Scope
from pincite.profile import Profile
from pincite.support.fields import replace
from tests.evals.builders import GOLDEN, hybrid, take

VARY = ("fuse.method=rrf,dbsf", "smooth.weight=0,0.3", "select.results=1,12")


def points(*vary: str) -> tuple[Point, ...]:
    return grid(Profile(), parse_values(vary or VARY)).points


def swept(folder: Path, chosen: Sequence[Point], names: Sequence[str] = SWEPT) -> SweepTable:
    return asyncio.run(run_sweep(hybrid(), GOLDEN, chosen, names, folder))


def timeless(table: SweepTable) -> tuple[object, ...]:
    """All but the times, and the front that follows from them."""
    rows = [replace(r, latency_p50_ms=0, latency_p95_ms=0, best_for=()) for r in table.rows]
    fronts = {row.point: "tokens" in row.best_for for row in table.rows}
    return replace(table, rows=tuple(rows)), fronts


def test_a_grid_has_the_profile_itself_and_all_combinations() -> None:
    found = points()
    assert len(found) == 9
    assert found[0].label == "as it is"
    assert found[1].label == "fuse.method=rrf smooth.weight=0 select.results=1"
    assert found[1].profile.fuse.method == "rrf"
    assert len({point.id for point in found}) == 9
    assert len(points("fuse.method=weighted_sum,rrf")) == 2  # one of them is the profile itself


def test_any_field_of_the_profile_can_be_varied() -> None:
    axes = parse_values(
        ["gate.dense_cosine={grounded_at=0.5, weak_at=0.4},{grounded_at=1.0,weak_at=0}"]
    )
    found = grid(Profile(), axes).points
    assert [p.profile.gate.dense_cosine.grounded_at for p in found] == [0.45, 0.5, 1.0]
    nested = with_values(Profile(), {"gate.dense_cosine.weak_at": 0.1})
    assert (nested.gate.dense_cosine.weak_at, nested.gate.dense_cosine.grounded_at) == (0.1, 0.45)


def test_random_points_repeat_with_their_seed() -> None:
    axes = parse_values(["fuse.dense_weight=0.2..0.8", "load.pool=20..60", "fuse.method=rrf,dbsf"])
    drawn = draw(Profile(), axes, 20, seed=7)
    assert drawn == draw(Profile(), axes, 20, seed=7)
    assert drawn != draw(Profile(), axes, 20, seed=8)
    assert len(drawn.points) == 21
    for point in drawn.points[1:]:
        assert 0.2 <= point.values["fuse.dense_weight"] <= 0.8
        assert isinstance(point.values["load.pool"], int)
    assert len(draw(Profile(), parse_values(["fuse.method=rrf,dbsf"]), 50, seed=1).points) == 3


def test_contradictions_are_left_out_with_their_reason() -> None:
    found = grid(Profile(), parse_values(["select.results=10,90"]))
    assert [point.label for point in found.points] == ["as it is", "select.results=10"]
    assert "candidates are loaded" in found.refused["select.results=90"]


@pytest.mark.parametrize(
    ("vary", "error", "message"),
    [
        ("fuse.metod=rrf", ConfigError, r"no field 'fuse\.metod'; known fields: .*method"),
        ("fuse=rrf", ConfigError, r"'fuse' is a table"),
        ("fuse.method", UsageError, "is not in the form field=value"),
        ("fuse.k=9..2", UsageError, "is not a range"),
        ("fuse.dense_weight=0.2..0.8", UsageError, "a grid takes values"),
        ("fuse.method=rrff", ConfigError, "no combination is valid; fuse.method=rrff"),
        ("fuse.k=many", ConfigError, "Expected `int`, got `str`"),
    ],
)
def test_wrong_axes_are_named(vary: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        grid(Profile(), parse_values([vary]))


def test_a_point_has_the_figures_of_a_run_of_its_profile(tmp_path: Path) -> None:
    table = swept(tmp_path / "s", points())
    rows = {row.point: row for row in table.rows}
    for point in points():
        run = take(hybrid(), profile=point.profile)
        values = {key: found["nDCG@10"] for key, found in scores(run, ("nDCG@10",)).items()}
        for half, wanted in (("tune", True), ("test", False)):
            mine = [value for key, value in values.items() if is_tune(key, 0.5) == wanted]
            mean = sum(mine) / len(mine) if mine else 0.0
            assert getattr(rows[point.id], half)["nDCG@10"] == pytest.approx(mean)
        right = [(q.verdict == "none") == q.off_topic for q in run.queries]
        assert rows[point.id].verdict == sum(right) / len(right)
        assert rows[point.id].tokens == sum(q.tokens for q in run.queries) / len(run.queries)
    assert table.tune_questions + table.test_questions == 3
    assert table.winner.label == table.rows[0].label


def test_every_step_is_done_once_for_what_it_depends_on() -> None:
    chosen = points()
    ledger = asyncio.run(sweep_points(hybrid(), GOLDEN.queries, chosen, SWEPT, lambda _: None))
    questions, methods, weights = len(GOLDEN.queries), 3, 2  # the profile's own is another method
    assert ledger.made["step retrieve"] == questions
    assert ledger.made["step fuse"] == questions * methods
    assert ledger.made["step smooth"] == questions * (1 + (methods - 1) * weights)
    assert ledger.made["step select"] == questions * len(chosen)
    assert ledger.made["embed"] == ledger.made["search"] == questions


def test_interrupted_and_resumed_it_gives_the_same_table(tmp_path: Path) -> None:
    whole = swept(tmp_path / "whole", points())

    class Cut(Exception):
        pass

    def cut(done: int, total: int) -> None:
        if done == 3:
            raise Cut

    with pytest.raises(Cut):
        asyncio.run(run_sweep(hybrid(), GOLDEN, points(), SWEPT, tmp_path / "cut", progress=cut))
    (file,) = (tmp_path / "cut").glob("cells-*.jsonl")
    kept = file.read_bytes().splitlines(keepends=True)
    assert len(kept) == 3
    file.write_bytes(b"".join(kept[:2]) + kept[2][:40])  # killed in the middle of a line
    asked: list[int] = []
    resumed = asyncio.run(
        run_sweep(
            *(hybrid(), GOLDEN, points(), SWEPT, tmp_path / "cut"),
            progress=lambda done, total: asked.append(total),
        )
    )
    assert asked[-1] == 3  # five questions less the two that were whole
    assert timeless(resumed) == timeless(whole)
    asked.clear()
    again = asyncio.run(
        run_sweep(
            *(hybrid(), GOLDEN, points(), SWEPT, tmp_path / "cut"),
            progress=lambda done, total: asked.append(total),
        )
    )
    assert not asked
    assert again == resumed


def test_a_folder_of_another_sweep_is_refused(tmp_path: Path) -> None:
    swept(tmp_path / "s", points())
    with pytest.raises(UsageError, match="another golden set, index or list of measures"):
        swept(tmp_path / "s", points(), ("AP",))
    tagged = replace(hybrid(), scope=Scope(tags={"lang": ("en",)}))
    with pytest.raises(UsageError, match="within other tags"):
        asyncio.run(run_sweep(tagged, GOLDEN, points(), SWEPT, tmp_path / "s"))
    asyncio.run(run_sweep(tagged, GOLDEN, points(), SWEPT, tmp_path / "tagged"))
    with pytest.raises(UsageError, match="within other tags"):
        swept(tmp_path / "tagged", points())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("precious")
    with pytest.raises(UsageError, match="is not empty, and it does not have a sweep"):
        swept(tmp_path / "full", points())


def test_a_sweep_without_a_question_to_tune_by_is_refused(tmp_path: Path) -> None:
    for share in (-5.0, float("nan"), 0.0, 1.5):
        with pytest.raises(UsageError, match="share of questions to tune by"):
            asyncio.run(
                run_sweep(hybrid(), GOLDEN, points(), SWEPT, tmp_path / "s", tune_share=share)
            )
    with pytest.raises(UsageError, match="none of the 3 judged questions of tiny"):
        asyncio.run(run_sweep(hybrid(), GOLDEN, points(), SWEPT, tmp_path / "s", tune_share=1e-9))
    assert not (tmp_path / "s").exists()


def test_only_points_that_nothing_beats_lie_on_a_front(tmp_path: Path) -> None:
    table = swept(tmp_path / "s", points())

    def beats(one: Row, other: Row) -> bool:
        better = one.tune["nDCG@10"] >= other.tune["nDCG@10"] and one.tokens <= other.tokens
        return better and (one.tune["nDCG@10"], one.tokens) != (other.tune["nDCG@10"], other.tokens)

    for row in table.rows:
        assert ("tokens" in row.best_for) == (not any(beats(one, row) for one in table.rows))


def test_a_question_never_changes_sides() -> None:
    sides = [is_tune(f"q{number}", 0.5) for number in range(1000)]
    assert 430 < sum(sides) < 570
    assert sides == [is_tune(f"q{number}", 0.5) for number in range(1000)]
    smaller = [is_tune(f"q{number}", 0.2) for number in range(1000)]
    assert all(side for side, small in zip(sides, smaller, strict=True) if small)
