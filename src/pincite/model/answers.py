"""Answers: texts whose sentences have citations, or refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from pincite.errors import UsageError
from pincite.model.pack import EvidencePack, first_cited, require_readable
from pincite.model.retrieval import Notice, Question
from pincite.support.decodable import ready
from pincite.support.json_text import json_text, json_values

#: What happens if the evidence is not good enough. `strict` refuses. `open` and `learning` give the
#: nearest passage to the model as weak evidence, and the model marks general knowledge. `learning`
#: also explains, and asks questions in return.
ChatMode = Literal["strict", "open", "learning"]
#: Origin of the text. `generated`: a model wrote it. `extractive`: sentences of the evidence.
#: `refused`: a fixed sentence, or a model's refusal, also if it found no answer in the passages.
#: `failed`: the model's text is incomplete, or missing and replaced by sentences of the evidence.
AnswerKind = Literal["generated", "extractive", "refused", "failed"]
#: Problems of a sentence: a number, a name or a negation that its passages lack; no citation; too
#: few words in common with the cited passages; or a citation that is not in the pack.
Doubt = Literal["number", "name", "negation", "uncited", "unrelated", "foreign_citation"]


_SHOWN: Final = 120  # characters of the text of an answer in its short form


class Asked(msgspec.Struct, frozen=True):
    """A question for an answer. `question` has the user's original text and the scope. `user` is
    the user whose facts are read, `conversation` the id of the conversation; empty for none."""

    question: Question
    user: str = ""
    conversation: str = ""


class Turn(msgspec.Struct, frozen=True):
    """A turn of a conversation: its text, speaker and time (ISO 8601, UTC). `number` counts from 1
    within the conversation. Answers have `citations` and a `kind`; both are empty for a question,
    `kind` also for an answer that an earlier version stored."""

    role: Literal["user", "assistant"]
    text: str
    at: str = ""
    number: int = 0
    citations: tuple[str, ...] = ()
    kind: AnswerKind | Literal[""] = ""


class Fact(msgspec.Struct, frozen=True):
    """A stored fact about one user. A model receives it as memory, never as evidence. `score` says
    how well it fits the question; 0 if it was listed, not searched for."""

    id: str
    user: str
    text: str
    at: str = ""
    score: float = 0.0


class AnswerSource(msgspec.Struct, frozen=True):
    """A source of an answer. `number` is the n of `[n]` in the text, `evidence` the number of the
    evidence. They differ if single sentences were extracted from it. `score` is the latest of its
    ranking signals. `recognised`: its text was read by OCR."""

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
    """A sentence of the answer that its passages do not support, as far as rules can tell:
    `text[start:end]`, the reason, and what is missing."""

    start: int
    end: int
    why: Doubt
    detail: str = ""
    numbers: tuple[int, ...] = ()


class Answer(msgspec.Struct, frozen=True):
    """An answer with its sources and evidence.

    `sources` are the passages that it may cite, empty for a refusal. `evidence` is the whole pack,
    also if the model failed. `retrieval_query` is the query of the search if it differs from the
    question. `model` is the fingerprint of the model and `prompt` the SHA-256 of its prompt; both
    are empty if no model was called. `cited` are the numbers of the sources that the text cites, in
    order of appearance. `removed` are citations of unknown passages, removed from the text. `facts`
    were given to the model as memory.
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

    def __repr__(self) -> str:
        """Return the question, the kind, the beginning of the text and the first citations."""
        cited = [one.citation for one in self.sources if one.number in self.cited]
        text = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}..."
        return f"<Answer {self.question!r}: {self.kind}, {text!r}{first_cited(cited)}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as values of JSON."""
        return json_values(self)

    def to_json(self, indent: int | None = 2) -> str:
        """Return the JSON of `pincite ask --json`. `indent`: as in `EvidencePack.to_json`."""
        return json_text(self, indent)

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Answer:
        """Read the result of `to_dict`. Raises UsageError for anything else, and for another major
        version of the schema."""
        require_readable("answer", found)
        try:
            return msgspec.convert(found, ready(Answer))
        except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as error:
            raise UsageError(
                f"invalid answer: {error}", hint="pass the output of to_dict unchanged"
            ) from error


class AnswerPiece(msgspec.Struct, frozen=True):
    """A piece of an answer while it is written. All pieces joined are the model's text. The final
    `Answer` may lack some of its citations: those of unknown passages."""

    text: str


#: The values of an answer stream: pieces, then the answer itself.
AnswerEvent = AnswerPiece | Answer
