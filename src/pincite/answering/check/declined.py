"""Detect refusals of a model: answers that say that the passages do not answer the question."""

from __future__ import annotations

import re
from typing import Final

from pincite.answering.check.refusal_sentences import refuses
from pincite.answering.sentences.citation_marks import citations, without_citations
from pincite.answering.sentences.split import split

#: The number that `prompts/strict.md` asks the model to cite in a refusal. There is no passage 0.
NONE: Final = 0
_MOST_SENTENCES: Final = 2  # some models suggest another question
_LONGEST: Final = 400  # characters; guess, unmeasured
_MARKUP: Final = re.compile(r"[*_]+|\s+")


def declined(text: str) -> str:
    """Return the text of a refusal without its citation, "" for an answer. A refusal cites only
    passage 0. It may also be one English sentence without a citation that says that the passages do
    not answer."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return ""
    cited = {number for one in citations(text) for number in one.numbers}
    if cited - {NONE}:
        return ""
    said = without_citations(text).strip()
    count = len(split(said, "markdown", is_answer=True))
    if cited:
        return said if count <= _MOST_SENTENCES else ""
    return said if count == 1 and refuses(_MARKUP.sub(" ", said)) else ""
