"""The log line of an answer: kind, model and counts, without any text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from pincite.model import Answer, AnswerKind, ChatMode, VerdictLevel
from pincite.version import VERSION


class AnswerLine(msgspec.Struct, frozen=True):
    """One answer. It stands in the same file as searches, and `query_id` names the search that it
    is from. `prompt` is the SHA-256 of what the model was told, `told` how many passages that were,
    `facts` how many of the user's memory. `doubts` counts sentences by what is wrong with them,
    `removed` citations that were taken out. Of warnings there are the codes alone: their words may
    quote what a service said."""

    answer_of: str
    time: str
    version: str
    kind: AnswerKind
    mode: ChatMode
    verdict: VerdictLevel
    model: str
    prompt: str
    told: int
    facts: int
    follow_up: bool
    doubts: Mapping[str, int]
    removed: int
    warnings: tuple[str, ...]
    timings_ms: Mapping[str, float]


def line_of(answer: Answer, query_id: str, time: str) -> AnswerLine:
    """The line of an answer."""
    return AnswerLine(
        answer_of=query_id,
        time=time,
        version=VERSION,
        kind=answer.kind,
        mode=answer.mode,
        verdict=answer.evidence.verdict.level,
        model=answer.model,
        prompt=answer.prompt,
        told=len(answer.sources),
        facts=len(answer.facts),
        follow_up=bool(answer.retrieval_query),
        doubts=dict(sorted(Counter(one.why for one in answer.doubts).items())),
        removed=len(answer.removed),
        warnings=tuple(dict.fromkeys(one.code for one in answer.warnings)),
        timings_ms=answer.timings_ms,
    )
