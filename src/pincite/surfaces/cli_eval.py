"""`pincite eval`: measure retrieval on your own questions, and keep it from getting worse."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pincite.surfaces.options import (
    NOTHING,
    OK,
    index_option,
    json_option,
    run,
    say,
    show,
    with_options,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pincite.engine import AsyncPincite
    from pincite.evals.golden import GoldenSet
    from pincite.evals.running import Subject
    from pincite.evals.runs import Run
    from pincite.model import Scope
    from pincite.profile import Profile

R = TypeVar("R")
FILE = click.Path(path_type=Path, dir_okay=False)
golden_argument = click.argument("golden", type=FILE)
out_option = click.option("-o", "--out", type=FILE, help="Write to this file.")
measure_option = click.option(
    "-m", "--measure", multiple=True, help="Measures as in ir-measures: nDCG@10, R@50, RR, AP ..."
)
collections_option = click.option("-c", "--collection", multiple=True, help="Only these.")
_TRIED = (
    click.option("--preset", help="This preset instead of the profile in use."),
    click.option(
        "--set",
        "values",
        multiple=True,
        metavar="FIELD=VALUE",
        help="Another value in the profile.",
    ),
    collections_option,
    index_option,
)


@dataclass(frozen=True, slots=True)
class Tried:
    """What is measured: a preset or else the profile in use, with other values, on these
    collections of an index."""

    preset: str | None
    values: tuple[str, ...]
    collections: tuple[str, ...]
    index: Path | None


def tried_options(command: Callable[..., R]) -> Callable[..., R]:
    """Gives a command the options that say what is measured, as one argument `tried`."""

    @wraps(command)
    def taking(
        *,
        preset: str | None,
        values: tuple[str, ...],
        collection: tuple[str, ...],
        index: Path | None,
        **others: Any,
    ) -> R:
        return command(tried=Tried(preset, values, collection, index), **others)

    return with_options(*_TRIED)(taking)


@click.group("eval")
def evaluate() -> None:
    """Measure retrieval on your own questions, tune it, and keep it from getting worse."""


@evaluate.command("run")
@golden_argument
@out_option
@click.option("--label", help="What reports call the run; default: the preset.")
@tried_options
@measure_option
@json_option
def run_(
    golden: Path,
    out: Path | None,
    label: str | None,
    tried: Tried,
    measure: tuple[str, ...],
    json_: bool,
) -> None:
    """Ask all questions of GOLDEN and say how good the answers are.

    With -o the run is kept, question by question: for compare, gate, report and calibrate.
    """
    from pincite.evals.measures import DEFAULT_MEASURES, parse
    from pincite.evals.runs import save_run
    from pincite.evals.summary import summarise
    from pincite.evals.tables import summary_table
    from pincite.surfaces.render import to_json

    parse(*measure)
    taken = run(lambda engine: take_run(engine, golden, label, tried), tried.index)
    if out:
        save_run(out, taken)
        say(f"{out} has the run")
    summary = summarise(taken, measure or DEFAULT_MEASURES)
    show(to_json(summary) if json_ else summary_table(summary))


@evaluate.command()
@click.argument("runs", type=FILE, nargs=-1, required=True)
@measure_option
@click.option("--moved", default=3, show_default=True, help="Show so many questions that moved.")
@json_option
def compare(runs: tuple[Path, ...], measure: tuple[str, ...], moved: int, json_: bool) -> None:
    """Hold runs against the first of RUNS: differences, their intervals, and what chance does."""
    from pincite.evals.compare import compare as compare_runs
    from pincite.evals.regression import GATED
    from pincite.evals.runs import load_run
    from pincite.evals.tables import comparison_table
    from pincite.surfaces.render import to_json

    if len(runs) < 2:
        raise click.UsageError("two runs or more are needed: pincite eval compare A.json B.json")
    base, *others = map(load_run, runs)
    found = compare_runs(base, others, measure or GATED)
    show(to_json(found) if json_ else comparison_table(found, moved))


@evaluate.command()
@click.argument("golden", type=FILE, required=False)
@click.option("--baseline", type=FILE, required=True, help="A run that was good enough.")
@click.option("--run", "taken", type=FILE, help="Check this run instead of taking one.")
@out_option
@tried_options
@measure_option
@json_option
def gate(
    golden: Path | None,
    baseline: Path,
    taken: Path | None,
    out: Path | None,
    tried: Tried,
    measure: tuple[str, ...],
    json_: bool,
) -> int:
    """Fail (exit code 3) if retrieval has become worse than in the baseline.

    How much it may vary follows from the baseline's own interval. Make a baseline with
    `pincite eval run GOLDEN -o baseline.json`.
    """
    from pincite.evals.regression import GATED, check
    from pincite.evals.runs import load_run, save_run
    from pincite.evals.tables import checks_table
    from pincite.surfaces.render import to_json

    if (golden is None) == (taken is None):
        raise click.UsageError("name either GOLDEN or --run, and not both")
    before = load_run(baseline)
    if taken is not None:
        now = load_run(taken)
    else:
        place = golden or Path()
        now = run(lambda engine: take_run(engine, place, "now", tried), tried.index)
    if out:
        save_run(out, now)
    checks = check(before, now, measure or GATED)
    show(to_json(checks) if json_ else checks_table(checks, before.stamp, now.stamp))
    return NOTHING if any(one.result == "worse" for one in checks) else OK


@evaluate.command()
@click.argument("runs", type=FILE, nargs=-1, required=True)
@out_option
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["html", "md", "json"]),
    help="Default: by the ending of --out, else md.",
)
@measure_option
def report(
    runs: tuple[Path, ...], out: Path | None, form: str | None, measure: tuple[str, ...]
) -> None:
    """Make a report of one run or several: one HTML file with plots, Markdown or JSON."""
    from pincite.evals.golden import write_whole
    from pincite.evals.measures import DEFAULT_MEASURES
    from pincite.evals.report import render
    from pincite.evals.runs import load_run

    endings = {".html": "html", ".htm": "html", ".json": "json"}
    chosen = form or (endings.get(out.suffix, "md") if out else "md")
    text = render([load_run(path) for path in runs], chosen, measure or DEFAULT_MEASURES)
    if out is None:
        show(text)
        return
    write_whole(out, text)
    say(f"{out} has the report")


async def take_run(engine: AsyncPincite, golden: Path, label: str | None, tried: Tried) -> Run:
    """A run of what is tried."""
    from pincite.evals.running import run_golden
    from pincite.presets import GENERAL

    questions = read_questions(golden)
    profile = profile_of(engine, tried)
    name = label or " ".join((tried.preset or GENERAL, *tried.values))
    subject = await open_tried(engine, questions, tried)
    with progress_line("asking") as told:
        return await run_golden(subject, questions, profile, name, told)


async def open_tried(engine: AsyncPincite, questions: GoldenSet, tried: Tried) -> Subject:
    """What is measured, with a warning where expected items are not indexed."""
    from pincite.evals.running import open_subject
    from pincite.evals.targets import not_indexed

    subject = await open_subject(engine, questions, scope_of(tried.collections))
    lost = not_indexed(subject.targets)
    if lost:
        say(f"warning: not_indexed: {lost}")
    return subject


def read_questions(golden: Path) -> GoldenSet:
    """The golden set that was named."""
    from pincite.evals.golden import read_golden

    return read_golden(golden)


def profile_of(engine: AsyncPincite, tried: Tried) -> Profile:
    """The profile that is tried. Raises ConfigError, UsageError."""
    from pincite.errors import UsageError
    from pincite.evals.points import parse_values, with_values

    settings = engine.settings
    base = settings.preset(tried.preset) if tried.preset else settings.profile
    chosen: dict[str, Any] = {}
    for name, given in parse_values(tried.values).items():
        if not isinstance(given, tuple) or len(given) != 1:
            raise UsageError(f"--set {name} takes one value; to try several: pincite eval sweep")
        chosen[name] = given[0]
    return with_values(base, chosen)


def scope_of(collections: tuple[str, ...]) -> Scope:
    """Only these collections, all if none is named."""
    from pincite.model import Scope

    return Scope(collections=collections)


@contextmanager
def progress_line(words: str) -> Iterator[Callable[[int, int], None]]:
    """Something to call with what is done and the total."""
    from pincite.surfaces.progress import CountLine

    line = CountLine(sys.stderr, words)
    try:
        yield line.count
    finally:
        line.done()


def _add_commands() -> None:
    from pincite.surfaces import cli_eval_sets, cli_eval_tuning

    for command in (*cli_eval_sets.COMMANDS, *cli_eval_tuning.COMMANDS):
        evaluate.add_command(command)


_add_commands()
