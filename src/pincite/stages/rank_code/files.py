"""The files of the found passages, and the parts of their scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from pincite.model import Candidate, Chunk, Signal
from pincite.stages.rank_code.bare import is_bare
from pincite.stages.rank_code.config import RankCodeConfig
from pincite.stages.rank_code.copied import Copied
from pincite.stages.rank_code.definitions import (
    DefinitionPart,
    at_their_paths,
    defining_files,
    names_of,
)
from pincite.stages.rank_code.scores import Scores
from pincite.stages.rank_code.words import Likeness, QuestionWords

#: The collection, source and path of a file.
File = tuple[str, str, str]
_FEW = 2  # added to the total: one file easily has most of a few; 0 to 3 are alike
_LONG = 50_000  # characters; 20,000 to 80,000 in docs/decisions/0109
_LENGTH_POWER = 0.2  # .1 to .3 there


class Passage(NamedTuple):
    """A candidate and its numbers, all in 0..1 but `definition`: `score`, its share of the best
    score; `adds`, its contribution to the coherence of its file; `definition`, that of its
    definitions; `copied`, how much of it the question has copied; `words`, its share of the best
    keyword score; `again`, the weight of `words` against `score`."""

    candidate: Candidate
    score: float
    adds: float
    definition: float
    copied: float
    words: float
    again: float


class FileParts(NamedTuple):
    """The parts of a file's score, without `terms`."""

    passages: Sequence[Passage]
    best: float
    coherence: float
    names: float
    definition: float
    copied: float
    prior: float

    def score(self, config: RankCodeConfig, terms: float = 0.0) -> float:
        """Return the score of the file, see `rank_code`."""
        return (
            self.best
            + config.coherence * self.coherence
            + self.names
            + self.definition
            + self.copied
            + config.terms * terms
        ) * self.prior

    def signals(self, terms: float) -> tuple[Signal, ...]:
        """Return the parts as they are explained."""
        return (
            Signal("coherence", "share", self.coherence),
            Signal("names", "share", self.names),
            Signal("definition", "share", self.definition),
            Signal("copied", "share", self.copied),
            Signal("terms", "share", terms),
            Signal("prior", "share", self.prior),
        )


class RatedFile(NamedTuple):
    """The score of a file, the parts that explain it, and its passages, best first, each after its
    value within the file."""

    score: float
    parts: tuple[Signal, ...]
    own: Sequence[tuple[float, Candidate]]


def passages_by_file(
    candidates: Sequence[Candidate],
    asked: QuestionWords,
    like: Likeness,
    copied: Copied,
    config: RankCodeConfig,
    partial: Mapping[str, float],
) -> Mapping[File, Sequence[Passage]]:
    """Return the passages of each file."""
    scores = Scores.of(candidates)
    shares = scores.shares(config.words_power, partial)
    adding = scores.adding(config.coherent_dense, partial) or shares
    words = scores.words()
    places: dict[File, list[int]] = defaultdict(list)
    for place, one in enumerate(candidates):
        places[one.collection, one.chunk.repo, one.chunk.path or one.chunk.id].append(place)
    names = [names_of(one.chunk.symbols) for one in candidates]
    defined = [names_of(one.chunk.definitions) for one in candidates]
    files = {
        **defining_files([names[place] for place in of_file] for of_file in places.values()),
        **defining_files([defined[place] for place in of_file] for of_file in places.values()),
    }
    found = at_their_paths(asked, [one.chunk for one in candidates])
    placed = frozenset[str]().union(*(one.within for one in found))
    definition = DefinitionPart(asked, like, files, config, placed)
    same = [0.0] * len(candidates)
    if config.copied:
        texts = [one.chunk.text for one in candidates]
        same = [config.copied * part for part in copied.parts(texts)]

    def passage(place: int) -> Passage:
        one = candidates[place]
        own = found[place].own if found else frozenset[str]()
        part = definition.of(names[place], defined[place], own)
        again = config.words_again * partial.get(one.collection, 1.0) if words else 0.0
        said = words[place] if words else 0.0
        return Passage(one, shares[place], adding[place], part, same[place], said, again)

    return {key: [passage(place) for place in of_file] for key, of_file in places.items()}


def best_value(passages: Sequence[Passage], gathered: float) -> float:
    """Return the value of a file's best passage. One vector describes single lines; the keyword
    score also tells files apart."""
    again = gathered * passages[0].again
    score = max(one.score for one in passages)
    return (1 - again) * score + again * sqrt(max(one.words for one in passages))


def best_by_words(passages: Sequence[Passage]) -> Candidate:
    """Return the passage of a file with the best keyword score, or with the best score if only one
    side found it."""
    best = min(passages, key=lambda one: (-(one.words or one.score), one.candidate.chunk.id))
    return best.candidate


def own_value(passage: Passage, config: RankCodeConfig, of_file: int) -> float:
    """Return the value of a passage among the `of_file` passages of its file."""
    value = passage.score + passage.definition
    chunk = passage.candidate.chunk
    introduces = of_file > 1 and config.bare < 1 and not chunk.symbols and is_bare(chunk.text)
    return (value * config.bare if introduces else value) + passage.copied


def coherence_of(
    files: Mapping[File, Sequence[Passage]], least: float, dominant: float
) -> tuple[dict[File, float], float]:
    """Return the coherence of each file, and how much definitions gather in files. The coherence is
    the sum over the file's definitions, divided by the largest sum, times the gathering. Scores
    below `least` do not count: such passages hardly belong to the question, and large files have
    many of them. A file with more than the share `dominant` of all definitions counts less, because
    hits in it are then expected. So they are in a long file, whose sum is divided by
    max(1, length / 50,000)^.2. The length is where its last found passage ends, in characters."""
    sums: dict[File, float] = {}
    counts: dict[File, int] = {}
    definitions = 0
    known = any(_definition(each.candidate.chunk) for found in files.values() for each in found)
    for key, passages in files.items():
        best: dict[str, float] = {}
        for one in passages:
            chunk = one.candidate.chunk
            name = _definition(chunk) if known else chunk.id
            best[name] = max(best.get(name, 0.0), one.adds - least)
        sums[key] = fsum(best.values()) / max(1.0, _length(passages) / _LONG) ** _LENGTH_POWER
        counts[key] = len(best)
        definitions += len(best)
    gathered = min(1.0, 2 * (1 - len(files) / definitions))
    largest = max(sums.values()) or 1.0
    return {
        key: gathered * value / largest * _says(counts[key] / (definitions + _FEW), dominant)
        for key, value in sums.items()
    }, gathered


def _length(passages: Sequence[Passage]) -> int:
    """Return the length of a file in characters as far as its passages tell; 0 if they have only
    lines, as those of foreign collections."""
    return max(one.candidate.chunk.end for one in passages)


def _says(of_all: float, dominant: float) -> float:
    """Return how much the coherence of a file with this share of all definitions counts, in
    0..1."""
    return 1.0 if of_all <= dominant else (1 - of_all) / (1 - dominant)


def _definition(chunk: Chunk) -> str:
    """Return the definition that a passage belongs to: its own, else the enclosing one, else ""."""
    if chunk.definitions:
        return chunk.definitions[0]
    return chunk.headings[-1] if chunk.headings else ""
