"""Select the results: their number, and their kinds of sources."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Literal

import msgspec

from pincite.errors import ConfigError
from pincite.model import (
    Candidate,
    Chosen,
    Drop,
    Gated,
    Notice,
    Pool,
    SourceType,
    TaskMode,
    Verdict,
)
from pincite.support.counted import counted
from pincite.support.fields import replace
from pincite.support.ranges import require_one_of, require_range

_IMPLEMENTING: tuple[TaskMode, ...] = ("build", "debug", "refactor")


class SelectConfig(msgspec.Struct, frozen=True):
    """`results`: the maximum number of results. `on_none`: what to show for the verdict `none`:
    `drop` shows no result and the `closest` passages separately; `keep` shows the nearest passages
    as results. `per_document`: the maximum chunks of one document, 0 for no limit.

    `docs` and `code`: in the modes build, debug and refactor, the minimum of each among twelve
    results (fewer in proportion), as far as enough are relevant. `buffer`: the number of top
    candidates to search for them, also for twelve results; 0 for all. `need_url` leaves out
    documentation without an address before the verdict.
    """

    results: int = 5
    on_none: Literal["drop", "keep"] = "drop"
    closest: int = 3
    per_document: int = 0
    docs: int = 0
    code: int = 0
    buffer: int = 0
    need_url: bool = False

    def __post_init__(self) -> None:
        require_range(self, "select", "results", least=1)
        numbers = ("closest", "per_document", "docs", "code", "buffer")
        require_range(self, "select", *numbers, least=0)
        require_one_of(self, "select", on_none=("drop", "keep"))
        if self.buffer and self.buffer < _OF:
            raise ConfigError(
                f"select.buffer is {self.buffer}; it counts candidates for {_OF} results, so"
                " it must be at least that",
                hint=f"use {_OF} or more, or 0 for no limit",
            )
        if self.docs + self.code > _OF:
            raise ConfigError(
                f"select.docs and select.code are shares of {_OF}; they add up to more",
                keys=("select.docs", "select.code"),
            )


_RESERVE = 3  # times the results; merging uses a third of them in the median  # guess, unmeasured
_OF = 12  # the number of results that `docs`, `code` and `buffer` refer to


def citable(pool: Pool, config: SelectConfig) -> Pool:
    """Return the pool without documentation that has no address, if `need_url` is set. Such
    documentation is not reranked and does not affect the verdict. The notice `url_required` gives
    the number of candidates left out."""
    if not config.need_url:
        return pool
    left_out = [one for one in pool.candidates if _homeless(one)]
    if not left_out:
        return pool
    why = "documentation without an address"
    said = (
        f"{len(left_out)} of {len(pool.candidates)} candidates were left out: they are {why}"
        " (select.need_url); give their source a URL rule"
    )
    return replace(
        pool,
        candidates=tuple(one for one in pool.candidates if not _homeless(one)),
        dropped=(*pool.dropped, *(Drop(one.chunk.candidate_id, why) for one in left_out)),
        notices=(*pool.notices, Notice("url_required", said)),
    )


def _homeless(one: Candidate) -> bool:
    return one.chunk.source_type == "docs" and not one.chunk.url


def select(
    gated: Gated,
    config: SelectConfig,
    mode: TaskMode = "explain",
    kinds: frozenset[SourceType] = frozenset(),
    *,
    spare: bool = False,
) -> Chosen:
    """Select the best candidates, in order. `kinds` are the searched kinds of sources; those with
    too few results are `short`. With `spare`, the next candidates are kept in reserve, up to
    `_RESERVE` times the results.

    A kind with too few results replaces the lowest results of kinds with more than they need. It
    uses its best candidates that reach the verdict's lower threshold.
    """
    dropped: list[Drop] = []
    eligible: list[Candidate] = []
    taken: dict[tuple[str, str, str], int] = {}
    for candidate in gated.candidates:
        reason = _refusal(candidate, gated.verdict, config, taken)
        if reason:
            dropped.append(Drop(candidate.chunk.candidate_id, reason))
        else:
            eligible.append(candidate)
    wanted = _wanted(config, mode, kinds)
    depth = ceil(config.results * config.buffer / _OF) if config.buffer else len(eligible)
    chosen = _mix(eligible[:depth], wanted, config.results, gated.verdict)
    shown = set(chosen)
    below = f"below the best {config.results}"
    left = [one for n, one in enumerate(eligible) if n not in shown]
    reserve = tuple(left[: _RESERVE * config.results]) if spare else ()
    dropped += [Drop(one.chunk.candidate_id, below) for one in left[len(reserve) :]]
    result = tuple(eligible[n] for n in chosen)
    counts = {kind: sum(one.chunk.source_type == kind for one in result) for kind in wanted}
    short = frozenset(kind for kind, least in wanted.items() if result and counts[kind] < least)
    closest = _closest(gated, config)
    said = _notices(gated, result, closest, short, counts, wanted)
    return Chosen(result, tuple(dropped), said, reserve, short, closest)


def _closest(gated: Gated, config: SelectConfig) -> tuple[Candidate, ...]:
    """Return the best candidates that the verdict hides."""
    if gated.verdict.level != "none" or config.on_none == "keep":
        return ()
    return gated.candidates[: min(config.closest, config.results)]


def _refusal(
    candidate: Candidate,
    verdict: Verdict,
    config: SelectConfig,
    taken: dict[tuple[str, str, str], int],
) -> str:
    chunk = candidate.chunk
    if verdict.level == "none" and config.on_none == "drop":
        return "the verdict is none"
    document = (candidate.collection, chunk.repo, chunk.path or chunk.url or chunk.id)
    if config.per_document and taken.get(document, 0) >= config.per_document:
        return f"more than {config.per_document} of {chunk.path}"
    taken[document] = taken.get(document, 0) + 1
    return ""


def _wanted(
    config: SelectConfig, mode: TaskMode, kinds: frozenset[SourceType]
) -> dict[SourceType, int]:
    """Return the minimum number of each kind, for the configured number of results."""
    if mode not in _IMPLEMENTING:
        return {}
    asked: tuple[tuple[SourceType, int], ...] = (("docs", config.docs), ("code", config.code))
    scaled = {kind: min(least, config.results * least // _OF) for kind, least in asked}
    return {kind: least for kind, least in scaled.items() if least and kind in kinds}


def _mix(
    eligible: Sequence[Candidate], wanted: dict[SourceType, int], results: int, verdict: Verdict
) -> list[int]:
    """Return positions in `eligible`, ascending."""
    chosen = list(range(min(results, len(eligible))))
    for kind, least in wanted.items():
        have = sum(eligible[n].chunk.source_type == kind for n in chosen)
        spare = [
            n
            for n in range(len(chosen), len(eligible))
            if eligible[n].chunk.source_type == kind and _relevant(eligible[n], verdict)
        ]
        for newcomer in spare[: max(0, least - have)]:
            leaver = _leaver(eligible, chosen, wanted, kind)
            if leaver is None:
                break
            chosen.remove(leaver)
            chosen.append(newcomer)
    return sorted(chosen)


def _leaver(
    eligible: Sequence[Candidate],
    chosen: Sequence[int],
    wanted: dict[SourceType, int],
    kind: SourceType,
) -> int | None:
    """Return the lowest result of another kind with more results than needed."""
    counts: dict[SourceType, int] = {}
    for n in chosen:
        of = eligible[n].chunk.source_type
        counts[of] = counts.get(of, 0) + 1
    for n in sorted(chosen, reverse=True):
        of = eligible[n].chunk.source_type
        if of != kind and counts[of] > wanted.get(of, 0):
            return n
    return None


def _relevant(candidate: Candidate, verdict: Verdict) -> bool:
    """Does the candidate reach the threshold of a weak verdict?"""
    signal = candidate.signal(verdict.signal)
    return signal is not None and signal.kind == verdict.kind and signal.value >= verdict.weak_at


def _notices(
    gated: Gated,
    result: Sequence[Candidate],
    closest: Sequence[Candidate],
    short: frozenset[SourceType],
    counts: dict[SourceType, int],
    wanted: dict[SourceType, int],
) -> tuple[Notice, ...]:
    if gated.candidates and not result:
        count = len(gated.candidates)
        found = f"{counted(count, 'candidate')} {'was' if count == 1 else 'were'} found"
        rest = f"only the nearest {len(closest)} are shown" if closest else "to see the nearest"
        rest = f"; {rest}{', all with' if closest else ''}: pincite search --all"
        more = rest if count > len(closest) else ""
        return (Notice("nothing_relevant", f"{found}, but none is good enough as evidence{more}"),)
    return tuple(
        Notice(
            "coverage_unmet",
            f"{counts[kind]} of {wanted[kind]} wanted results of kind {kind}: no more are relevant",
        )
        for kind in sorted(short)
    )
