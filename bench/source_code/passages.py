"""Is the first passage of a file the one that answers? Questions in prose, answered by ranges of
lines.

`passages.json` has 143 questions about six repositories in six languages. Each answer is one to
three ranges of lines, chosen by reading the code before any result was seen. The repositories are
in `--data`, as `passages/NAME`: a checkout of the commit that the file names. All are asked by
words, for ten results.

- A passage is right if it has two lines of an answer, or half of its own lines are of one.
- first, in 3, in 10: the share of questions with a right passage there; mrr: the mean reciprocal
  rank of the first one.
- file first: the share whose first result is of a file with an answer. wrong passage: the share
  whose first result is of such a file, and not right.
- ndcg_10: of files, as in `code_search.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from bench.frame import Options, SkippedError
from bench.product import open_product, temporary_folder
from bench.source_code.code_search import mean, ndcg, showing
from pincite.ingestion.options import IndexOptions
from pincite.model import Evidence

QUESTIONS: Final = Path(__file__).with_suffix(".json")
_LINES: Final = 2


class Answer(msgspec.Struct, frozen=True):
    """A range of lines, both ends included."""

    path: str
    first: int
    last: int


class Asked(msgspec.Struct, frozen=True):
    """A question and the ranges that answer it."""

    question: str
    answers: tuple[Answer, ...]


class Repository(msgspec.Struct, frozen=True):
    """A repository at a commit."""

    name: str
    language: str
    address: str
    commit: str
    questions: tuple[Asked, ...]


@dataclass(slots=True)
class PassageFigures:
    """One value for each question, by measure and repository."""

    values: dict[str, dict[str, list[float]]] = field(default_factory=dict)


def read_questions(path: Path = QUESTIONS) -> list[Repository]:
    """The repositories with their questions."""
    return msgspec.json.decode(path.read_bytes(), type=list[Repository])


async def run(options: Options) -> PassageFigures:
    """Measure all repositories. Raises SkippedError naming what is missing."""
    figures = PassageFigures()
    repositories = read_questions()[: 1 if options.quick else None]
    roots = [place_of(one, options.data) for one in repositories]
    with temporary_folder() as work:
        for one, root in zip(repositories, roots, strict=True):
            await _measure(one, root, work / one.name, options, figures)
            first = mean(figures.values["first"][one.name])
            print(f"  {one.name}: {len(one.questions)} questions, first {first:.3f}", flush=True)
    return figures


def place_of(one: Repository, data: Path) -> Path:
    """The checkout. Raises SkippedError saying how to get it."""
    place = data / "passages" / one.name
    if not place.is_dir():
        said = f"git clone {one.address} {place}, then git checkout {one.commit}"
        raise SkippedError(f"{place} is missing: {said}")
    return place


async def _measure(
    one: Repository, root: Path, index: Path, options: Options, figures: PassageFigures
) -> None:
    async with open_product(index, options) as engine:
        await engine.index([root], options=IndexOptions(lexical=True, name=one.name))
        profile = showing(engine.settings.profile)
        for asked in one.questions:
            found = (await engine.search(asked.question, profile=profile)).evidence
            for name, value in judged(found, asked.answers).items():
                figures.values.setdefault(name, {}).setdefault(one.name, []).append(value)


def judged(found: Sequence[Evidence], answers: Sequence[Answer]) -> dict[str, float]:
    """What the results of one question are worth, by measure."""
    right = [any(_is_right(item, answer) for answer in answers) for item in found]
    files = {answer.path for answer in answers}
    is_file = bool(found) and found[0].path in files
    rank = right.index(True) + 1 if any(right) else 0
    return {
        "first": float(any(right[:1])),
        "in 3": float(any(right[:3])),
        "in 10": float(any(right[:10])),
        "mrr": 1 / rank if rank else 0.0,
        "file first": float(is_file),
        "wrong passage": float(is_file and not right[0]),
        "ndcg_10": ndcg(dict.fromkeys(item.path for item in found), sorted(files)),
    }


def _is_right(item: Evidence, answer: Answer) -> bool:
    if item.path != answer.path:
        return False
    common = min(item.end_line, answer.last) - max(item.start_line, answer.first) + 1
    return common >= _LINES or 2 * common >= item.end_line - item.start_line + 1
