"""Documentation and code side by side, and the passes that it may take."""

from __future__ import annotations

import pytest

from pincite.errors import ConfigError
from pincite.model import (
    Candidate,
    Chosen,
    Expansion,
    Gated,
    Pass,
    Pool,
    Query,
    SourceType,
    Verdict,
    VerdictLevel,
)
from pincite.stages.next_pass import NextPassConfig, next_pass
from pincite.stages.select import SelectConfig, citable, select
from pincite.support.fields import replace
from tests.builders import candidate

BOTH: frozenset[SourceType] = frozenset(("docs", "code"))
CONFIG = SelectConfig(results=4, docs=3, code=3)  # 3 of 12 are 1 of 4


def gated(*parts: tuple[SourceType, float], level: VerdictLevel = "grounded") -> Gated:
    """Candidates with these fused scores; the verdict is on `fused`, weak from .3 on."""
    verdict = Verdict(level, "fused", "normalised", 0.9, 0.6, 0.3, False, "because")
    found = [
        candidate(f"{kind}{n}", score, source_type=kind) for n, (kind, score) in enumerate(parts)
    ]
    return Gated(tuple(found), verdict)


def kinds(chosen: Chosen) -> list[str]:
    return [one.chunk.source_type for one in chosen.candidates]


DOCS: list[tuple[SourceType, float]] = [("docs", 0.9 - n / 100) for n in range(5)]
DOCS_FIRST = gated(*DOCS, ("code", 0.5), ("code", 0.4))


@pytest.mark.parametrize("mode", ["build", "debug", "refactor"])
def test_a_missing_kind_takes_the_lowest_places(mode: str) -> None:
    chosen = select(DOCS_FIRST, CONFIG, mode, BOTH)  # type: ignore[arg-type]
    assert kinds(chosen) == ["docs", "docs", "docs", "code"]
    assert chosen.candidates[-1].rank_signal.value == 0.5
    assert chosen.short == frozenset()


def test_nothing_is_mixed_where_it_is_not_asked_for_or_not_there() -> None:
    assert kinds(select(DOCS_FIRST, CONFIG, "explain", BOTH)) == ["docs"] * 4
    assert kinds(select(DOCS_FIRST, CONFIG, "build", frozenset(("docs",)))) == ["docs"] * 4
    assert kinds(select(DOCS_FIRST, SelectConfig(results=4), "build", BOTH)) == ["docs"] * 4


def test_a_quota_is_never_filled_with_what_is_below_the_floor() -> None:
    below = gated(*DOCS, ("code", 0.29))
    chosen = select(below, CONFIG, "build", BOTH)
    assert kinds(chosen) == ["docs"] * 4
    assert chosen.short == {"code"}
    assert [notice.code for notice in chosen.notices] == ["coverage_unmet"]
    assert "0 of 1 wanted results of kind code" in chosen.notices[0].message


def test_never_more_than_asked_and_one_kind_never_takes_the_places_of_another_in_need() -> None:
    config = SelectConfig(results=2, docs=6, code=6)
    chosen = select(gated(("docs", 0.9), ("docs", 0.8), ("code", 0.7)), config, "build", BOTH)
    assert kinds(chosen) == ["docs", "code"]
    with pytest.raises(ConfigError, match="12"):
        SelectConfig(docs=7, code=6)


def test_a_kind_that_is_short_is_looked_for_in_the_buffer_only() -> None:
    # the buffer of 18 for twelve results is one of 6 for four; the code is the sixth
    sixth = gated(*((("docs", 0.9),) * 5), ("code", 0.7))
    seventh = gated(*((("docs", 0.9),) * 6), ("code", 0.7))
    config = SelectConfig(results=4, code=3, buffer=18)
    found = select(sixth, config, "build", BOTH)
    assert kinds(found) == ["docs", "docs", "docs", "code"]
    assert not found.short
    beyond = select(seventh, config, "build", BOTH)
    assert kinds(beyond) == ["docs"] * 4
    assert beyond.short == {"code"}
    assert kinds(select(seventh, replace(config, buffer=0), "build", BOTH))[-1] == "code"
    with pytest.raises(ConfigError, match="must be at least that"):
        SelectConfig(buffer=11)


def test_documentation_without_an_address_can_be_left_out() -> None:
    homeless: Candidate = candidate("a", 0.9)
    housed = candidate("b", 0.8, url="https://example.org/b")
    code = candidate("c", 0.7, source_type="code")
    everything = Pool((homeless, housed, code))
    left = citable(everything, SelectConfig(need_url=True))
    assert [one.chunk.path for one in left.candidates] == ["docs/b.md", "docs/c.md"]
    assert left.dropped[0].reason == "documentation without an address"
    assert [notice.code for notice in left.notices] == ["url_required"]
    assert left.notices[0].message.startswith("1 of 3 candidates")
    assert citable(everything, SelectConfig()) is everything
    assert citable(left, SelectConfig(need_url=True)) is left


def expanded(*texts: str) -> Query:
    return Query("q", expansions=tuple(Expansion(text) for text in texts))


ENOUGH = gated(*DOCS[:3])
FINE = Chosen(ENOUGH.candidates)
LACKING = Chosen(ENOUGH.candidates, short=frozenset(("code",)))
CALM = NextPassConfig(few=3)


def test_a_good_first_pass_is_the_only_one() -> None:
    assert next_pass(Pass(), expanded("more"), ENOUGH, FINE, CALM) is None


def test_few_candidates_or_a_weak_verdict_ask_the_other_wordings_once() -> None:
    weak = gated(*DOCS[:3], level="weak")
    for poor, config in ((weak, CALM), (ENOUGH, NextPassConfig(few=4))):
        following = next_pass(Pass(), expanded("more"), poor, FINE, config)
        assert following == Pass(expanded=True)
        assert next_pass(Pass(expanded=True), expanded("more"), poor, FINE, config) is None
        assert next_pass(Pass(), expanded(), poor, FINE, config) is None


def test_a_kind_that_is_short_is_widened_once() -> None:
    following = next_pass(Pass(), expanded(), ENOUGH, LACKING, CALM)
    assert following == Pass(widened=frozenset(("code",)))
    assert following.name == "widened code"
    assert next_pass(following, expanded(), ENOUGH, LACKING, CALM) is None
    assert (
        next_pass(Pass(), expanded(), ENOUGH, LACKING, NextPassConfig(few=3, widen=False)) is None
    )
