"""Run a sweep over an index: continue it from its journal, and distribute its questions to
processes.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pincite.engine import AsyncPincite
from pincite.errors import PinciteError, UsageError
from pincite.evals.golden.questions import GoldenQuery, GoldenSet
from pincite.evals.golden.targets import Targets
from pincite.evals.run.runner import Progressed, Subject, stamp
from pincite.evals.sweep.cells import Line, sweep_points
from pincite.evals.sweep.journal import Journal, SweepPlan, write_line
from pincite.evals.sweep.points import Point
from pincite.evals.sweep.rechunk import VECTORS, Indexing, indexed_anew, require_spans
from pincite.evals.sweep.results import SweepTable, require_tuning, tabulate
from pincite.model import Scope
from pincite.settings.load import Settings

_LOOK_S = 0.2


async def run_sweep(
    subject: Subject,
    golden: GoldenSet,
    points: Sequence[Point],
    names: Sequence[str],
    folder: Path,
    *,
    settings: Settings | None = None,
    jobs: int = 1,
    tune_share: float = 0.5,
    progress: Progressed = lambda *_: None,
    indexing: Indexing = lambda *_: None,
) -> SweepTable:
    """Search at all points, and compare them with the first one. Results in the folder are not
    computed again.

    Each of `jobs` processes gets a share of the questions. They open the index of `settings`;
    without settings there is only this process. Points with a chunker need `settings`: the sources
    are indexed once for each chunker with missing results, and `indexing` is called with the
    progress. Raises UsageError for a folder of another sweep, a share of 0 or above 1, or without a
    question to tune by, and for chunkers the errors of `require_spans` and `indexed_anew`.
    """
    require_tuning(golden, tune_share)
    chunkers = list(dict.fromkeys(point.chunker for point in points))
    if any(chunkers):
        require_spans(golden)
    plan = SweepPlan(await stamp(subject, golden, points[0].profile, "sweep"), tuple(names))
    journal = Journal(folder, plan)
    todo = [
        (chunker, work)
        for chunker in chunkers
        if (work := _missing(journal, golden, [p for p in points if p.chunker == chunker]))
    ]
    run = _Run(tuple(names), journal, jobs)
    before, total = 0, sum(_count(work) for _, work in todo)
    for chunker, work in todo:

        def told(done: int, _: int, before: int = before) -> None:
            progress(before + done, total)

        if chunker is None:
            await _work(settings, subject, work, run, told)
        elif settings is None:
            raise UsageError("a sweep over chunking needs the index settings")
        else:
            vectors = folder / VECTORS
            anew = indexed_anew(settings, subject, golden, chunker, vectors, indexing)
            async with anew as (away, twin):
                await _work(away, twin, work, run, told)
        before += _count(work)
    return tabulate(golden, points, journal.read(), names, tune_share)


#: Questions with missing results for the same points, and these points.
Work = list[tuple[list[GoldenQuery], list[Point]]]


@dataclass(frozen=True, slots=True)
class _Run:
    """The values that all parts of a sweep share: the names of its measures, and the journal to
    which its `jobs` processes write."""

    names: tuple[str, ...]
    journal: Journal
    jobs: int


def _missing(journal: Journal, golden: GoldenSet, points: Sequence[Point]) -> Work:
    done = journal.read()
    groups: dict[tuple[str, ...], tuple[list[GoldenQuery], list[Point]]] = {}
    for query in golden.queries:
        lacking = [point for point in points if query.id not in done.get(point.id, {})]
        if lacking:
            key = tuple(point.id for point in lacking)
            groups.setdefault(key, ([], lacking))[0].append(query)
    return list(groups.values())


def _count(work: Work) -> int:
    return sum(len(queries) for queries, _ in work)


async def _work(
    settings: Settings | None, subject: Subject, work: Work, run: _Run, progress: Progressed
) -> None:
    if run.jobs > 1 and settings is not None:
        await _in_processes(settings, subject, work, run, progress)
    else:
        await _here(subject, work, run, progress)


async def _here(subject: Subject, work: Work, run: _Run, progress: Progressed) -> None:
    total, numbers = _count(work), count(1)
    await _sweep_into(
        run.journal.new_file(), subject, work, run.names, lambda: progress(next(numbers), total)
    )


async def _sweep_into(
    place: Path, subject: Subject, work: Work, names: Sequence[str], written: Callable[[], None]
) -> None:
    """Sweep the work into a file of the journal. `written` is called after each of its lines."""
    with place.open("ab") as file:

        def emit(line: Line) -> None:
            write_line(file, line)
            written()

        for queries, points in work:
            await sweep_points(subject, queries, points, names, emit)


async def _in_processes(
    settings: Settings, subject: Subject, work: Work, run: _Run, progress: Progressed
) -> None:
    context = multiprocessing.get_context("spawn")
    before, total = run.journal.lines(), 0
    workers = []
    for number in range(run.jobs):
        share = [(queries[number :: run.jobs], points) for queries, points in work]
        share = [(queries, points) for queries, points in share if queries]
        if share:
            total += _count(share)
            given = (settings, subject.scope, subject.targets, share, run.names)
            workers.append(
                context.Process(target=_worker, args=(*given, run.journal.new_file()), daemon=True)
            )
    try:
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            await asyncio.sleep(_LOOK_S)
            progress(run.journal.lines() - before, total)
    finally:
        for worker in workers:
            if worker.pid is not None:
                worker.terminate()
                worker.join()
    if any(worker.exitcode for worker in workers):
        raise PinciteError(
            "a process of the sweep failed; its message is above",
            hint="run the same command again to continue the sweep",
        )


def _worker(
    settings: Settings,
    scope: Scope,
    targets: Targets,
    work: Work,
    names: Sequence[str],
    place: Path,
) -> None:
    """Search for a share of the questions at all points. The parent ends this process when it is
    interrupted; if the parent was killed, this process ends on its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def leave_with_parent() -> None:
        if parent is not None and not parent.is_alive():
            raise SystemExit(1)

    async def session() -> None:
        async with AsyncPincite(settings) as engine:
            subject = Subject(await engine.deps(scope), scope, targets)
            await _sweep_into(place, subject, work, names, leave_with_parent)

    asyncio.run(session())
