"""`pincite workspace files` and `facts`: move users' files and facts to another storage."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.counted import counted
from pincite.support.terminal import one_line
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say
from pincite.surfaces.cli.run import NOTHING, OK, settings_here
from pincite.surfaces.cli.workspace.common import tell, with_database

if TYPE_CHECKING:
    from pincite.settings.load import Settings
    from pincite.workspace.files.transfer import MovedFiles


@click.group(cls=Group)
def files() -> None:
    """Manage uploaded files."""


@files.command("move")
@click.option(
    "--to", "to", required=True, metavar="PLACE", help="folder, database or s3://BUCKET/PREFIX."
)
@click.option(
    "--from", "from_", default="", metavar="PLACE", help="Default: the place in the settings."
)
@json_option
@index_option
def move_files(to: str, from_: str, json_: bool, index: Path | None) -> int:
    """Move uploaded files from one place to another.

    While the settings name the old place, files are only copied, and `serve` may run. Once the
    settings name the new place, the command checks each copy and removes the file from the old
    place. An interrupted run resumes. Exit code 3 if files are damaged; these stay.
    """
    from pincite.errors import UsageError
    from pincite.workspace.deployment import place_of, require_place_of_files, usual_place

    settings = settings_here(index)
    told = place_of(settings)
    target = require_place_of_files(settings, to)
    source = require_place_of_files(settings, from_) if from_ else told
    if source == target:
        raise UsageError(
            f"files would be moved from {source} to the same place",
            hint="name the place where they were: --from folder, database or s3://BUCKET/PREFIX",
        )
    if told not in (source, target):
        raise UsageError(
            f"the settings say that files are in {told}, which is neither of the two places",
            hint="see `pincite workspace status`, and [workspace] files",
        )
    done = asyncio.run(_move_files(settings, source, target, remove=told == target))
    damaged = [f"damaged: space {space}  SHA-256 {found}" for space, found in done.damaged]
    tell(done, json_, damaged)
    if not json_:
        say(f"{done.copied:,} copied, {done.there:,} there before, {done.removed:,} removed")
        if told != target:
            _say_next(source, target, usual_place(settings))
    return NOTHING if done.damaged else OK


async def _move_files(settings: Settings, source: str, target: str, *, remove: bool) -> MovedFiles:
    from contextlib import AsyncExitStack

    from pincite.daemon.host_mark import working_in
    from pincite.index.folder import make_folder, require_own
    from pincite.surfaces.cli.eval.common import progress_line
    from pincite.workspace.deployment import FOLDER, open_files
    from pincite.workspace.files.transfer import move_files

    async with AsyncExitStack() as stack:
        if FOLDER in (source, target):
            require_own(settings.index)
            if target == FOLDER and not settings.index.exists():
                make_folder(settings.index)
            await stack.enter_async_context(working_in(settings.index))
        one = await stack.enter_async_context(open_files(settings, source))
        other = await stack.enter_async_context(open_files(settings, target))
        with progress_line("moving files") as progress:
            return await move_files(one, other, remove=remove, told=progress)


def _say_next(source: str, target: str, usual: str) -> None:
    from pincite.settings.sections.object_store import SCHEME

    step = f'set files = "{target if target.startswith(SCHEME) else ""}" in [workspace]'
    if not target.startswith(SCHEME) and target != usual:
        step = f"change the deployment to one that keeps files in the {target}"
    say(f"nothing was removed from {source}. To change over:")
    say("  1. stop `serve` and `worker`, and run this command again")
    say(f"  2. {step}, and start them")
    say(f"  3. pincite workspace files move --from {source} --to {target}")


@click.group(cls=Group)
def facts() -> None:
    """Manage facts about users that answers may use."""


@facts.command("move")
@json_option
@index_option
def move_facts(json_: bool, index: Path | None) -> int:
    """Move facts from memory.db of the index folder into the workspace database.

    Exit code 3 if some stay because no user or space of the database has them.
    """
    from pincite.workspace.moving_facts import move_facts as move

    settings = settings_here(index)
    done = with_database(lambda opened: move(settings, opened), index)
    tell(done, json_, [f"{one_line(user)}: {one_line(reason)}" for user, reason in done.left])
    if not json_:
        say(f"{counted(done.moved, 'fact')} moved")
    return NOTHING if done.left else OK
