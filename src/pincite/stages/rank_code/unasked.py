"""Lower candidates of kinds that the question does not ask for, where code lies beside pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pincite.model import Candidate, Signal
from pincite.questions.changes import Changes
from pincite.stages.rank_code.paths import is_changelog, place_of
from pincite.stages.rank_code.priors import Priors


def lower_unasked(
    candidates: Iterable[Candidate], priors: Priors, power: float = 1.0
) -> list[Candidate]:
    """Return the candidates, best first. The scores of tests and changelogs are multiplied by their
    `priors` to this `power` (0..1), and so is their signal `prior`. Tests that alone define a name
    of the question have the prior 1 before, and stay as they are."""

    def factor(one: Candidate) -> float:
        if _is_changelog(one):
            return math.pow(priors.changelog, power)
        known = one.signal("prior")
        lowered = known is not None and known.value < 1 and place_of(one.chunk.path) == "tests"
        return math.pow(priors.tests, power) if lowered else 1.0

    return sorted((_lowered(one, factor(one)) for one in candidates), key=lambda one: one.rank_key)


def changelogs_first(
    asked: Changes, candidates: Sequence[Candidate], unasked: float
) -> tuple[Candidate, ...]:
    """Return the candidates, best first. If the question asks what changed, or when ("yes"), the
    scores of all but changelogs are multiplied by `unasked` (above 0, up to 1), and so is their
    signal `prior`. Without a changelog among them, or with a factor of 1, nothing changes."""
    if unasked == 1 or asked != "yes":
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
    if factor == 1:
        return one
    prior, rank = one.signal("prior"), one.rank_signal
    lowered = Signal("prior", "share", factor * (prior.value if prior else 1.0))
    value = min(rank.value, rank.value * factor)  # some fusions have negative scores
    return one.with_signal(lowered, Signal("ranked", rank.kind, value))
