"""Does a passage define what the question names?"""

from __future__ import annotations

from collections.abc import Set

from pincite.model import Chunk
from pincite.stages.rank_code.config import RankCodeConfig
from pincite.stages.rank_code.words import Asked, Vocabulary, share
from pincite.support.names import last_component

_OTHER_CASE = 0.5


def definition_part(
    asked: Asked, chunk: Chunk, vocabulary: Vocabulary, config: RankCodeConfig
) -> float:
    """What the definitions in a passage add to the score of its file.

    defines  if it defines a name that the question writes like code, half of it where only
             upper and lower case are others
    mentions if it defines any word of the question
    overlap  * share of the question's words in the names that it defines
    """
    if not chunk.symbols:
        return 0.0
    ends = {last_component(symbol) for symbol in chunk.symbols}
    words = tuple(dict.fromkeys(word for end in ends for word in vocabulary.words(end)))
    return (
        config.defines * _defined(ends, asked.code)
        + config.mentions * (not ends.isdisjoint(asked.names))
        + config.overlap * share(asked.words, words)
    )


def _defined(ends: Set[str], names: Set[str]) -> float:
    if not ends.isdisjoint(names):
        return 1.0
    lower = {name.lower() for name in names}
    return _OTHER_CASE * any(end.lower() in lower for end in ends)
