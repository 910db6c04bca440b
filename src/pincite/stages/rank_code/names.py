"""The part of a file's score for a question that names the file."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from operator import mul

import msgspec

from pincite.stages.rank_code.config import RankCodeConfig
from pincite.stages.rank_code.words import Likeness, QuestionWords, Vocabulary, mean
from pincite.support.fields import replace
from pincite.support.term_share import idf_of

#: File names that say nothing of the content; the folder's name is used instead.
_PLACES = frozenset(("__init__", "index", "mod", "init"))


class FileName(msgspec.Struct, frozen=True):
    """The name of a file without its extensions, and that of its folder."""

    stem: str
    folder: str


def file_name(path: str) -> FileName:
    """Return the name of the file at a path; that of `response/mod.rs` is `response`."""
    *folders, last = path.split("/")
    stem = last.partition(".")[0] or last.lstrip(".")
    if stem in _PLACES and folders:
        stem = folders.pop()
    return FileName(stem, folders[-1] if folders else "")


def name_parts(
    asked: QuestionWords,
    paths: Iterable[str],
    vocabulary: Vocabulary,
    config: RankCodeConfig,
    sources: Collection[str] = (),
) -> dict[str, float]:
    """Return the contribution of each file's name to its score, by path.

        covered * share of the stem's words that the question has
        asked   * share of the question's words that the stem has
        folder  * share of the question's words that the folder has
        same    if the question names the stem
        placed  * share of the folder's words that the question has, if it has all of the stem's;
                  words of the question that are also in the stem count half

    `covered` and `same` of a name of one word are multiplied by 1 - place / number of the words of
    the question, where place is that of the first word most like it, from 0. Questions begin with
    their subject, and a word near the end is often the name of another file. This does not hold for
    a question that is only a name, nor for names with what follows them (`session.py`,
    `session.test.js`, `session/index.ts`). In other languages than English, function words have
    places, too.

    In shares of the question's words, each word is weighted by the IDF of Robertson over the file
    names, kept positive, because the name of the product is in many of them.

    If there is only one of `sources`, its name is left out of the question: `cobra.go` is no more
    relevant to a question about cobra than the other files of cobra. The name is kept if the
    question has no other words.
    """
    if len(sources) == 1:
        asked = _within(asked, next(iter(sources)), vocabulary)
    names = {path: file_name(path) for path in paths}
    like = Likeness(asked.words, vocabulary)
    weights = _rarity(like, names.values())
    called = {name.lower() for name in asked.names}

    def whole(stem: str) -> float:
        best = like.best(stem)
        value = config.covered * mean(best) + config.same * (stem.lower() in called)
        is_name = asked.alone or stem.lower() in asked.outer
        return value if is_name or len(best) > 1 else value * _early(like.of_name(stem))

    return {
        path: whole(name.stem)
        + config.asked * _weighed(weights, like.of_name(name.stem))
        + config.folder * _weighed(weights, like.of_name(name.folder))
        + config.placed * _placed(name, like, vocabulary)
        for path, name in names.items()
    }


def _early(of_stem: Sequence[float]) -> float:
    """Return how early in the question the word is that a name of one word is most like: 1 for the
    first, 1 / number of words for the last. `of_stem` is the likeness of each word of the question
    to the name, empty if none is like it."""
    return 1 - of_stem.index(max(of_stem)) / len(of_stem) if of_stem else 1.0


def _placed(name: FileName, like: Likeness, vocabulary: Vocabulary) -> float:
    """Return how well a folder and its file match the question together: fully for
    `middleware/logger.rb` and a question about logging middleware. If the folder has the words of
    its file (`tools/agent_tool.py`), these words count half; docs/decisions/0038 compares 0, .5 and
    1."""
    of_stem = like.of_name(name.stem)
    if not of_stem or not all(like.best(name.stem)):
        return 0.0
    others = [place for place, value in enumerate(of_stem) if not value]
    folder = [like.of_word(word) for word in vocabulary.words(name.folder)]
    rest = [max((found[n] for n in others), default=0.0) if found else 0.0 for found in folder]
    return (mean(like.best(name.folder)) + mean(rest)) / 2


def _within(asked: QuestionWords, source: str, vocabulary: Vocabulary) -> QuestionWords:
    """Return the question without the words of this source's name, unless it has no other words."""
    named = {source.lower(), *(word.text for word in vocabulary.words(source))}
    words = tuple(word for word in asked.words if word.text not in named)
    if not words:
        return asked
    names = frozenset(name for name in asked.names if name.lower() not in named)
    return replace(asked, words=words, names=names)


def _rarity(like: Likeness, names: Collection[FileName]) -> list[float]:
    """Return the weight of each word of the question."""
    having = [0] * len(like.asked)
    for name in names:
        found = [one for one in (like.of_name(name.stem), like.of_name(name.folder)) if one]
        for place, values in enumerate(zip(*found, strict=True)):
            having[place] += any(values)
    return [idf_of(len(names), n) for n in having]


def _weighed(weights: Sequence[float], likeness: Sequence[float]) -> float:
    total = math.fsum(weights)
    if not likeness or not total:
        return 0.0
    return math.fsum(map(mul, weights, likeness)) / total
