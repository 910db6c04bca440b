"""`pincite describe`: descriptions of folders and files that are searched with their passages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import structs

from pincite.errors import UsageError
from pincite.support.terminal import one_line
from pincite.surfaces.cli.options import collections_option, index_option, json_option, wait_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK, run

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite
    from pincite.engine.descriptions import Description


@click.command()
@click.argument("place", required=False)
@click.argument("text", required=False)
@click.option("--remove", is_flag=True, help="Remove the description of PLACE.")
@collections_option
@wait_option
@json_option
@index_option
def describe(
    place: str | None,
    text: str | None,
    remove: bool,
    collections: tuple[str, ...],
    wait: float,
    json_: bool,
    index: Path | None,
) -> int:
    """Describe a folder or a file; the description appears with all passages in it.

    PLACE is a path on this machine, or SOURCE:PATH. Without PLACE, all descriptions are
    listed. Exit code 3 if there are none.
    """
    from pincite.ports import Waiting
    from pincite.surfaces.cli.output import say_notice

    if place is None:
        if remove:
            raise UsageError("--remove needs a place", hint="pincite describe docs/ --remove")
        found = run(lambda engine: engine.descriptions(), index)
        _print(found, json_=json_, nothing="no folder or file has a description")
        return OK if found else NOTHING
    if remove == (text is not None):
        raise UsageError(
            f"{one_line(place)} needs a text, or --remove",
            hint=f'pincite describe {one_line(place)} "Guides for operators"',
        )
    given = text or ""
    if not remove and not given.strip():
        raise UsageError("the text is empty", hint="to remove the description, use --remove")

    async def work(engine: AsyncPincite) -> tuple[Description, ...]:
        waiting = Waiting(wait, say_notice)
        return await engine.describe(place, given, collections=collections, waiting=waiting)

    found = run(work, index)
    _print(found, json_=json_, nothing=f"{one_line(place)} no longer has a description of its own")
    if any(one.indexed for one in found):
        say(
            "this source's descriptions are part of its embeddings: pincite index applies the"
            " change"
        )
    return OK


def _print(found: tuple[Description, ...], *, json_: bool, nothing: str) -> None:
    from pincite.surfaces.text.render import to_json

    if json_:
        show(to_json([structs.asdict(one) for one in found]))
        return
    for one in found:
        show(f"{one_line(one.source)}:{one_line(one.path)}  {one_line(one.text)}")
    if not found:
        say(nothing)
