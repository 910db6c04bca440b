"""Shared by the commands of `pincite workspace`: opening the database, and output."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import settings_here

if TYPE_CHECKING:
    from pincite.workspace.ports import Administration, Workspaces

T = TypeVar("T")


def as_operator(work: Callable[[Administration], Awaitable[T]], index: Path | None) -> T:
    """Run `work` with the rights of the operator, and return its result."""
    return with_database(lambda opened: opened.administer(work), index)


@contextmanager
def hinted(what: str, id_: str | None, command: str) -> Iterator[None]:
    """Within this, add a hint with the command that lists ids to the error for an unknown id."""
    from pincite.errors import NotFound
    from pincite.workspace.checks import missing

    try:
        yield
    except NotFound as error:
        if error.message != missing(what, id_).message:
            raise
        raise NotFound(error.message, hint=f"pincite workspace {command}") from error


def with_database(work: Callable[[Workspaces], Awaitable[T]], index: Path | None) -> T:
    """Run `work` with the open database of the settings, and return its result."""
    from pincite.workspace.database.open import workspaces_of

    settings = settings_here(index)

    async def session() -> T:
        opened = workspaces_of(settings)
        try:
            return await work(opened)
        finally:
            await opened.close()

    return asyncio.run(session())


def tell(found: object, json_: bool, lines: list[str], nothing: str = "") -> None:
    """Print the result as JSON, or its lines; without lines, print `nothing` on stderr."""
    from pincite.surfaces.text.render import to_json

    if json_:
        show(to_json(found))
        return
    for line in lines:
        show(line)
    if not lines and nothing:
        say(nothing)
