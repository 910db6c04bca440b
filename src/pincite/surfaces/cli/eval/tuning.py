"""`pincite eval sweep, ann, calibrate`: find the best configuration."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pincite.surfaces.cli.eval.common import (
    FILE,
    Tried,
    golden_argument,
    measure_option,
    open_tried,
    out_option,
    profile_of,
    progress_line,
    read_questions,
    require_replaceable,
    take_run,
    tried_options,
)
from pincite.surfaces.cli.options import json_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import run

if TYPE_CHECKING:
    from pincite.chunkers import ChunkerConfig
    from pincite.engine import AsyncPincite
    from pincite.evals.analysis.approximate import AnnReport
    from pincite.evals.sweep.results import SweepTable
    from pincite.ingestion.report import Progress


@click.command()
@golden_argument
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder of the sweep; an interrupted sweep resumes.",
)
@click.option(
    "--vary",
    multiple=True,
    required=True,
    metavar="FIELD=VALUES",
    help="Such as fuse.method=rrf,dbsf or, with --random, fuse.dense_weight=0.2..0.8.",
)
@click.option("--random", "draws", type=click.IntRange(min=1), help="Number of random points.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), help="Processes; default: one per core.")
@click.option("--tune", default=0.5, show_default=True, help="Share of questions to tune by.")
@click.option("--top", default=10, show_default=True, help="Number of points to show.")
@tried_options
@measure_option
@json_option
def sweep(
    golden: Path,
    out: Path,
    vary: tuple[str, ...],
    draws: int | None,
    seed: int,
    jobs: int | None,
    tune: float,
    top: int,
    tried: Tried,
    measure: tuple[str, ...],
    json_: bool,
) -> None:
    """Try many profiles on GOLDEN, as a grid or at random.

    Embeddings, rankings, chunks and rerank scores are computed once and shared by all points. For
    fields of the chunker, such as --vary chunking.target_tokens=96,160, the sources are indexed
    into a temporary index, once for each chunking.
    """
    from msgspec import to_builtins

    from pincite.evals.analysis.conditions import measured_with
    from pincite.evals.analysis.measures import parse
    from pincite.evals.extra import need
    from pincite.evals.report.tables import sweep_table
    from pincite.evals.sweep.cells import SWEPT
    from pincite.evals.sweep.points import draw, grid, parse_values
    from pincite.evals.sweep.rechunk import require_spans
    from pincite.evals.sweep.runner import run_sweep
    from pincite.surfaces.cli.progress import ProgressLine
    from pincite.surfaces.text.render import to_json

    need("ir_measures")
    parse(*measure)
    axes = parse_values(vary)
    questions = read_questions(golden)

    async def work(engine: AsyncPincite) -> SweepTable:
        base = profile_of(engine, tried)
        points = draw(base, axes, draws, seed) if draws else grid(base, axes)
        for label, reason in points.refused.items():
            say(f"warning: contradiction: {label} is left out: {reason}")
        if any(point.chunker for point in points.points):
            require_spans(questions)  # a clearer message than that their ids are not indexed
        line = ProgressLine(sys.stderr)
        last: list[object] = []

        def indexing(chunker: ChunkerConfig, progress: Progress) -> None:
            if last != [chunker]:
                last[:] = [chunker]
                line.done()
                sizes = f"{chunker.target_tokens}/{chunker.max_tokens}/{chunker.solo_tokens}"
                say(f"indexing again with chunks of target/max/solo {sizes} tokens")
            line(progress)

        if not {"select.results", "context.around"} & axes.keys():
            say(measured_with(to_builtins(base), measure or SWEPT))
        with progress_line(f"{len(points.points)} points, sweeping") as told:
            return await run_sweep(
                await open_tried(engine, questions, tried),
                questions,
                points.points,
                measure or SWEPT,
                out,
                settings=engine.settings,
                jobs=jobs or os.cpu_count() or 1,
                tune_share=tune,
                progress=told,
                indexing=indexing,
            )

    found = run(work, tried.index, measured=True)
    show(to_json(found) if json_ else sweep_table(found, top))


@click.command()
@golden_argument
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Results per ranking to compare.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Number of questions.",
)
@click.option("--seed", default=0, show_default=True)
@tried_options
@json_option
def ann(
    golden: Path,
    depth: int,
    sample: int,
    seed: int,
    tried: Tried,
    json_: bool,
) -> None:
    """Compare approximate with exact dense search: the number and list of missed results."""
    from pincite.evals.analysis.approximate import check_ann
    from pincite.evals.report.tables import ann_table
    from pincite.surfaces.text.render import to_json

    questions = read_questions(golden)

    async def work(engine: AsyncPincite) -> AnnReport:
        subject = await open_tried(engine, questions, tried)
        profile = profile_of(engine, tried)
        with progress_line("searching twice") as told:
            return await check_ann(
                subject,
                questions.queries,
                profile,
                depth=depth,
                sample=sample,
                seed=seed,
                progress=told,
            )

    found = run(work, tried.index, measured=True)
    show(to_json(found) if json_ else ann_table(found))


@click.command()
@click.argument("golden", type=FILE)
@click.option("--write", type=FILE, metavar="TOML", help="Write the thresholds into this profile.")
@click.option("--caution", default=2.0, show_default=True, help="Weight of a wrong refusal.")
@out_option
@tried_options
@json_option
def calibrate(
    golden: Path,
    write: Path | None,
    caution: float,
    out: Path | None,
    tried: Tried,
    json_: bool,
) -> None:
    """Learn the thresholds of the verdict on GOLDEN, which needs off-topic questions.

    GOLDEN may also be a run (.json) of `pincite eval run -o`. --write stores the thresholds in a
    pincite.toml; the verdicts of later packs are then marked as calibrated. This needs 20
    off-topic questions. 20 of them should be near: on the subject of the corpus, without an answer.
    """
    from pincite.evals.analysis.calibrate import calibrate as learn
    from pincite.evals.extra import need
    from pincite.evals.report.calibration import calibration_table
    from pincite.evals.run.results import is_run, load_run, save_run
    from pincite.surfaces.text.render import to_json

    if write:
        need("tomlkit")
    require_replaceable(out, is_run, "run")
    if golden.suffix == ".json":
        taken = load_run(golden)
    else:
        taken = run(lambda e: take_run(e, golden, None, tried), tried.index, measured=True)
    if out:
        save_run(out, taken)
    found = learn(taken, caution=caution)
    show(to_json(found) if json_ else calibration_table(found))
    if write:
        from pincite.evals.analysis.profile_file import write_thresholds

        names = write_thresholds(write, found, taken.stamp.created[:10])
        say(f"{write} now has gate.{', gate.'.join(names)}")


COMMANDS: Final = (sweep, ann, calibrate)
