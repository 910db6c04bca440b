from __future__ import annotations

from typing import Any

import msgspec
import pytest
from bench.source_code.ablation import VARIANTS, AblationFigures, Asked, Change, ablation

from pincite.deps import Deps
from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig
from pincite.support.fields import replace
from tests.builders import chunk


@pytest.mark.parametrize("label", VARIANTS)
def test_every_part_that_is_left_out_is_one_that_there_is(label: str) -> None:
    changes: dict[str, Any] = dict(VARIANTS[label].changes)
    assert replace(RankCodeConfig(), **changes) != RankCodeConfig() or VARIANTS[label].pool


def test_leaving_out_a_part_changes_what_an_order_is_worth() -> None:
    def one(name: str, score: float, path: str) -> Candidate:
        found = chunk(name, id=name, path=path, source_type="code")
        return Candidate("main", found, (Signal("fused", "normalised", score),))

    asked = Asked(
        prepare(Question("the retry policy"), PrepareConfig()),
        (one("x", 1.0, "engine.py"), one("a", 0.8, "retry_policy.py")),
        Deps((), informative_terms("english"), lambda _: "english"),
        lambda order: float(order[0].chunk.path == "retry_policy.py"),
    )
    assert asked.value(RankCodeConfig(), 0) == 1.0
    assert asked.value(RankCodeConfig(covered=0.0, asked=0.0), 0) == 0.0
    assert asked.value(RankCodeConfig(), 1) == 0.0, "one candidate alone is left"


def test_the_table_has_a_row_for_each_part_and_a_column_for_each_set() -> None:
    moved = {label: Change(-0.0123, -0.02, -0.001) for label in VARIANTS}
    still = {label: Change(0.0, 0.0, 0.0) for label in VARIANTS}
    figures = AblationFigures({"code": 0.9, "cosqa-dev": 0.6}, {"code": 361, "cosqa-dev": 500}, {})
    figures.changes.update({"code": moved, "cosqa-dev": still})
    page = ablation(msgspec.to_builtins(figures))
    assert "code 361, cosqa-dev 500" in page
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert len(rows) == 3 + len(VARIANTS)
    assert "-0.0123 (-0.020 to -0.001)" in rows[-1]
    assert rows[-1].split("|")[3].strip() == "0"
    del figures.changes["code"]["`covered`"]
    assert "`covered`" not in ablation(msgspec.to_builtins(figures))
