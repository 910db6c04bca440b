"""Whether a model says that the passages do not answer the question, instead of answering it."""

from __future__ import annotations

import re
from typing import Final

from pincite.answering.cited import citations, without_citations
from pincite.answering.sentences import split

#: What `prompts/strict.md` asks the model to cite then: there is no passage 0.
NONE: Final = 0
_MOST_SENTENCES: Final = 2  # some add what to ask instead
_LONGEST: Final = 400  # characters; guess, unmeasured
_OF_PASSAGES: Final = re.compile(
    r"\b(?:the|these|those|provided|given|numbered)\s(?:[a-z]{1,12}\s)?"
    r"(?:passages?|sources?|evidence|documents?|documentation|context|texts?)\b",
    re.IGNORECASE,
)
_DENIES: Final = re.compile(
    r"\b(?:do(?:es)?\s(?:not|n['’]t)|don['’]t|doesn['’]t|cannot|(?:is|are)\snot|no(?:ne|thing)?)\b",
    re.IGNORECASE,
)
_ANSWER: Final = re.compile(
    r"\b(?:answer|contain|say|state|mention|address|provide|include|cover|specify|specifies|specified"
    r"|describe|explain|discuss|information)",
    re.IGNORECASE,
)


def declined(text: str) -> str:
    """What the model says instead of an answer, without its citation; "" for an answer. It cites
    passage 0 alone, or, by models that do not, is one English sentence without a citation that
    speaks of passages which do not answer."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return ""
    cited = {number for one in citations(text) for number in one.numbers}
    if cited - {NONE}:
        return ""
    said = without_citations(text).strip()
    count = len(split(said))
    if cited:
        return said if count <= _MOST_SENTENCES else ""
    patterns = (_OF_PASSAGES, _DENIES, _ANSWER)
    return said if count == 1 and all(one.search(said) for one in patterns) else ""
