"""Questions of one to three words, with different shares of the dense side.

The questions are drawn from English collections, the same ones each time:

- a word that one document has at least three times as often as any other; that document is relevant
- two rare words of one document; the documents with both are relevant
- one, two or three words of each of the collection's own questions, with its judgements

The first two favour search by words, as the questions are words of the documents. The last favours
neither side. nDCG@10, means over the questions of a kind.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.frame import Options
from bench.product import new_index
from bench.retrieval.quality import build
from bench.variants import ask, deps_of, profile_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.evals.analysis.measures import evaluate
from pincite.evals.golden.beir import Collection, read_beir
from pincite.model import CollectionSpec
from pincite.ports import DenseEncoder, Index
from pincite.profile import Profile
from pincite.providers.sparse.function_words import FUNCTION_WORDS
from pincite.support.fields import replace

SETS: Final = ("xquad-en", "cranfield", "cisi", "anthropic-docs")
WEIGHTS: Final = (0.5, 0.4, 0.35, 0.3, 0.2)
_MOST: Final = 200
_SEED: Final = 7
_WORD: Final = re.compile(r"[a-z]{5,}")
_RARE: Final = 8  #: documents that have a rare word, at most

#: Questions by their ids, and the gains of documents for each.
Asked = tuple[Mapping[str, str], Mapping[str, Mapping[str, int]]]


@dataclass(frozen=True, slots=True)
class ShortFigures:
    """nDCG@10 by collection, kind of question and weight, and the number of questions."""

    questions: dict[str, dict[str, int]]
    ndcg: dict[str, dict[str, dict[str, float]]]


async def run(options: Options) -> ShortFigures:
    """Measure all collections. Raises SkippedError if one is missing."""
    names = SETS[:1] if options.quick else SETS
    folders = [options.folder(name, "a collection in the BEIR layout") for name in names]
    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    counts: dict[str, dict[str, int]] = {}
    ndcg: dict[str, dict[str, dict[str, float]]] = {}
    try:
        for folder in folders:
            collection = read_beir(folder)
            async with new_index() as index:
                spec = await build(index, collection, cached)
                kinds = drawn(collection, 10 if options.quick else _MOST)
                counts[folder.name] = {kind: len(asked[0]) for kind, asked in kinds.items()}
                ndcg[folder.name] = {
                    kind: await _by_weight(asked, spec, index, cached)
                    for kind, asked in kinds.items()
                }
            print(f"  {folder.name}: {ndcg[folder.name]}", flush=True)
    finally:
        cached.close()
        encoder.close()
    return ShortFigures(counts, ndcg)


async def _by_weight(
    asked: Asked, spec: CollectionSpec, index: Index, encoder: DenseEncoder
) -> dict[str, float]:
    texts, judged = asked
    deps = deps_of("default", spec, index, encoder)
    found = {}
    for weight in WEIGHTS:
        profile = _weighing(profile_of("default", results=10, same_text=False), weight)
        ranks = {
            key: [item.path for item in (await ask(text, deps, profile)).evidence]
            for key, text in texts.items()
        }
        found[str(weight)] = evaluate(("nDCG@10",), judged, ranks)["nDCG@10"]
    return found


def _weighing(profile: Profile, weight: float) -> Profile:
    fuse = replace(profile.fuse, dense_weight=weight, short_dense_weight=weight)
    return replace(profile, fuse=fuse)


def drawn(collection: Collection, most: int) -> dict[str, Asked]:
    """Draw at most so many questions of each kind."""
    words = {
        key: Counter(_WORD.findall(text.lower())) for key, text in collection.documents.items()
    }
    having: dict[str, list[str]] = defaultdict(list)
    for key, counts in words.items():
        for word in counts:
            if word not in FUNCTION_WORDS["english"]:
                having[word].append(key)
    kinds = {
        "a word of a document": _words(words, having, most),
        "two words of a document": _pairs(words, having, most),
    }
    for number in (1, 2, 3):
        kind = f"{number} of a question's words"
        kinds[kind] = _of_questions(collection, number, most)
    return kinds


def _words(
    words: Mapping[str, Counter[str]], having: Mapping[str, Sequence[str]], most: int
) -> Asked:
    chosen = {}
    for word, keys in sorted(having.items()):
        if len(keys) > _RARE:
            continue
        counts = sorted(((words[key][word], key) for key in keys), reverse=True)
        second = counts[1][0] if len(counts) > 1 else 0
        if counts[0][0] >= max(2, 3 * second):
            chosen[word] = {counts[0][1]: 1}
    return _sample(chosen, most)


def _pairs(
    words: Mapping[str, Counter[str]], having: Mapping[str, Sequence[str]], most: int
) -> Asked:
    chosen = {}
    for key, counts in sorted(words.items()):
        rare = sorted(word for word in counts if 0 < len(having.get(word, ())) <= _RARE)
        if len(rare) > 1:
            one, other = random.Random(key).sample(rare, 2)
            both = set(having[one]) & set(having[other])
            chosen[f"{one} {other}"] = dict.fromkeys(sorted(both), 1)
    return _sample(chosen, most)


def _of_questions(collection: Collection, number: int, most: int) -> Asked:
    chosen: dict[str, dict[str, int]] = {}
    for key, text in sorted(collection.queries.items()):
        words = list(dict.fromkeys(re.findall(r"[a-z]{3,}", text.lower())))
        words = [word for word in words if word not in FUNCTION_WORDS["english"]]
        if len(words) >= number:
            taken = set(random.Random(key).sample(words, number))
            short = " ".join(word for word in words if word in taken)
            gains = chosen.setdefault(short, {})
            for document, gain in collection.judgements[key].items():
                gains[document] = max(gain, gains.get(document, 0))
    return _sample(chosen, most)


def _sample(chosen: Mapping[str, Mapping[str, int]], most: int) -> Asked:
    texts = sorted(chosen)
    texts = random.Random(_SEED).sample(texts, min(most, len(texts)))
    return {text: text for text in texts}, {text: chosen[text] for text in texts}
