"""Is the answer in what is shown? Thirty questions about three real projects.

Each project of `reading_questions.json` is indexed by the product with the bundled model, and each
question is asked as it stands. `passages` shows the passages alone, as before there were units;
`units` is what is shipped: the function, class, section or list around them.

- file: a file of the answer is among the first three results.
- answer: all lines of one of the places that answer the question are among the lines that the first
  three results show.
- tokens: characters of these three over 4. files: distinct ones among the first five.
- context: milliseconds of that stage in the daemon, the median.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.answering.reading_corpora import ReadingQuestion, fetch, read_questions
from bench.frame import Options
from bench.product import open_product, temporary_folder
from pincite.evals.analysis.statistics import median
from pincite.evals.run.runner import CHARS_PER_TOKEN, measured
from pincite.ingestion.options import IndexOptions
from pincite.model import Evidence
from pincite.profile import Profile
from pincite.support.fields import replace

_READ, _SEEN = 3, 5  # results that are read, and that are on a page


@dataclass(frozen=True, slots=True)
class Read:
    """One question with one way of showing."""

    file: bool
    answer: bool
    tokens: float
    files: int
    context_ms: float


@dataclass(frozen=True, slots=True)
class ReadingFigures:
    """By what is shown: how many questions have file and answer, of each project and of all, and
    means over all questions."""

    questions: dict[str, int]
    file: dict[str, dict[str, int]]
    answer: dict[str, dict[str, int]]
    tokens: dict[str, float]
    files: dict[str, float]
    context_ms: dict[str, float]


async def run(options: Options) -> ReadingFigures:
    """Fetch, index, ask. Raises SkippedError where a project cannot be had."""
    reading = read_questions()
    names = list(reading.corpora)[:1] if options.quick else list(reading.corpora)
    taken: dict[str, dict[str, list[Read]]] = {name: {} for name in ways(Profile())}
    with temporary_folder() as work:
        for name in names:
            project = reading.corpora[name]
            root = fetch(project, name, options.cache / "reading", work / "projects")
            async with open_product(work / name, options) as engine:
                await engine.index([root], options=IndexOptions(name=name))
                for way, profile in ways(engine.settings.profile).items():
                    for one in reading.questions:
                        if one.corpus != name:
                            continue
                        pack = await engine.search(one.question, profile=profile)
                        read = judged(one, pack.evidence, pack.timings_ms["context"])
                        taken[way].setdefault(name, []).append(read)
            print(f"  {name}", flush=True)
    return figures(taken)


def ways(profile: Profile) -> dict[str, Profile]:
    """What is compared."""
    keep = replace(profile, select=replace(profile.select, on_none="keep"))
    return {"passages": measured(keep), "units": keep}


def judged(question: ReadingQuestion, shown: Sequence[Evidence], context_ms: float) -> Read:
    """What the first results say about the question."""
    lines: dict[str, set[int]] = {}
    characters = 0
    for item in shown[:_READ]:
        part = item.context or item
        lines.setdefault(item.path, set()).update(range(part.start_line, part.end_line + 1))
        characters += len(part.text)
    return Read(
        file=any(place.path in lines for place in question.gold),
        answer=any(
            set(range(place.first, place.last + 1)) <= lines.get(place.path, set())
            for place in question.gold
        ),
        tokens=characters / CHARS_PER_TOKEN,
        files=len({item.path for item in shown[:_SEEN]}),
        context_ms=context_ms,
    )


def figures(taken: dict[str, dict[str, list[Read]]]) -> ReadingFigures:
    """Counts by project and of all, and means."""
    file: dict[str, dict[str, int]] = {}
    answer: dict[str, dict[str, int]] = {}
    tokens, files, times = {}, {}, {}
    questions: dict[str, int] = {}
    for way, projects in taken.items():
        every = [read for reads in projects.values() for read in reads]
        named = {**projects, "all": every}
        questions = {name: len(reads) for name, reads in named.items()}
        file[way] = {name: sum(one.file for one in reads) for name, reads in named.items()}
        answer[way] = {name: sum(one.answer for one in reads) for name, reads in named.items()}
        tokens[way] = sum(one.tokens for one in every) / len(every)
        files[way] = sum(one.files for one in every) / len(every)
        times[way] = median([one.context_ms for one in every])
    return ReadingFigures(questions, file, answer, tokens, files, times)
