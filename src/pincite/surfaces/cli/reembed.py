"""`pincite reembed`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.counted import counted
from pincite.surfaces.cli.options import index_option, json_option, wait_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import run

if TYPE_CHECKING:
    from pincite.maintenance.reembed import Reembedded, Reembedding
    from pincite.model import Notice


@click.command()
@click.argument("collection")
@click.option("--to", "model", required=True, help="The dense model: PROVIDER:MODEL, or bundled.")
@click.option("--keep", is_flag=True, help="Keep the old vectors on disk, unused.")
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    help="Maximum number of chunks per second.",
)
@wait_option
@json_option
@index_option
def reembed(
    collection: str,
    model: str,
    keep: bool,
    rate: float | None,
    wait: float,
    json_: bool,
    index: Path | None,
) -> None:
    """Change the embedding model of a collection, using its stored texts.

    Searches use the old vectors until the new ones are complete and checked, and then
    switch all at once. Run the same command to resume after an interruption. No file is read.
    """
    from pincite.maintenance.reembed import ReembedOptions
    from pincite.surfaces.cli.progress import CountLine
    from pincite.surfaces.text.render import to_json

    line = CountLine(sys.stderr, "embedding")

    def on_notice(notice: Notice) -> None:
        line.done()
        say(f"warning: {notice.code}: {notice.message}")

    def count(progress: Reembedding) -> None:
        line.count(progress.done, progress.total)

    options = ReembedOptions(keep, rate or 0.0, wait, on_notice, line.fetching)
    try:
        done = run(
            lambda engine: engine.reembed(collection, model, options=options, progress=count), index
        )
    finally:
        line.done()
    say(_sentence(done))
    if json_:
        show(to_json(done))


def _sentence(done: Reembedded) -> str:
    if not done.encoded and not done.retired:
        return f"{done.base} already uses {done.model}: nothing to do"
    old = ", ".join(done.retired)
    fate = f"; {old}: {'kept, not searched' if done.kept else 'dropped'}" if old else ""
    return (
        f"{done.base} now uses {done.model}: {counted(done.documents, 'document')},"
        f" {counted(done.chunks, 'chunk')} in {done.collection}, {done.encoded:,} embedded{fate}"
    )
