"""What an answer is: a text whose sentences say where they are from, or an honest refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from pincite.errors import UsageError
from pincite.model.evidence import EvidencePack
from pincite.model.retrieval import Notice, Question
from pincite.support.json_text import json_text

#: What happens where the evidence is not good enough: `strict` refuses; `open` and `learning` hand
#: the nearest passage to the model as weak, and it says what is general knowledge. `learning` also
#: explains and asks back.
ChatMode = Literal["strict", "open", "learning"]
#: How the text came about: a model wrote it, sentences were taken out of the evidence, or it is a
#: fixed sentence or a model's refusal over no evidence. `failed`: the model did not answer, and the
#: evidence stands by itself.
AnswerKind = Literal["generated", "extractive", "refused", "failed"]
#: What is wrong with a sentence: a number, a name or a negation that its passages do not have; it
#: cites nothing; it shares too few words with what it cites; or it cites what is not in the pack.
Doubt = Literal["number", "name", "negation", "uncited", "unrelated", "foreign_citation"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that wants an answer. `question` has the text as the user wrote it, and the scope.
    `user` is whose memory is read, `conversation` the id of what it goes on; empty for neither."""

    question: Question
    user: str = ""
    conversation: str = ""


class Turn(msgspec.Struct, frozen=True):
    """A turn of a conversation: what somebody said, and at what time (ISO 8601, UTC). `citations`
    are those of an answer. `number` counts from 1 within its conversation."""

    role: Literal["user", "assistant"]
    text: str
    at: str = ""
    number: int = 0
    citations: tuple[str, ...] = ()


class Fact(msgspec.Struct, frozen=True):
    """What is remembered of one user. It is told to a model as memory, and is never evidence.
    `score` says how well it fits the question, 0 where it was not searched for."""

    id: str
    user: str
    text: str
    at: str = ""
    score: float = 0.0


class AnswerSource(msgspec.Struct, frozen=True):
    """A passage that the answer is from. `number` is that of `[n]` in the text, `evidence` that of
    the evidence: another one where single sentences were taken out of it. `score` is the latest of
    its ranking signals. `recognised`: its text was read by OCR."""

    number: int
    citation: str
    score: float
    page: int | None = None
    is_visual: bool = False
    image_url: str | None = None
    title: str = ""
    text: str = ""
    evidence: int = 0
    recognised: bool = False


class Doubtful(msgspec.Struct, frozen=True):
    """A sentence of the answer that its passages do not support, as far as can be seen without
    understanding it: `text[start:end]`, why, and what is missing."""

    start: int
    end: int
    why: Doubt
    detail: str = ""
    numbers: tuple[int, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """What is said to the user, and all that it stands on.

    `sources` are the passages that it may cite, empty where it refuses. `evidence` is the whole
    pack, also where the model failed. `retrieval_query` is what was searched for, where that is not
    the question itself. `model` and `prompt` are the fingerprint of the model and the SHA-256 of
    what it was told, empty where none was asked. `cited` are the numbers of the sources that the
    text cites, in order of appearance. `removed` are citations that were taken out of
    the text since there is no such passage. `facts` are what was told to the model as memory.
    """

    schema_version: str
    question: str
    text: str
    kind: AnswerKind
    mode: ChatMode
    sources: tuple[AnswerSource, ...]
    evidence: EvidencePack
    retrieval_query: str = ""
    model: str = ""
    prompt: str = ""
    cited: tuple[int, ...] = ()
    doubts: tuple[Doubtful, ...] = ()
    removed: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()
    conversation: str = ""
    warnings: tuple[Notice, ...] = ()
    timings_ms: Mapping[str, float] = {}

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return found

    def to_json(self, indent: int = 2) -> str:
        """The JSON of `pincite ask --json`. `indent`: spaces for each level; 0 for one line."""
        return json_text(self, indent)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Answer:
        """The answer of `to_dict`. Raises UsageError for anything else."""
        try:
            return msgspec.convert(found, Answer)
        except (msgspec.ValidationError, RecursionError) as error:
            raise UsageError(
                f"this is not an answer: {error}", hint="what to_dict gave, unchanged"
            ) from error


class AnswerPiece(msgspec.Struct, frozen=True):
    """A piece of an answer while it is written. Its pieces joined are what the model wrote, which
    the `Answer` at the end may have without foreign citations."""

    text: str


#: What a stream of an answer yields: pieces, and at last the answer itself.
AnswerEvent = AnswerPiece | Answer
