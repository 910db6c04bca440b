"""Is another try worth it, and which?"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pincite.errors import ConfigError
from pincite.model import Chosen, Gated, Pass, Query


@dataclass(frozen=True, slots=True)
class AgainConfig:
    """`few`: with fewer candidates the expansions are asked, as with a verdict that is not
    `grounded`. `widen`: fetch more of a kind of source of which too little is shown."""

    few: int = 12
    widen: bool = True

    def __post_init__(self) -> None:
        if self.few < 0:
            raise ConfigError(f"again.few is {self.few}; it must not be negative")


def again(
    done: Pass, query: Query, gated: Gated, chosen: Chosen, config: AgainConfig
) -> Pass | None:
    """The next try, None if what there is will do or nothing is left to try.

    First the expansions, once, if there are any and the candidates are few or the verdict is not
    `grounded`; then each kind of source that is short is widened, once.
    """
    poor = len(gated.candidates) < config.few or gated.verdict.level != "grounded"
    if poor and query.expansions and not done.expanded:
        return replace(done, expanded=True)
    narrow = chosen.short - done.widened
    if config.widen and narrow:
        return replace(done, widened=done.widened | narrow)
    return None
