"""The evidence that an answer may use: all of it, one weak passage, or none."""

from __future__ import annotations

from dataclasses import dataclass

from pincite.model import ChatMode, Evidence, EvidencePack, Notice, Plan, Verdict
from pincite.model.prompt import unsearched

_NO_INDEX = "index_missing"
_WEAK = "weak_evidence"
_BELOW = "below_threshold"  # of a probe in the modes `open` and `learning`


@dataclass(frozen=True, slots=True)
class Basis:
    """The passages that an answer may use, best first. If they are `weak`, they may be about
    something else, and a notice says so. Without passages the answer is a refusal, and a notice has
    the reason."""

    evidence: tuple[Evidence, ...] = ()
    weak: bool = False
    notices: tuple[Notice, ...] = ()


def basis_of(pack: EvidencePack, mode: ChatMode) -> Basis:
    """Return the basis of an answer. It is the evidence if the verdict is not `none`. Otherwise, in
    the modes `open` and `learning`, it is the nearest passage alone."""
    good = pack.verdict.level != "none"
    if pack.evidence and good:
        weak = pack.verdict.level == "weak"
        return Basis(pack.evidence, weak, _of_weak(pack) if weak else ())
    near = (*pack.evidence, *pack.closest)[:1]
    if mode != "strict" and near:
        said = f"the nearest passage is below the bar: {pack.verdict.reason}"
        return Basis(near, True, (Notice(_WEAK, said),))
    return Basis(notices=(_why(pack, bool(near)),))


def _of_weak(pack: EvidencePack) -> tuple[Notice, ...]:
    """Return the notice that the passages are weak, unless the search has given it."""
    if any(one.code == _BELOW for one in pack.warnings):
        return ()
    said = f"the evidence is weak: {pack.verdict.reason}"
    return (Notice(_WEAK, said),)


def _why(pack: EvidencePack, near: bool) -> Notice:
    if any(one.code == _NO_INDEX for one in pack.warnings):
        return Notice(
            "refused_no_index", "nothing was searched: no index yet; make one: pincite index PATH"
        )
    if scope := unsearched(pack):
        return Notice("refused_scope", f"nothing was searched: {scope}")
    if pack.omitted and not near:
        said = (
            "everything that was found has changed or was deleted since it was indexed: index again"
        )
        return Notice("refused_stale", said)
    if not near and not sum(pack.plan.counts.values()):
        return Notice("refused_nothing_found", "the index has no match")
    return Notice("refused_off_topic", pack.verdict.reason or "no passage is about the question")


def nothing_indexed(query: str, schema_version: str, why: str) -> EvidencePack:
    """Return the pack of a search without an index: no evidence, and the reason."""
    verdict = Verdict("none", "coverage", "share", 0.0, 0.0, 0.0, False, why)
    return EvidencePack(
        schema_version=schema_version,
        query=query,
        verdict=verdict,
        plan=Plan((), "none", "none", {}, {}, {}),
        evidence=(),
        coverage={},
        warnings=(Notice(_NO_INDEX, why),),
    )
