"""Decide whether the evidence is on the subject of the question. No signal tells whether it answers
the question."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from pincite.errors import ConfigError
from pincite.model import (
    Gated,
    Notice,
    SignalKind,
    SignalName,
    ThresholdOrigin,
    Verdict,
    VerdictLevel,
)
from pincite.questions.versions import NO_VERSIONS, AskedVersions, PassageVersions
from pincite.support.fields import replace
from pincite.support.ranges import require_range

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pincite.model import Candidate

GateSignal = Literal["auto", "reranked", "coverage", "dense"]
_MOST_NAMED: Final = 3  # absent words in a reason
#: Sentences for the reason of a verdict, with a field for the value.
_MEASURES: Final[Mapping[tuple[SignalName, SignalKind], str]] = {
    ("coverage", "share"): "The best passage has {} of the question's words, weighted by rarity",
    ("coverage", "normalised"): "The best passage has a score of {} of 1 for meaning and words",
    ("dense", "cosine"): "The cosine of the best passage is {}",
    ("reranked", "probability"): "The reranker gives the best passage a probability of {}",
}
_LEVELS: Final[tuple[VerdictLevel, ...]] = ("none", "weak", "grounded")
_BY_MODEL: Final[frozenset[SignalKind]] = frozenset({"normalised", "cosine"})


class Thresholds(msgspec.Struct, frozen=True):
    """`grounded` at or above `grounded_at`, `weak` at or above `weak_at`, else `none`. `calibrated`
    is true if both come from a golden set of the corpus."""

    grounded_at: float
    weak_at: float
    calibrated: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.weak_at <= self.grounded_at:
            raise ConfigError(
                f"gate thresholds are weak_at {self.weak_at} and grounded_at {self.grounded_at};"
                " they must not be negative, and weak_at must not be above grounded_at",
                keys=("weak_at", "grounded_at"),
            )

    def calibrated_for(self, reranker: str) -> bool:  # noqa: ARG002
        """Are these thresholds calibrated, also for this reranker?"""
        return self.calibrated


class RerankedThresholds(Thresholds, frozen=True):
    """Thresholds of a reranker's scores. `reranker` is the fingerprint of the reranker that they
    were calibrated with: probabilities of different models are not comparable."""

    reranker: str = ""

    def calibrated_for(self, reranker: str) -> bool:
        """Were these thresholds calibrated with this reranker?"""
        return self.calibrated and self.reranker == reranker != ""


#: Thresholds that were measured, by the names of their fields in `GateConfig`, with the bundled
#: model: on nine sets with on-topic, near and far questions (docs/decisions/0024), the last one on
#: eleven tasks with on-topic and off-topic questions (docs/decisions/0004).
#:
#: - `coverage_normalised`: 99 % of far, 21 % of near and 2 % of on-topic questions are below .37.
#:   85 % of the on-topic, half of the near and none of the far questions reach .50. Between the
#:   two, it is as likely as not that a question is answered.
#: - `coverage_share` (lexical): 74 %, 22 % and 8 % are below .25; 5 %, 54 % and 82 % reach .40.
#:   Words alone do no better if questions are long, or if prose asks for code.
#: - `dense_cosine`: 85 % of off-topic and 1 % of on-topic questions are below .35, 97 % and 7 %
#:   are below .45.
MEASURED: Final[Mapping[str, Thresholds]] = MappingProxyType(
    {
        "coverage_normalised": Thresholds(0.5, 0.37),
        "coverage_share": Thresholds(0.4, 0.25),
        "dense_cosine": Thresholds(0.45, 0.35),
    }
)


class GateConfig(msgspec.Struct, frozen=True):
    """One pair of thresholds per signal and kind, so that none is applied to another scale.

    `signal`: the signal to judge by. `auto` takes the first of coverage and dense cosine that the
    candidates have. The reranked probability precedes both if its thresholds were calibrated with
    the reranker in use.

    `answerable`: `llm` asks the configured language model, for at most `answerable_s` seconds,
    whether the best three passages answer the question. If they do not, the verdict is `none`, or
    `weak` for a part of an answer; see `judge_answers`.

    `defined`: the verdict is at least `weak` if a candidate defines a name of the question, has the
    word that is the whole question, calls, extends or overrides a name if the question asks for
    that, or is of a file that the question names. It is `grounded` if the question is only a name
    that the first candidate defines, or only a place that it has, and at most `weak` if the
    question is only places that no candidate has. Versions always count.

    `absent_share`, `absent_normalised`: if a word of the question occurs nowhere in the index, the
    verdict is `grounded` only from this coverage on, by words only and with a model; see `doubt`. 0
    switches this off.
    """

    signal: GateSignal = "auto"
    answerable: Literal["off", "llm"] = "off"
    answerable_s: float = 8.0
    defined: bool = True
    absent_share: float = 0.6
    absent_normalised: float = 0.55
    coverage_normalised: Thresholds = MEASURED["coverage_normalised"]
    coverage_share: Thresholds = MEASURED["coverage_share"]
    dense_cosine: Thresholds = MEASURED["dense_cosine"]
    # guess, unmeasured: no cross-encoder was available
    reranked_probability: RerankedThresholds = RerankedThresholds(0.5, 0.2)

    def __post_init__(self) -> None:
        require_range(self, "gate", "answerable_s", above=0)
        require_range(self, "gate", "absent_share", "absent_normalised", least=0, most=1)

    def thresholds(self, signal: SignalName, kind: SignalKind) -> Thresholds | None:
        """Return the pair for a signal of that kind, None if there is none."""
        found = getattr(self, f"{signal}_{kind}", None)
        return found if isinstance(found, Thresholds) else None


class OnTopic(msgspec.Struct, frozen=True):
    """Evidence that a question is on topic, other than the value of a signal: the verdict is at
    least `level`, for a `reason`. That is a sentence for `grounded`. For `weak`, it is what follows
    "But" behind the reason of the value, with its full stop."""

    level: VerdictLevel
    reason: str

    def raises(self, verdict: Verdict) -> bool:
        """Return whether the verdict is below `level`."""
        return _LEVELS.index(verdict.level) < _LEVELS.index(self.level)

    def raised(self, verdict: Verdict) -> Verdict:
        """Return the verdict with this level and reason."""
        is_weak = self.level == "weak"
        reason = f"{verdict.reason} But {self.reason}" if is_weak else self.reason
        return replace(verdict, level=self.level, reason=reason)


def gate(
    candidates: Sequence[Candidate],
    config: GateConfig,
    reranker: str = "",
    unmeasured: frozenset[str] = frozenset(),
    on_topic: Iterable[OnTopic] = (),
    versions: AskedVersions = NO_VERSIONS,
    shown: int = 5,
) -> Gated:
    """Return the unchanged candidates and the verdict on the best value of one signal.

    The first of `on_topic` that is above this verdict raises it, unless `config.defined` is off. So
    those of `grounded` have to precede those of `weak`. The others are not asked for.

    A question about `versions` is on topic, too, if a heading of the first candidate names one. If
    the first candidate lacks a version of the question, the verdict is at most `weak`, unless the
    question is a copied message. Of several versions, the first candidate must name one, and the
    first `shown` candidates all; of a range, one is enough. `config.defined` does not switch that
    off.

    `reranker` is the fingerprint of the reranker in use, empty without one. `unmeasured` names the
    collections with another dense model than the one that `MEASURED` was measured with.

    If collections give a signal in two kinds, each kind has its own thresholds and the better
    verdict counts. If `auto` finds no signal with a scale, the verdict is `weak`, with a notice. A
    signal that is configured by name and cannot be judged raises ConfigError. If that signal is
    `reranked` and nothing was reranked, coverage or dense cosine decide, with the notice
    `rerank_missing`.
    """
    if not candidates:
        nothing, reason = config.coverage_share, "Nothing was found."
        origin = _origin("coverage_share", nothing, reranker)
        return Gated((), _verdict("none", "coverage", "share", 0.0, nothing, origin, reason))
    order, notices = _order(candidates, config, reranker)
    for name in order:
        verdicts = [
            _judge(
                name,
                kind,
                value,
                at,
                _origin(f"{name}_{kind}", at, reranker, kind in _BY_MODEL and place in unmeasured),
            )
            for kind, (value, place) in _best(candidates, name).items()
            if (at := config.thresholds(name, kind)) is not None
        ]
        if verdicts:
            best = max(verdicts, key=lambda v: (_LEVELS.index(v.level), v.kind))
            raised = _raised(best, on_topic if config.defined else ())
            judged = _of_version(raised, candidates, versions, shown)
            return Gated(tuple(candidates), judged, notices)
    if len(order) > 1:
        return _unjudged(candidates, notices)
    present = sorted({f"{s.name} ({s.kind})" for one in candidates for s in one.signals})
    raise ConfigError(
        f"gate.signal is {config.signal!r}, but the candidates have only {', '.join(present)},"
        " and there are no thresholds for that",
        hint="set gate.signal = auto",
    )


def may_doubt(verdict: Verdict, config: GateConfig) -> bool:
    """Return whether `doubt` would lower this verdict if a word were absent.

    Only `grounded` by a coverage below the limit of its kind is lowered. Calibrated thresholds come
    from questions about this corpus, so they are kept."""
    by_coverage = verdict.signal == "coverage" and not verdict.calibrated
    return verdict.level == "grounded" and by_coverage and verdict.value < _least(verdict, config)


def doubt(gated: Gated, absent: Sequence[str], config: GateConfig) -> Gated:
    """Return `gated` with the verdict `weak` if the index lacks words of the question (`absent`)
    and `may_doubt` is true of the verdict. Figures: docs/decisions/0080."""
    verdict = gated.verdict
    if not absent or not may_doubt(verdict, config):
        return gated
    least = _least(verdict, config)
    named = ", ".join(f"“{one}”" for one in absent[:_MOST_NAMED])
    verb = "occurs" if len(absent) == 1 else "occur"
    shown, limit = _shown(verdict.value, least, verdict.kind)
    said = _MEASURES["coverage", verdict.kind].format(shown)
    reason = f"{said}, and {named} {verb} nowhere; below {limit}, it may be about something else."
    return replace(gated, verdict=replace(verdict, level="weak", grounded_at=least, reason=reason))


def at_most_weak(gated: Gated, reason: str) -> Gated:
    """Return `gated` with a verdict that is at most `weak`, for this reason, a sentence. It follows
    the reason of a verdict that is `none`."""
    verdict = gated.verdict
    if verdict.level == "none":
        return told_also(gated, reason)
    return replace(gated, verdict=replace(verdict, level="weak", reason=reason))


def told_also(gated: Gated, reason: str) -> Gated:
    """Return `gated` with a further sentence behind the reason of its verdict."""
    verdict = gated.verdict
    return replace(gated, verdict=replace(verdict, reason=f"{verdict.reason} {reason}"))


def _least(verdict: Verdict, config: GateConfig) -> float:
    return config.absent_share if verdict.kind == "share" else config.absent_normalised


def _order(
    candidates: Sequence[Candidate], config: GateConfig, reranker: str
) -> tuple[tuple[SignalName, ...], tuple[Notice, ...]]:
    """Return the signals to judge by, in order of preference, and the notices about the choice."""
    reranked = config.reranked_probability
    others: tuple[SignalName, ...] = ("coverage", "dense")
    if config.signal == "reranked" and not _best(candidates, "reranked"):
        why = (
            f"{reranker} returned no scores"
            if reranker
            else "no reranker is configured ([models] rerank)"
        )
        said = f"gate.signal is reranked, but another signal decides: {why}"
        return others, (Notice("rerank_missing", said),)
    if config.signal != "auto":
        return (config.signal,), ()
    if reranked.calibrated_for(reranker):
        return ("reranked", *others), ()
    if reranker and reranked.calibrated:
        learned = f"calibrated with {reranked.reranker or 'a reranker that they do not name'}"
        said = f"the thresholds of gate.reranked_probability were {learned}, not with {reranker}"
        fix = "another signal decides until you run: pincite eval calibrate"
        return others, (Notice("calibration_of_another_reranker", f"{said}; {fix}"),)
    return others, ()


def _origin(
    field: str, at: Thresholds, reranker: str, other_model: bool = False
) -> ThresholdOrigin:
    """Return the origin of the thresholds in that field. A pair that was set by hand is assumed."""
    if at.calibrated_for(reranker):
        return "calibrated"
    return "measured" if at == MEASURED.get(field) and not other_model else "assumed"


def _raised(verdict: Verdict, on_topic: Iterable[OnTopic]) -> Verdict:
    if verdict.level == _LEVELS[-1]:  # as most often
        return verdict
    above = next((one for one in on_topic if one.raises(verdict)), None)
    return verdict if above is None else above.raised(verdict)


def _of_version(
    verdict: Verdict, candidates: Sequence[Candidate], asked: AskedVersions, shown: int
) -> Verdict:
    """Return the verdict, raised from `none` to `weak` if a heading of the first candidate names a
    version that the question is about, and lowered to `weak` if it names none of the question, or
    if all that are shown lack one."""
    first = candidates[0]
    chunk = first.chunk
    if not asked.all:
        return verdict
    named = _versions_of(first)
    if verdict.level == "none":
        if not (asked.about and asked.all & named.in_headings):
            return verdict
        reason = f"{verdict.reason} But {chunk.path} has a heading with {asked.said[0]}."
        return replace(verdict, level="weak", reason=reason)
    if verdict.level == "weak" or (not asked.about and _is_copied(first)):
        return verdict
    lacking, who = asked.lacking(named.all), "it does"
    if lacking and len(asked.groups) > 1 and asked.all & named.all:
        others = (_versions_of(one).all for one in candidates[1:shown])
        lacking, who = asked.lacking(named.all.union(*others)), "the shown passages do"
    if not lacking:
        return verdict
    wanted = " or ".join(lacking[:_MOST_NAMED])
    said = verdict.reason.rpartition("; ")[0] or verdict.reason.rstrip(".")
    reason = f"{said}, but {who} not name {wanted}; it may be about another version."
    return replace(verdict, level="weak", reason=reason)


def _versions_of(one: Candidate) -> PassageVersions:
    chunk = one.chunk
    return PassageVersions(chunk.title, chunk.headings, chunk.text, chunk.path)


def _is_copied(one: Candidate) -> bool:
    copied = one.signal("copied")
    return one.chunk.source_type == "code" and copied is not None and copied.value > 0


def _unjudged(candidates: Sequence[Candidate], notices: tuple[Notice, ...]) -> Gated:
    last = candidates[0].rank_signal
    reason = f"The scores at hand ({last.name}, {last.kind}) have no scale to judge by."
    at = Thresholds(0, 0)
    verdict = _verdict("weak", last.name, last.kind, last.value, at, "assumed", reason)
    return Gated(tuple(candidates), verdict, (*notices, Notice("not_judged", reason)))


def _best(candidates: Sequence[Candidate], name: SignalName) -> dict[SignalKind, tuple[float, str]]:
    """Return the highest value of a signal and its collection, by kind."""
    best: dict[SignalKind, tuple[float, str]] = {}
    for candidate in candidates:
        signal = candidate.signal(name)
        if signal is not None and (signal.kind not in best or signal.value > best[signal.kind][0]):
            best[signal.kind] = signal.value, candidate.collection
    return best


def _judge(
    name: SignalName, kind: SignalKind, value: float, at: Thresholds, origin: ThresholdOrigin
) -> Verdict:
    what = _MEASURES.get((name, kind), f"The {name} score of the best passage is {{}}")
    if value >= at.grounded_at:
        shown, limit = _shown(value, at.grounded_at, kind)
        reason = f"{what.format(shown)}; from {limit} on, it is about the question."
        return _verdict("grounded", name, kind, value, at, origin, reason)
    if value >= at.weak_at:
        shown, limit = _shown(value, at.grounded_at, kind)
        reason = f"{what.format(shown)}; below {limit}, it may be about something else."
        return _verdict("weak", name, kind, value, at, origin, reason)
    shown, limit = _shown(value, at.weak_at, kind)
    reason = f"{what.format(shown)}; below {limit}, questions are mostly off topic."
    return _verdict("none", name, kind, value, at, origin, reason)


def _shown(value: float, limit: float, kind: SignalKind) -> tuple[str, str]:
    """Return a value and its limit as text, with so many digits that they differ if they do."""
    factor, unit, least = (100, " %", 0) if kind == "share" else (1, "", 2)
    texts = ("", "")
    for digits in range(least, 16):
        texts = (f"{factor * value:.{digits}f}{unit}", f"{factor * limit:.{digits}f}{unit}")
        if value == limit or texts[0] != texts[1]:
            break
    return texts


def _verdict(
    level: VerdictLevel,
    name: SignalName,
    kind: SignalKind,
    value: float,
    at: Thresholds,
    origin: ThresholdOrigin,
    reason: str,
) -> Verdict:
    calibrated = origin == "calibrated"
    return Verdict(level, name, kind, value, at.grounded_at, at.weak_at, calibrated, reason, origin)
