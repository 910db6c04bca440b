"""`pincite workspace migrate`, `adopt` and `status`: the database of users and documents."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.terminal import one_line
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say
from pincite.surfaces.cli.run import NOTHING, OK, settings_here
from pincite.surfaces.cli.workspace.common import tell, with_database

if TYPE_CHECKING:
    from pincite.workspace.ports import Workspaces

_FACTS = "0008_facts"  # facts are in the database since this migration


@click.command()
@json_option
@index_option
def migrate(json_: bool, index: Path | None) -> None:
    """Create or update the database. A current one stays unchanged."""
    from pincite.engine.memory_stores import place_of_fact_file

    taken = with_database(lambda opened: opened.migrate(), index)
    tell(taken, json_, [f"did {one}" for one in taken], "up to date")
    before = place_of_fact_file(settings_here(index))
    if _FACTS in taken and before.exists():
        say(f"{before} has facts, which workspaces do not read: pincite workspace facts move")


@click.command()
@index_option
def adopt(index: Path | None) -> None:
    """Bind the database to this index and its uploaded files.

    A PostgreSQL database has one index: in one folder, or on servers for several machines. A new
    index has no documents: upload their contents again. Uploaded files have one database: a day
    later, workers delete the files that the new one does not know.
    """
    from pincite.workspace.deployment import adopt as adopt_deployment

    changed = asyncio.run(adopt_deployment(settings_here(index)))
    how = "now belong" if changed else "already belong"
    say(f"the database, the index and the uploaded files {how} to each other")


@click.command()
@json_option
@index_option
def status(json_: bool, index: Path | None) -> int:
    """Print missing migrations of the database, and whether uploaded files are reachable.

    Exit code 3 if something is missing. Addresses of two databases, and roles with other rights
    than Pincite needs, are errors.
    """
    from pincite.workspace.database.one_index import has_server
    from pincite.workspace.deployment import open_files, place_for_people, reason_of_silence

    settings = settings_here(index)

    async def look(opened: Workspaces) -> tuple[tuple[str, ...], str]:
        left = await opened.pending()
        if not left and has_server(settings):
            await opened.require_roles()
        async with open_files(settings) as files:
            return left, await reason_of_silence(files)

    left, silence = with_database(look, index)
    lines = [f"lacks {one}: pincite workspace migrate" for one in left]
    if silence:
        left, lines = (*left, "files"), [*lines, f"lacks files: {one_line(silence)}"]
    tell(left, json_, lines, "up to date")
    if not silence:
        say(f"files are in {place_for_people(settings)}")
    return NOTHING if left else OK
