"""The words for verdicts that people and language models read.

Programs read `Verdict.level`, whose values never change. The words say what was measured: whether
the passages are about the question. Without a language model, no signal tells whether they answer
it: see docs/decisions/0024-what-a-verdict-says.md.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pincite.model.verdict import AbsentTerms, VerdictLevel

#: A level in a word or two.
LEVEL_WORDS: Final[Mapping[VerdictLevel, str]] = MappingProxyType(
    {
        "grounded": "on topic",
        "weak": "perhaps on topic",
        "none": "nothing on topic",
    }
)
#: Instructions for a language model.
LEVEL_ADVICE: Final[Mapping[VerdictLevel, str]] = MappingProxyType(
    {
        "grounded": "Answer only what the passages say. If they do not say it, say so.",
        "weak": (
            "The passages may be about something else. Use one only if it says what was asked, and"
            " say that the evidence is weak."
        ),
        "none": "Do not answer from this index: say so, or ask in other words.",
    }
)
#: The line above passages that are below the threshold.
CLOSEST: Final = "Closest passages, below the bar: they are no evidence."


def absent_words(absent: AbsentTerms) -> tuple[str, ...]:
    """Return a sentence for each kind of terms that occur nowhere; () if there are none."""
    kinds = (
        ("Nothing that is indexed has", absent.index),
        ("None of these passages has", absent.evidence),
    )
    return tuple(f"{what}: {', '.join(terms)}." for what, terms in kinds if terms)
