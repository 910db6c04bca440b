"""Generate questions from the user's own chunks, with a language model or with rules.

The questions are marked as synthetic. They share more words with their answers than people's
questions do. They are good for comparing configurations, but their absolute figures are too high.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final

from pincite.evals.golden.questions import Expected, GoldenQuery
from pincite.evals.golden.targets import every_chunk, named_path
from pincite.model import Chunk
from pincite.ports import Searchable

Asks = Callable[[str], Awaitable[str]]  #: from a prompt to the answer of a language model

PROMPT: Final = (
    "Write one question that a developer might ask and that the passage below answers. Use the"
    " developer's own words, not the passage's, and do not mention the passage. Answer with the"
    " question alone.\n\nSOURCE: {path}\n\n{text}"
)
_WORD = re.compile(r"[^\W\d_][\w'-]{2,}")
_LEAST_CHARS = 200
_KEY_WORDS = 7
_FEW_CHUNKS = 50  # with fewer chunks, a word that occurs once says nothing


async def generate(
    collections: Iterable[Searchable],
    count: int,
    *,
    ask: Asks | None = None,
    seed: int = 0,
) -> tuple[GoldenQuery, ...]:
    """Generate at most `count` questions, spread over as many documents as possible; the same seed
    gives the same questions. Chunks with little text are left out."""
    chunks = [
        chunk
        for collection in collections
        async for chunk in every_chunk(collection.index, collection.spec.name)
        if len(chunk.text) >= _LEAST_CHARS and chunk.source_type != "data"
    ]
    frequencies = Counter(word for chunk in chunks for word in set(_words(chunk.text)))
    questions: list[GoldenQuery] = []
    asked: set[str] = set()
    for chunk in _spread(chunks, random.Random(seed)):
        if len(questions) >= count:
            break
        if ask is None:
            text, origin = _by_rule(chunk, frequencies, len(chunks), len(questions))
        else:
            answer = await ask(PROMPT.format(path=chunk.path, text=chunk.text))
            text, origin = " ".join(answer.split()).strip("\"'"), "model"
        if text and text.lower() not in asked:
            asked.add(text.lower())
            questions.append(_question(len(questions) + 1, text, chunk, origin))
    return tuple(questions)


def _question(number: int, text: str, chunk: Chunk, origin: str) -> GoldenQuery:
    item = Expected(
        path=named_path(chunk),
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        grade=3,
        source_type=chunk.source_type,
        repo=chunk.repo,
    )
    return GoldenQuery(
        f"gen-{number:03}", text, (item,), category=chunk.source_type, synthetic=origin
    )


def _spread(chunks: Sequence[Chunk], rng: random.Random) -> list[Chunk]:
    """Return one chunk of each document in random order, then a second of each, and so on."""
    by_document: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in chunks:
        by_document.setdefault((chunk.repo, chunk.path), []).append(chunk)
    piles = [by_document[key] for key in sorted(by_document)]
    for pile in piles:
        rng.shuffle(pile)
    rng.shuffle(piles)
    deepest = max(map(len, piles), default=0)
    return [pile[depth] for depth in range(deepest) for pile in piles if depth < len(pile)]


def _by_rule(chunk: Chunk, frequencies: Counter[str], total: int, number: int) -> tuple[str, str]:
    """Make a question from the rarest words of the text, or in turn from its headings."""
    names = [name for name in (chunk.definitions or chunk.headings) if name.strip()]
    if names and number % 2:
        if chunk.source_type == "code":
            return f"what does {names[-1]} do?", "rule: name"
        above = chunk.headings[-2] if len(chunk.headings) > 1 else chunk.title
        heading = f"{names[-1]} ({above})" if above and above != names[-1] else names[-1]
        return _plain(heading), "rule: heading"
    return _key_words(chunk.read_as, frequencies, total), "rule: rare words"


def _key_words(text: str, frequencies: Counter[str], total: int) -> str:
    """Return the words with the highest tf * idf, in the order of the text."""
    counts = Counter(_words(text))
    weight = {
        word: (1 + math.log(count)) * math.log((total + 1) / frequencies[word])
        for word, count in counts.items()
        if frequencies[word] > 1 or total < _FEW_CHUNKS  # an unlikely query
    }
    best = sorted(weight, key=lambda word: (-weight[word], word))[:_KEY_WORDS]
    return " ".join(word for word in counts if word in best)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _plain(heading: str) -> str:
    return " ".join(re.sub(r"[`*_#{}\[\]]", " ", heading).split())
