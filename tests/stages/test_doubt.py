from __future__ import annotations

import pytest

from pincite.errors import ConfigError
from pincite.model import Gated, SignalKind, SignalName, Verdict, VerdictLevel
from pincite.stages.gate import GateConfig, doubt, may_doubt
from pincite.support.fields import replace

CONFIG = GateConfig(absent_share=0.6, absent_normalised=0.55)
ABOUT = Verdict("grounded", "coverage", "share", 0.45, 0.4, 0.25, False, "about it", "measured")


def test_with_a_model_it_has_a_limit_of_its_own() -> None:
    gated = Gated((), replace(ABOUT, kind="normalised", value=0.54))
    verdict = doubt(gated, ("Facebook",), CONFIG).verdict
    assert (verdict.level, verdict.grounded_at) == ("weak", 0.55)
    assert not may_doubt(replace(ABOUT, kind="normalised", value=0.55), CONFIG)


def test_by_words_alone_an_absent_word_makes_the_verdict_weak() -> None:
    verdict = doubt(Gated((), ABOUT), ("Facebook",), CONFIG).verdict
    assert (verdict.level, verdict.value, verdict.grounded_at) == ("weak", 0.45, 0.6)
    assert verdict.reason == (
        "The best passage has 45 % of the question's words, weighted by rarity, and “Facebook”"
        " occurs nowhere; below 60 %, it may be about something else."
    )
    several = doubt(Gated((), ABOUT), ("a1", "b2", "c3", "d4"), CONFIG).verdict.reason
    assert "“a1”, “b2”, “c3” occur nowhere" in several


@pytest.mark.parametrize("value", [0.6, 0.9])
def test_enough_other_words_keep_it(value: float) -> None:
    gated = Gated((), replace(ABOUT, value=value))
    assert doubt(gated, ("Facebook",), CONFIG) is gated


def test_it_is_kept_if_every_word_occurs() -> None:
    gated = Gated((), ABOUT)
    assert doubt(gated, (), CONFIG) is gated
    assert doubt(gated, ("Facebook",), GateConfig(absent_share=0)) is gated


@pytest.mark.parametrize(
    ("level", "signal", "kind", "calibrated"),
    [
        ("weak", "coverage", "share", False),
        ("none", "coverage", "share", False),
        ("grounded", "dense", "cosine", False),
        ("grounded", "coverage", "share", True),
    ],
)
def test_other_verdicts_are_kept(
    level: VerdictLevel, signal: SignalName, kind: SignalKind, calibrated: bool
) -> None:
    verdict = replace(ABOUT, level=level, signal=signal, kind=kind, calibrated=calibrated)
    gated = Gated((), verdict)
    assert not may_doubt(verdict, CONFIG)
    assert doubt(gated, ("Facebook",), CONFIG) is gated


@pytest.mark.parametrize("limit", [-0.1, 1.1])
@pytest.mark.parametrize("name", ["absent_share", "absent_normalised"])
def test_a_limit_lies_between_nothing_and_everything(name: str, limit: float) -> None:
    with pytest.raises(ConfigError, match=rf"gate\.{name}"):
        replace(CONFIG, **{name: limit})
