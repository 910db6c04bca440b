"""The verdict over the candidates of a search: are they good enough?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from pincite.model.retrieval import Candidate, Notice, SignalKind, SignalName

VerdictLevel = Literal["grounded", "weak", "none"]
#: Origin of the thresholds: measured on public collections, learned on a golden set of the corpus,
#: or neither.
ThresholdOrigin = Literal["measured", "calibrated", "assumed"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement whether the evidence is good enough, by one named signal of a known kind.

    `thresholds` is the origin of `grounded_at` and `weak_at`. `calibrated` says whether they were
    learned on a golden set of this corpus.
    """

    level: VerdictLevel
    signal: SignalName
    kind: SignalKind
    value: float
    grounded_at: float
    weak_at: float
    calibrated: bool
    reason: str
    thresholds: ThresholdOrigin = "assumed"


class Gated(msgspec.Struct, frozen=True):
    """Candidates that may be shown, best first, and the verdict over them."""

    candidates: tuple[Candidate, ...]
    verdict: Verdict
    notices: tuple[Notice, ...] = ()


class AbsentTerms(msgspec.Struct, frozen=True):
    """Informative terms of the question, verbatim, that occur nowhere: neither in the searched part
    of the index (`index`), nor in the shown passages (`evidence`)."""

    index: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


NOTHING_ABSENT: Final = AbsentTerms()
