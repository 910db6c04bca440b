"""Is the ranking as good on repositories that no setting was chosen with?

`held_out.json` has questions about 29 repositories, written before any search, and the files that
answer them. `--trees DIR` has a checkout of each at its commit, as `DIR/OWNER+NAME`. Those that are
not there are named, with the commands that make them, and left out.

- `folders`: the code of nine repositories in C++, Ruby and Go. `later folders`: of three more, by
  an author who knew the rules that the first ones had led to. `latest folders`: of nine more, for
  a review of the ranking with those rules. `whole trees`: eight more, with questions that
  code, a page, or another file (a test, a changelog) answers.
- nDCG@10 over the distinct files of ten results, as in `code_search.py`, with whole paths.
- `hybrid`: with the bundled model, if `--hybrid` is given.
- `kind code`: those that code answers, asked in whole trees for code alone.
- semble: its release as `--semble PYTHON` has it, without a model. It indexes code alone; for
  `semble with pages`, pages too, in whole trees.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.frame import Options, SkippedError
from bench.product import open_product, temporary_folder
from bench.source_code.code_search import Semble, mean, ndcg, open_semble, showing
from bench.source_code.held_out_questions import (
    Asked,
    HeldOut,
    fault_of,
    indexed,
    labels_of,
    read_questions,
)
from pincite.ingestion.options import IndexOptions


@dataclass(frozen=True, slots=True)
class Group:
    """Some questions, and the mean nDCG@10 of each system that was asked all of them."""

    questions: int
    systems: dict[str, float]


@dataclass(frozen=True, slots=True)
class HeldOutFigures:
    """Groups of questions, and those of each repository. `left_out` have no right checkout."""

    semble: str
    left_out: tuple[str, ...]
    groups: dict[str, Group]
    repositories: dict[str, Group]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a system made of a question, in nDCG@10."""

    system: str
    repository: str
    labels: tuple[str, ...]
    ndcg: float


async def run(options: Options) -> HeldOutFigures:
    """Measure all repositories. Raises SkippedError if no checkout is there."""
    repositories = read_questions()
    if options.quick:  # the first of each set
        repositories = list({one.set: one for one in reversed(repositories)}.values())
    return await measure(repositories, options)


async def measure(repositories: Sequence[HeldOut], options: Options) -> HeldOutFigures:
    """Measure those that have a checkout. Raises SkippedError if none has."""
    trees = options.trees
    if trees is None:
        raise SkippedError("set --trees to a folder of checkouts; an empty one gets their commands")
    faults = {one.name: fault for one in repositories if (fault := fault_of(one, trees))}
    for name, fault in faults.items():
        print(f"  {name}: {fault}", flush=True)
    if len(faults) == len(repositories):
        raise SkippedError(f"{trees} has none of the checkouts; the lines above make them")
    answered: list[Answered] = []
    rival = await open_semble(options.semble) if options.semble else None
    try:
        for one in repositories:
            if one.name not in faults:
                found = await _measure(one, trees, rival, options)
                print(f"  {one.name}: {_line(found)}", flush=True)
                answered += found
    finally:
        if rival is not None:
            await rival.close()
    return HeldOutFigures(
        rival.version if rival else "",
        tuple(faults),
        grouped(answered, lambda each: each.labels),
        grouped(answered, lambda each: (each.repository,)),
    )


async def _measure(
    one: HeldOut, trees: Path, rival: Semble | None, options: Options
) -> list[Answered]:
    answered: list[Answered] = []

    def take(system: str, asked: Asked, paths: Iterable[str]) -> None:
        value = ndcg(dict.fromkeys(paths), asked.relevant, operator.eq)
        answered.append(Answered(system, one.name, labels_of(one, asked), value))

    with temporary_folder() as work:
        root = indexed(one, trees, work / "folders")
        for name in ("lexical", "hybrid") if options.hybrid else ("lexical",):
            async with open_product(work / name, options) as engine:
                await engine.index([root], options=IndexOptions(lexical=name == "lexical"))
                profile = showing(engine.settings.profile)
                for asked in one.questions:
                    pack = await engine.search(asked.question, profile=profile)
                    take(name, asked, [item.path for item in pack.evidence])
                    if asked.kind == "code":
                        pack = await engine.search(asked.question, profile=profile, kinds="code")
                        take(f"{name}, kind code", asked, [item.path for item in pack.evidence])
        if rival is not None:
            texts = [asked.question for asked in one.questions]
            for name, pages in (("semble", False), ("semble with pages", True)):
                if one.set == "whole trees" or not pages:
                    found = await rival.ask(root, texts, pages=pages)
                    for asked, paths in zip(one.questions, found["files"], strict=True):
                        take(name, asked, paths)
    return answered


def grouped(
    answered: Iterable[Answered], labels: Callable[[Answered], Iterable[str]]
) -> dict[str, Group]:
    """The answers by label, without systems that were asked only a part of its questions."""
    values: dict[str, dict[str, list[float]]] = {}
    for each in answered:
        for label in labels(each):
            values.setdefault(label, {}).setdefault(each.system, []).append(each.ndcg)
    found = {}
    for label, systems in values.items():
        questions = max(map(len, systems.values()))
        asked_all = {name: mean(some) for name, some in systems.items() if len(some) == questions}
        found[label] = Group(questions, asked_all)
    return found


def _line(answered: Sequence[Answered]) -> str:
    (every,) = grouped(answered, lambda _: ("",)).values()
    return ", ".join(f"{name} {value:.3f}" for name, value in every.systems.items())
