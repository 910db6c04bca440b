"""Is another try worth it, and which?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pincite.errors import ConfigError
from pincite.model import Chosen, Gated, Notice, Pass, Query


@dataclass(frozen=True, slots=True)
class NextPassConfig:
    """`few`: with fewer candidates the expansions are asked, as with a verdict that is not
    `grounded`. `widen`: fetch more of a kind of source of which too little is shown. `define`: look
    for what defines the names of the question where the verdict is `none`."""

    few: int = 12
    widen: bool = True
    define: bool = True

    def __post_init__(self) -> None:
        if self.few < 0:
            raise ConfigError(f"again.few is {self.few}; it must not be negative")


def next_pass(
    done: Pass, query: Query, gated: Gated, chosen: Chosen, config: NextPassConfig
) -> Pass | None:
    """The next try, None if what there is will do or nothing is left to try.

    First the expansions, once, if there are any and the candidates are few or the verdict is not
    `grounded`; and where it is `none` and the question has names, what defines them: a name of the
    index is not off topic, however few words go with it. Then each kind of source that is short is
    widened, once.
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
    """The notice that there is no time for another pass, which takes about as long as the last,
    begun when `begun_ms` were spent; () if there is, or if none follows."""
    if following is None or budget_ms is None or spent_ms + (spent_ms - begun_ms) <= budget_ms:
        return ()
    said = f"no other pass ({following.name}): {spent_ms:.0f} of {budget_ms:.0f} ms were spent"
    return (Notice("budget_no_second_pass", said),)
