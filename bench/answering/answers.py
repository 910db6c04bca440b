"""What the check of answers finds, and what extractive answers are made of.

Sentences of real passages are cited for their passage, as they are and spoilt in one place:

- `number`: a digit of a number is another one;
- `name`: a name is one of another document;
- `negation`: a negation is put in or taken out;
- `passage`: the citation is of a passage of another document;
- `foreign`: the citation is of a passage that there is not.

Found is a sentence with any doubt. False alarms are doubts over what is true: sentences as they
are, and in other words by rules (numbers in another form, contractions, some 60 pairs of words
that mean the same, a clause moved, a parenthesis left out, two sentences joined). Rules of the
check were made on `adk-docs`; the other sets were looked at once they stood.

`extract` measures which sentences are taken without a language model, on `chunking-eval`: how much
of the excerpts that answer a question is in them, and how much of them is in the excerpts.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.answering.answers_spoilt import SPOILT, reworded
from bench.frame import Options, require
from pincite.answering.check.check_answer import check_answer
from pincite.answering.check.passages import Told
from pincite.answering.extract import extract
from pincite.answering.sentences.split import split
from pincite.evals.golden.beir import read_beir
from pincite.model import Evidence
from pincite.providers.sparse.analyser import informative_terms

_SENTENCES: Final = 500  # of each set
_LEAST, _MOST = 40, 400  # characters of a sentence
_WINDOW: Final = 1_000  # characters of a passage, about
_PASSAGES: Final = 5  # of a question
TERMS: Final = informative_terms("english")


@dataclass(frozen=True, slots=True)
class Found:
    """How many sentences had a doubt, of how many; `why` counts the doubts by kind."""

    found: int
    of: int
    why: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Taken:
    """Mean recall and precision of characters, and F1 of both, of sentences that were taken."""

    recall: float
    precision: float
    f1: float
    questions: int


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """By set and what was done to its sentences; by way of taking sentences."""

    checks: Mapping[str, Mapping[str, Found]]
    extract: Mapping[str, Taken]


async def run(options: Options) -> AnswerFigures:
    """Measure all sets. Raises SkippedError naming what is missing."""
    count = 100 if options.quick else _SENTENCES
    checks = {}
    for name in ("adk-docs", "anthropic-docs", "scifact-train"):
        folder = require(options.data / name, "documents")
        passages = _passages(folder)
        checks[name] = measure(passages, count)
        for what, found in checks[name].items():
            print(f"  {name}, {what}: {found}", flush=True)
    places = require(options.data / "chunking-eval", "documents and spans")
    taken = dict(_extracted(places, 50 if options.quick else 10_000))
    return AnswerFigures(checks, taken)


def _passages(folder: Path) -> Sequence[str]:
    """Passages of some size, cut at blank lines."""
    if (folder / "corpus.jsonl").is_file():
        texts = list(read_beir(folder, _split(folder)).documents.values())
    else:
        files = sorted(folder.rglob("*.md"))
        texts = [one.read_text(encoding="utf-8") for one in files]
    return [part for text in texts for part in windows(text)]


def _split(folder: Path) -> str:
    return min(one.stem for one in (folder / "qrels").glob("*.tsv"))


def windows(text: str) -> Iterator[str]:
    """The text in pieces of whole paragraphs, each as long as a chunk."""
    held: list[str] = []
    for part in re.split(r"\n\s*\n", text):
        held.append(part)
        if sum(map(len, held)) >= _WINDOW:
            yield "\n\n".join(held)
            held = []
    if held:
        yield "\n\n".join(held)


def measure(passages: Sequence[str], count: int) -> Mapping[str, Found]:
    """All that is done to sentences of these passages."""
    drawn = random.Random(18)
    rows = []
    order = list(range(len(passages)))
    drawn.shuffle(order)
    for place in order:
        spans = [one for one in split(passages[place], "markdown") if not (one.code or one.heading)]
        texts = [passages[place][one.start : one.end] for one in spans]
        good = [one for one in texts if _LEAST <= len(one) <= _MOST and _prose(one)]
        if good:
            rows.append((place, drawn.choice(good), texts))
        if len(rows) >= count:
            break
    ways: dict[str, Callable[..., str | None]] = {"as it is": lambda one, *_: one}
    ways |= {f"true: {name}": way for name, way in reworded().items()}
    ways |= {f"spoilt: {name}": way for name, way in SPOILT.items()}
    found = {}
    for name, way in ways.items():
        rolled = random.Random(name)
        outcomes: list[Counter[str]] = []
        for n, (place, sentence, texts) in enumerate(rows):
            other, others, _ = rows[(n + len(rows) // 2) % len(rows)]
            said = way(sentence, rolled, others, texts)
            if said is None or (name.startswith("true") and said == sentence):
                continue
            outcomes.append(_doubts(said, passages[place], passages[other], name))
        why: Counter[str] = sum(outcomes, Counter())
        found[name] = Found(sum(bool(one) for one in outcomes), len(outcomes), dict(why))
    return found


def _doubts(said: str, passage: str, other: str, way: str) -> Counter[str]:
    told = [_told(passage, 1), _told(other, 2)]
    number = {"spoilt: passage": 2, "spoilt: foreign": 9}.get(way, 1)
    bare = said.rstrip()
    ended = bare[-1:] if bare[-1:] in ".!?" else "."
    text = f"{bare.rstrip('.!?')} [{number}]{ended}"
    found = check_answer(text, told, TERMS)
    removed = ("foreign_citation",) if found.removed else ()
    return Counter({*(one.why for one in found.doubts), *removed})


def _told(text: str, number: int) -> Told:
    item = _evidence(text, number)
    return Told(item, text, item.citation)


def _evidence(text: str, number: int, start: int = 0) -> Evidence:
    end = start + len(text)
    return Evidence(
        number=number,
        citation=f"bench@:{number}#char={start},{end}",
        citation_confidence="high",
        collection="bench",
        source_type="docs",
        repo="bench",
        ref="",
        path=str(number),
        url=None,
        chunk_id=str(number),
        candidate_id=str(number),
        start_line=1,
        end_line=1,
        start_column=None,
        end_column=None,
        headings=(),
        symbols=(),
        language="markdown",
        content_hash="",
        signals=(),
        text=text,
        start_char=start,
        end_char=end,
    )


def _prose(text: str) -> bool:
    letters = sum(one.isalpha() or one == " " for one in text)
    return letters > 0.75 * len(text) and len(TERMS(text)) >= 4 and not text.endswith(("?", ":"))


def _extracted(folder: Path, count: int) -> Iterator[tuple[str, Taken]]:
    """Each way of taking sentences over the same passages: those that share most words with the
    question, best first."""
    documents = {row["_id"]: row["text"] for row in _rows(folder / "documents.jsonl")}
    cut = {name: _spans(text) for name, text in documents.items()}
    questions = _rows(folder / "span_queries.jsonl")[:count]
    ways: dict[str, Callable[[str, Sequence[Evidence]], list[tuple[int, int]]]] = {
        "sentences by words": _by_words,
        "first three sentences of the best passage": _first,
        "the best passage": lambda _, items: [_place(items[0], 0, len(items[0].text))],
    }
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for row in questions:
        spans = cut[row["corpus_id"]]
        asked = TERMS(row["text"])
        best = sorted(spans, key=lambda one: (-len(asked & one[2]), one[0]))[:_PASSAGES]
        items = [_evidence(text, n, start) for n, (start, text, _) in enumerate(best, start=1)]
        wanted = {
            at for one in row["references"] for at in range(one["start_index"], one["end_index"])
        }
        for name, way in ways.items():
            got = {at for start, end in way(row["text"], items) for at in range(start, end)}
            both = len(wanted & got)
            figures[name].append((both / len(wanted), both / max(1, len(got))))
    for name, pairs in figures.items():
        recall, precision = (sum(one[n] for one in pairs) / len(pairs) for n in (0, 1))
        f1 = sum(2 * r * p / (r + p) if r + p else 0.0 for r, p in pairs) / len(pairs)
        yield name, Taken(recall, precision, f1, len(pairs))


def _spans(text: str) -> Sequence[tuple[int, str, frozenset[str]]]:
    """Windows of whole lines with their places and words."""
    found, start = [], 0
    while start < len(text):
        end = text.find("\n", min(len(text), start + _WINDOW))
        end = min(len(text) if end < 0 else end + 1, start + 2 * _WINDOW)
        found.append((start, text[start:end], TERMS(text[start:end])))
        start = end
    return found


def _by_words(question: str, items: Sequence[Evidence]) -> list[tuple[int, int]]:
    sources = extract(question, items, TERMS).sources
    found = []
    for one in sources:
        item = items[one.evidence - 1]
        start = item.text.find(one.text)
        found.append(_place(item, start, start + len(one.text)))
    return found


def _first(_: str, items: Sequence[Evidence]) -> list[tuple[int, int]]:
    return [
        _place(items[0], one.start, one.end) for one in split(items[0].text, items[0].language)[:3]
    ]


def _place(item: Evidence, start: int, end: int) -> tuple[int, int]:
    at = item.start_char or 0
    return at + start, at + end


def _rows(place: Path) -> list[Any]:
    lines = require(place, "JSON lines").read_bytes().splitlines()
    return [msgspec.json.decode(line) for line in lines]
