"""Put those candidates first that the question asks for: definitions of a name, or changelogs."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Candidate, Signal
from pincite.stages.rank_code.paths import is_changelog, wants_changes


def in_front(meant: Sequence[Candidate], candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates with those that are `meant` before the others. All that change places
    exchange their scores."""
    places = {(one.collection, one.chunk.id): place for place, one in enumerate(meant)}
    order = sorted(
        candidates, key=lambda one: places.get((one.collection, one.chunk.id), len(places))
    )
    return tuple(
        one
        if one is before
        else one.with_signal(Signal("ranked", one.rank_signal.kind, before.rank_signal.value))
        for one, before in zip(order, candidates, strict=True)
    )


def changelogs_first(
    question: str, candidates: Sequence[Candidate], unasked: float
) -> tuple[Candidate, ...]:
    """Return the candidates, best first. If the question asks what changed, or when, the scores of
    all but changelogs are multiplied by `unasked` (above 0, up to 1), and so is their signal
    `prior`. Without a changelog among them, or with a factor of 1, nothing changes."""
    if unasked == 1 or not wants_changes(question):
        return tuple(candidates)
    known = [_is_changelog(one) for one in candidates]
    if not any(known):
        return tuple(candidates)
    scored = (
        one if is_one else _lowered(one, unasked)
        for one, is_one in zip(candidates, known, strict=True)
    )
    return tuple(sorted(scored, key=lambda one: one.rank_key))


def _is_changelog(one: Candidate) -> bool:
    return one.chunk.source_type != "code" and is_changelog(one.chunk.path)


def _lowered(one: Candidate, factor: float) -> Candidate:
    prior, rank = one.signal("prior"), one.rank_signal
    lowered = Signal("prior", "share", factor * (prior.value if prior else 1.0))
    value = min(rank.value, rank.value * factor)  # some fusions have negative scores
    return one.with_signal(lowered, Signal("ranked", rank.kind, value))
