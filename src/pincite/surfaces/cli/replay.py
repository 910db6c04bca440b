"""`pincite replay`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK, run

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite


@click.command()
@click.argument("query_id", required=False)
@click.option("--current", is_flag=True, help="Use current settings, not the logged ones.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    help="Maximum number of searches to list.",
)
@json_option
@index_option
def replay(query_id: str | None, current: bool, limit: int, json_: bool, index: Path | None) -> int:
    """Repeat a logged search and show the differences.

    The differences may be in rank, score, index, models or settings. QUERY_ID may be shortened;
    `last` is the latest search. Without it, logged searches are listed. Exit code 3 if anything
    changed.
    """
    from pincite.diagnostics import replay as replaying
    from pincite.settings.load import load_settings
    from pincite.surfaces.text.render import to_json

    if query_id is None:
        settings = load_settings(os.environ, None, index)
        found = replaying.logged(settings, limit)
        if not found:
            run(_require_index, index)
            say("no search is logged" if settings.log.enabled else "the log of searches is off")
        if found or json_:
            show(to_json(found) if json_ else replaying.logged_table(found))
        return OK
    result = run(
        lambda engine: replaying.replay(engine, query_id, current=current), index, measured=True
    )
    show(to_json(result) if json_ else replaying.replay_table(result))
    return OK if result.same else NOTHING


async def _require_index(engine: AsyncPincite) -> None:
    """Raise IndexNotFound if there is no index."""
    engine.client()
