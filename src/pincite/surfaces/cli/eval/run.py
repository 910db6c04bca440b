"""`pincite eval`: measure retrieval on your own questions and detect regressions."""

from __future__ import annotations

from pathlib import Path

import click

from pincite.surfaces.cli.eval.common import (
    FILE,
    Tried,
    golden_argument,
    measure_option,
    out_option,
    require_replaceable,
    take_run,
    tried_options,
)
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import json_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK, run


@click.group("eval", cls=Group)
def evaluate() -> None:
    """Measure retrieval on your own questions, tune it, and detect regressions."""


@evaluate.command("run")
@golden_argument
@out_option
@click.option("--label", help="The label of the run in reports; default: the preset.")
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
    """Search for all questions of GOLDEN and measure the results.

    -o stores the run with all questions, for compare, gate, report and calibrate.
    """
    from pincite.evals.analysis.measures import DEFAULT_MEASURES, parse
    from pincite.evals.analysis.summary import summarise
    from pincite.evals.extra import need
    from pincite.evals.report.tables import summary_table
    from pincite.evals.run.results import is_run, save_run
    from pincite.surfaces.text.render import to_json

    need("ir_measures")
    parse(*measure)
    require_replaceable(out, is_run, "run")
    taken = run(lambda engine: take_run(engine, golden, label, tried), tried.index, measured=True)
    if out:
        save_run(out, taken)
        say(f"wrote the run to {out}")
    summary = summarise(taken, measure or DEFAULT_MEASURES)
    show(to_json(summary) if json_ else summary_table(summary))


@evaluate.command()
@click.argument("runs", type=FILE, nargs=-1, required=True)
@measure_option
@click.option("--moved", default=3, show_default=True, help="Number of changed questions.")
@json_option
def compare(runs: tuple[Path, ...], measure: tuple[str, ...], moved: int, json_: bool) -> None:
    """Compare RUNS with the first one: differences, confidence intervals, significance."""
    from pincite.evals.analysis.compare import compare as compare_runs
    from pincite.evals.analysis.regression import GATED
    from pincite.evals.report.tables import comparison_table
    from pincite.evals.run.results import load_run
    from pincite.surfaces.text.render import to_json

    if len(runs) < 2:
        raise click.UsageError("give at least two runs: pincite eval compare A.json B.json")
    base, *others = map(load_run, runs)
    found = compare_runs(base, others, measure or GATED)
    show(to_json(found) if json_ else comparison_table(found, moved))


@evaluate.command()
@click.argument("golden", type=FILE, required=False)
@click.option("--baseline", type=FILE, required=True, help="The run to compare with.")
@click.option("--run", "taken", type=FILE, help="Check this run instead of a new one.")
@out_option
@click.option(
    "--allow-missing", is_flag=True, help="Pass although questions of the baseline are missing."
)
@tried_options
@measure_option
@json_option
def gate(
    golden: Path | None,
    baseline: Path,
    taken: Path | None,
    out: Path | None,
    allow_missing: bool,
    tried: Tried,
    measure: tuple[str, ...],
    json_: bool,
) -> int:
    """Fail (exit code 3) if retrieval is worse than in the baseline, or lacks its questions.

    The tolerance is half the width of the baseline's 95 % interval. A smaller loss can also fail
    if it is significant. Create a baseline with
    `pincite eval run GOLDEN -o baseline.json`.
    """
    from pincite.evals.analysis.measures import VERDICT, parse
    from pincite.evals.analysis.regression import GATED, check_measures
    from pincite.evals.extra import need
    from pincite.evals.report.tables import checks_table
    from pincite.evals.run.results import is_run, load_run, save_run
    from pincite.surfaces.text.render import to_json

    if (golden is None) == (taken is None):
        raise click.UsageError("give either GOLDEN or --run")
    need("ir_measures")
    parse(*(name for name in measure if name != VERDICT))
    require_replaceable(out, is_run, "run")
    before = load_run(baseline)
    if taken is not None:
        now = load_run(taken)
    else:
        place = golden or Path()
        now = run(lambda engine: take_run(engine, place, "now", tried), tried.index, measured=True)
    if out:
        save_run(out, now)
    found = check_measures(before, now, measure or GATED, allow_missing=allow_missing)
    show(to_json(found) if json_ else checks_table(found, before.stamp, now.stamp))
    return OK if found.passed else NOTHING


@evaluate.command()
@click.argument("runs", type=FILE, nargs=-1, required=True)
@out_option
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["html", "md", "json"]),
    help="Default: the extension of --out, else md.",
)
@measure_option
def report(
    runs: tuple[Path, ...], out: Path | None, form: str | None, measure: tuple[str, ...]
) -> None:
    """Write a report of one or more runs: one HTML file with plots, Markdown or JSON."""
    from pincite.evals.analysis.measures import DEFAULT_MEASURES
    from pincite.evals.golden.questions import write_whole
    from pincite.evals.report import is_report, render
    from pincite.evals.run.results import load_run

    require_replaceable(out, is_report, "report")
    endings = {".html": "html", ".htm": "html", ".json": "json"}
    chosen = form or (endings.get(out.suffix, "md") if out else "md")
    text = render([load_run(path) for path in runs], chosen, measure or DEFAULT_MEASURES)
    if out is None:
        show(text)
        return
    write_whole(out, text)
    say(f"wrote the report to {out}")


def _add_commands() -> None:
    from pincite.surfaces.cli.eval import sets as cli_eval_sets
    from pincite.surfaces.cli.eval import tuning as cli_eval_tuning

    for command in (*cli_eval_sets.COMMANDS, *cli_eval_tuning.COMMANDS):
        evaluate.add_command(command)


_add_commands()
