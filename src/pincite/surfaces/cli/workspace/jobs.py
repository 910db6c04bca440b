"""`pincite workspace failed`, `jobs`, `dead` and `retry`: documents and jobs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.terminal import one_line
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say
from pincite.surfaces.cli.run import NOTHING, OK
from pincite.surfaces.cli.workspace.common import as_operator, tell

if TYPE_CHECKING:
    from pincite.workspace.model import Counts, Job
    from pincite.workspace.ports import Administration


@click.command()
@json_option
@index_option
def failed(json_: bool, index: Path | None) -> int:
    """List documents that cannot be indexed, with the reason. Exit code 3 if there are any.

    To retry one, upload its content again, or other content.
    """
    found = as_operator(lambda operator: operator.failed(), index)
    lines = [f"{one.id}  space {one.space_id}  {one_line(one.error)}" for one in found]
    tell(
        [{"id": one.id, "space_id": one.space_id, "error": one.error} for one in found],
        json_,
        lines,
        "every document can be indexed",
    )
    return NOTHING if found else OK


@click.command()
@json_option
@index_option
def jobs(json_: bool, index: Path | None) -> None:
    """List jobs that wait or run, up to 1,000, with the reason why a job waits for a retry.

    Jobs that have failed come first. `pincite workspace dead` lists those that are not retried.
    """

    async def look(operator: Administration) -> tuple[tuple[Job, ...], Counts]:
        return await operator.open_jobs(), await operator.counts()

    found, counts = as_operator(look, index)
    tell(found, json_, [_open_line(one) for one in found], "no job waits or runs")
    held = counts.jobs
    say(f"{held['waiting']:,} waiting, {held['running']:,} running, {held['dead']:,} dead")


@click.command()
@json_option
@index_option
def dead(json_: bool, index: Path | None) -> int:
    """List jobs that failed too often, with the reason. Exit code 3 if there are any."""
    found = as_operator(lambda operator: operator.dead(), index)
    tell(found, json_, [_job_line(one) for one in found], "no job is dead")
    return NOTHING if found else OK


@click.command()
@click.argument("job_ids", nargs=-1, required=True, metavar="ID...")
@index_option
def retry(job_ids: tuple[str, ...], index: Path | None) -> None:
    """Try dead jobs again, all of them or none."""

    async def every(operator: Administration) -> None:
        for one in job_ids:
            await operator.retry(one)

    as_operator(every, index)
    say(f"{len(job_ids)} to be tried again")


def _open_line(one: Job) -> str:
    if one.state == "running":
        due = "running"
    elif one.reason and one.due is not None:
        due = f"next try {one.due:%Y-%m-%d %H:%M:%S} UTC"
    else:
        due = "waiting"
    tried = f"tried {one.attempts}"
    return f"{one.id}  document {one.document_id}  {tried}  {due}  {one_line(one.reason)}".rstrip()


def _job_line(one: Job) -> str:
    return f"{one.id}  document {one.document_id}  tried {one.attempts}  {one_line(one.reason)}"
