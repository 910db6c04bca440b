"""Answers as text for people and language models: the answer, its sources, and its doubts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pincite.model import Answer, AnswerSource, Doubtful
from pincite.support.terminal import Painted, one_line, visible

#: The names of doubts for people.
_DOUBTS: Final = {
    "number": "not in its passages: {}",
    "name": "not in its passages: {}",
    "negation": 'denied on one side alone: "{}"',
    "uncited": "{}",
    "unrelated": "its passages have {}",
    "foreign_citation": "{}",
}
_MOST_SENTENCE = 160  # characters shown of a doubtful sentence
#: Warnings about the origin of an answer, which its text does not state.
KINDS: Final = {
    "extractive": "Verbatim sentences of the evidence; no language model wrote this.",
    "failed": "The language model gave no complete answer. The evidence is not affected.",
}
_CITES_NOTHING = "The answer cites none of the passages."


def source_lines(answer: Answer, *, all_: bool = False) -> tuple[Painted, ...]:
    """Return a line for each source that the text cites, or for all: number, citation, place."""
    cited = answer.sources if all_ else cited_sources(answer)
    return tuple(Painted(_line(one), "2") for one in cited)


def cited_sources(answer: Answer) -> tuple[AnswerSource, ...]:
    """Return the sources whose numbers occur in the text. If the model failed and none occurs,
    return all of them. A model's text without citations comes from none of them."""
    found = tuple(one for one in answer.sources if one.number in answer.cited)
    return found or (answer.sources if answer.kind == "failed" else ())


def doubt_lines(answer: Answer) -> tuple[str, ...]:
    """Return a line for each sentence that its passages do not support."""
    return tuple(_doubt(answer, one) for one in answer.doubts)


def plain_text(answer: Answer) -> str:
    """Return the whole answer for a language model: text, sources, doubts, warnings."""
    parts = [visible(answer.text)]
    if label := KINDS.get(answer.kind):
        parts.append(label)
    if lines := source_lines(answer):
        parts.append("\n".join(["Sources:", *(one.text for one in lines)]))
    if answer.doubts:
        said = "Sentences that their sources do not seem to support:"
        parts.append("\n".join([said, *(f"- {one}" for one in doubt_lines(answer))]))
    if notes := [*removed_lines(answer), *warning_lines(answer)]:
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


def removed_lines(answer: Answer) -> Sequence[str]:
    """Return lines that say that citations were removed from the text, or that there are none."""
    if not answer.removed:
        nothing = answer.sources and not cited_sources(answer)
        return (_CITES_NOTHING,) if nothing else ()
    return (f"removed, because no passage has that number: {', '.join(answer.removed)}",)


def warning_lines(answer: Answer, known: frozenset[str] = frozenset()) -> Sequence[str]:
    """Return the warnings of the answer and its search, each once, except those with a known
    code."""
    every = dict.fromkeys((*answer.warnings, *answer.evidence.warnings))
    return tuple(f"warning: {one.code}: {one.message}" for one in every if one.code not in known)


def _line(one: AnswerSource) -> str:
    visual = ", visual" if one.is_visual else ""
    read = ", read by OCR" if one.recognised else ""
    page = f" (page {one.page}{visual}{read})" if one.page is not None else ""
    return f"[{one.number}] {one_line(one.citation)}{page}"


def _doubt(answer: Answer, one: Doubtful) -> str:
    sentence = one_line(" ".join(answer.text[one.start : one.end].split()))
    if len(sentence) > _MOST_SENTENCE:
        sentence = f"{sentence[:_MOST_SENTENCE]}..."
    return f'"{sentence}": {_DOUBTS[one.why].format(one_line(one.detail))}'
