"""One number that shifts a hybrid search between its sides."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Ranking
from pincite.profile import Profile
from pincite.stages.fuse import FuseConfig, FuseMethod, fuse, shifted
from pincite.stages.retrieve import RetrieveConfig
from tests.stages.rankings import DENSE, METHODS, SPARSE, ranked, values

ROUNDING = 1e-15


@pytest.mark.parametrize("method", METHODS)
def test_a_vector_weight_of_one_half_changes_nothing(method: FuseMethod) -> None:
    assert values(method, DENSE, SPARSE, vector_weight=0.5) == values(method, DENSE, SPARSE)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("weight", "only"), [(1.0, DENSE), (0.0, SPARSE)])
def test_a_vector_weight_of_one_or_none_leaves_one_side(
    method: FuseMethod, weight: float, only: Ranking
) -> None:
    config = FuseConfig(method=method, vector_weight=weight)
    lone = ranked("dense" if only is SPARSE else "sparse", ("z", 0.7), ("a", 0.2))
    found = fuse((only, lone), config)
    assert [one.id for one in found] == [hit.id for hit in only.hits]  # and no z
    assert found[-1].id != "z"
    of_a = next(one for one in found if one.id == "a")
    assert {signal.name for signal in of_a.signals} == {"dense", "sparse", "fused"}


def test_a_vector_weight_shifts_the_odds_of_the_sides() -> None:
    assert shifted(0.5, 0.7) == pytest.approx(0.7)
    assert shifted(0.7, 0.5) == pytest.approx(0.7)
    assert shifted(0.75, 0.75) == pytest.approx(9 / 10)  # odds of 3 and 3 make odds of 9
    assert shifted(0.2, 0.0) == 0
    assert shifted(0.2, 1.0) == 1
    assert values("rrf", DENSE, SPARSE, vector_weight=0.75) == pytest.approx(
        {"a": 1.5 / 61 + 0.5 / 62, "b": 1.5 / 62 + 0.5 / 63, "c": 1.5 / 63 + 0.5 / 61}
    )


@example(0.7, 0.417, 1.2e-16)
@given(st.floats(0, 1), st.floats(0.001, 0.998), st.floats(0, 0.001))
def test_more_vector_weight_is_never_less(weight: float, low: float, more: float) -> None:
    assert 0 <= shifted(weight, low) <= shifted(weight, low + more) + ROUNDING <= 1 + ROUNDING


def test_an_engine_that_fuses_knows_no_weights() -> None:
    with pytest.raises(ConfigError, match="fuses without weights"):
        Profile(retrieve=RetrieveConfig(engine_fusion="rrf"), fuse=FuseConfig(vector_weight=0.7))
