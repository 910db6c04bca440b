"""Is the evidence good enough to be shown as an answer?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from pincite.errors import ConfigError
from pincite.model import Gated, Notice, SignalKind, SignalName, Verdict, VerdictLevel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pincite.model import Candidate

GateSignal = Literal["auto", "reranked", "coverage", "dense"]
_LEVELS: Final[tuple[VerdictLevel, ...]] = ("none", "weak", "grounded")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """`grounded` from `grounded_at` on, `weak` from `weak_at` on, below that `none`. `calibrated`
    says that both come from a golden set of the corpus."""

    grounded_at: float
    weak_at: float
    calibrated: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.weak_at <= self.grounded_at:
            raise ConfigError(
                f"gate thresholds are weak_at {self.weak_at} and grounded_at {self.grounded_at};"
                " they must not be negative, and weak_at must not be above grounded_at"
            )


@dataclass(frozen=True, slots=True)
class GateConfig:
    """One pair of thresholds per signal and kind, so that none is ever applied to another scale.

    `signal`: judge on this one; `auto` takes the first of reranked probability, coverage and
    dense cosine that the candidates have.

    Measured on eleven tasks of on-topic and off-topic questions, MiniLM (docs/decisions/0004):

    - `coverage_normalised`: none below .37 refuses 94 % of off-topic and .7 % of on-topic
      questions; .43 parts 98 % of the one from 96 % of the other. Chosen with each task left
      out: balanced accuracy .975, against .954 for the best cosine.
    - `coverage_share` (lexical): below .30 49 % and 6 %, below .50 87 % and 18 %. Words alone
      cannot do better where questions are long or prose asks for code.
    - `dense_cosine`: below .35 85 % and 1 %, below .45 97 % and 7 %.
    """

    signal: GateSignal = "auto"
    coverage_normalised: Thresholds = field(default_factory=lambda: Thresholds(0.43, 0.37))
    coverage_share: Thresholds = field(default_factory=lambda: Thresholds(0.5, 0.3))
    dense_cosine: Thresholds = field(default_factory=lambda: Thresholds(0.45, 0.35))
    # guess, unmeasured: no cross-encoder was at hand
    reranked_probability: Thresholds = field(default_factory=lambda: Thresholds(0.5, 0.2))

    def thresholds(self, signal: SignalName, kind: SignalKind) -> Thresholds | None:
        """The pair for a signal of that kind, None if there is none."""
        match signal, kind:
            case "reranked", "probability":
                return self.reranked_probability
            case "coverage", "normalised":
                return self.coverage_normalised
            case "coverage", "share":
                return self.coverage_share
            case "dense", "cosine":
                return self.dense_cosine
        return None


def gate(candidates: Sequence[Candidate], config: GateConfig) -> Gated:
    """The candidates as they came, and the verdict on the best value of one signal.

    Where collections give a signal in two kinds, each is judged by its own thresholds and the
    better verdict counts. Where `auto` finds nothing with a scale, the verdict is `weak` and a
    notice says so; a signal that is asked for by name and cannot be judged raises ConfigError.
    """
    if not candidates:
        nothing = config.coverage_share
        reason = "Nothing was found."
        return Gated((), _verdict("none", "coverage", "share", 0.0, nothing, reason))
    order: tuple[SignalName, ...] = ("reranked", "coverage", "dense")
    for name in order if config.signal == "auto" else (config.signal,):
        verdicts = [
            _judge(name, kind, value, thresholds)
            for kind, value in _best(candidates, name).items()
            if (thresholds := config.thresholds(name, kind)) is not None
        ]
        if verdicts:
            best = max(verdicts, key=lambda v: (_LEVELS.index(v.level), v.kind))
            return Gated(tuple(candidates), best)
    if config.signal == "auto":
        return _unjudged(candidates)
    present = sorted({f"{s.name} ({s.kind})" for one in candidates for s in one.signals})
    raise ConfigError(
        f"gate.signal is {config.signal!r}, but the candidates have only {', '.join(present)},"
        " and there are no thresholds for that",
        hint="set gate.signal = auto",
    )


def _unjudged(candidates: Sequence[Candidate]) -> Gated:
    last = candidates[0].rank_signal
    reason = f"The scores at hand ({last.name}, {last.kind}) have no scale to judge by."
    verdict = _verdict("weak", last.name, last.kind, last.value, Thresholds(0, 0), reason)
    return Gated(tuple(candidates), verdict, (Notice("not_judged", reason),))


def _best(candidates: Sequence[Candidate], name: SignalName) -> dict[SignalKind, float]:
    """The highest value of a signal, by kind."""
    best: dict[SignalKind, float] = {}
    for candidate in candidates:
        signal = candidate.signal(name)
        if signal is not None:
            best[signal.kind] = max(signal.value, best.get(signal.kind, signal.value))
    return best


def _judge(name: SignalName, kind: SignalKind, value: float, at: Thresholds) -> Verdict:
    what = f"{name} of the best passage is {value:.2f}"
    if value >= at.grounded_at:
        reason = f"The {what}, at or above {at.grounded_at:.2f}, where evidence is good."
        return _verdict("grounded", name, kind, value, at, reason)
    if value >= at.weak_at:
        reason = f"The {what}, below {at.grounded_at:.2f}, where evidence begins to be good."
        return _verdict("weak", name, kind, value, at, reason)
    reason = f"The {what}, below {at.weak_at:.2f}, where questions are mostly off topic."
    return _verdict("none", name, kind, value, at, reason)


def _verdict(
    level: VerdictLevel,
    name: SignalName,
    kind: SignalKind,
    value: float,
    at: Thresholds,
    reason: str,
) -> Verdict:
    return Verdict(level, name, kind, value, at.grounded_at, at.weak_at, at.calibrated, reason)
