"""Decide whether another pass is worthwhile, and which one."""

from __future__ import annotations

import msgspec

from pincite.model import Chosen, Gated, Notice, Pass, Query
from pincite.support.fields import replace
from pincite.support.ranges import require_range


class NextPassConfig(msgspec.Struct, frozen=True):
    """`few`: use the expansions if there are fewer candidates, or if the verdict is not `grounded`.
    `widen`: fetch more of a kind of source with too few results. `define`: if the verdict is
    `none`, search for definitions of the question's names."""

    few: int = 12
    widen: bool = True
    define: bool = True

    def __post_init__(self) -> None:
        require_range(self, "again", "few", least=0)


def next_pass(
    done: Pass, query: Query, gated: Gated, chosen: Chosen, config: NextPassConfig
) -> Pass | None:
    """Return the next pass, None if the results are sufficient or nothing is left to try.

    First, the expansions are used once, if there are any and the candidates are few or the verdict
    is not `grounded`. If the verdict is `none` and the question has names, their definitions are
    also searched once: a question for a name in the index is on topic, however short it is. Then
    each kind of source with too few results is widened once.
    """
    poor = len(gated.candidates) < config.few or gated.verdict.level != "grounded"
    expanded = poor and bool(query.expansions) and not done.expanded
    wanted = config.define and bool(query.sought)
    defining = gated.verdict.level == "none" and wanted and not done.defining
    if expanded or defining:
        return replace(done, expanded=done.expanded or expanded, defining=done.defining or defining)
    narrow = chosen.short - done.widened
    if config.widen and narrow:
        return replace(done, widened=done.widened | narrow)
    return None


def within_budget(
    following: Pass | None, spent_ms: float, begun_ms: float, budget_ms: float | None
) -> tuple[Notice, ...]:
    """Return the notice that the budget has no time for another pass; () if it has time or no pass
    follows. A pass is expected to take as long as the last one, which began at `begun_ms`."""
    if following is None or budget_ms is None or spent_ms + (spent_ms - begun_ms) <= budget_ms:
        return ()
    said = (
        f"there was no second pass ({following.name}): {spent_ms:.0f} of {budget_ms:.0f} ms"
        " were spent"
    )
    return (Notice("budget_no_second_pass", said),)
