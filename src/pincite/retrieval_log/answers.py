"""The log line of an answer: kind, model and counts, without any text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from pincite.model import Answer, AnswerKind, ChatMode, VerdictLevel
from pincite.version import VERSION


class AnswerLine(msgspec.Struct, frozen=True):
    """One answer. It is in the same file as searches; `query_id` is that of its search, here
    `answer_of`. `prompt` is the SHA-256 of the model's prompt, `told` the number of passages in it,
    `facts` the number of facts from the user's memory. `doubts` counts sentences by their defect,
    `removed` citations that were removed. Of warnings only the codes are kept: their messages may
    quote a service."""

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
    """Return the line of an answer."""
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
