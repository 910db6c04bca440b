"""How many are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pincite.errors import ConfigError
from pincite.model import Candidate, Drop, Gated, Notice, Pool


@dataclass(frozen=True, slots=True)
class SelectConfig:
    """`results`: at most so many. `on_none`: what to do where the verdict is `none`: `drop` shows
    nothing, `keep` shows the nearest all the same. `per_document` caps the chunks of one document,
    0 does not."""

    results: int = 12
    on_none: Literal["drop", "keep"] = "drop"
    per_document: int = 0

    def __post_init__(self) -> None:
        if self.results < 1:
            raise ConfigError(f"select.results is {self.results}; it must be at least 1")
        if self.per_document < 0:
            raise ConfigError(
                f"select.per_document is {self.per_document}; it must not be negative"
            )
        if self.on_none not in ("drop", "keep"):
            raise ConfigError(f"select.on_none is {self.on_none!r}; use drop or keep")


def select(gated: Gated, config: SelectConfig) -> Pool:
    """The best candidates, in order."""
    chosen: list[Candidate] = []
    dropped: list[Drop] = []
    taken: dict[tuple[str, str, str], int] = {}
    for candidate in gated.candidates:
        chunk = candidate.chunk
        document = (candidate.collection, chunk.repo, chunk.path)
        reason = ""
        if gated.verdict.level == "none" and config.on_none == "drop":
            reason = "the verdict is none"
        elif config.per_document and taken.get(document, 0) >= config.per_document:
            reason = f"more than {config.per_document} of {chunk.path}"
        elif len(chosen) >= config.results:
            reason = f"below the best {config.results}"
        if reason:
            dropped.append(Drop(chunk.candidate_id, reason))
        else:
            taken[document] = taken.get(document, 0) + 1
            chosen.append(candidate)
    notices: tuple[Notice, ...] = ()
    if gated.candidates and not chosen:
        notices = (
            Notice(
                "nothing_relevant",
                f"{len(gated.candidates)} candidates were found and none is good enough to show;"
                " to see the nearest all the same: pincite search --all",
            ),
        )
    return Pool(tuple(chosen), tuple(dropped), notices)
