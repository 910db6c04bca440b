"""`pincite ls` and `pincite multi-get`: list indexed files, and read several of them at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.counted import counted
from pincite.support.current_folder import folder_for
from pincite.support.terminal import one_line
from pincite.surfaces.cli.options import collections_option, index_option, json_option, tag_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK, run

if TYPE_CHECKING:
    from pincite.citations.files import Listing, Passages
    from pincite.citations.passage import Passage
    from pincite.engine import AsyncPincite


@click.command()
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=1_000, help="Maximum number of files."
)
@tag_option
@collections_option
@json_option
@index_option
def ls(
    patterns: tuple[str, ...],
    limit: int,
    tags: tuple[str, ...],
    collections: tuple[str, ...],
    json_: bool,
    index: Path | None,
) -> int:
    """List indexed files.

    PATTERN is a file, a folder (docs/) or a pattern ('src/**/*.py') as in `pincite search --path`;
    SOURCE:PATTERN selects a source. Exit code 3 if nothing matches.
    """
    from pincite.asking import tags_of_texts
    from pincite.surfaces.text.render import to_json

    asked = tags_of_texts(tags)

    here = folder_for(patterns) if patterns else None

    async def look(engine: AsyncPincite) -> Listing:
        return await engine.files(
            patterns, most=limit, tags=asked, collections=collections, here=here
        )

    listing = run(look, index)
    if json_:
        show(to_json(listing))
    else:
        several = len({file.collection for file in listing.files}) > 1
        for file in listing.files:
            before = f"{file.collection}  " if several else ""
            where = f"{before}{file.source}:{file.path}"
            size, chunks = counted(file.size, "byte"), counted(file.chunks, "chunk")
            show(f"{one_line(where)}  {file.kind}, {size}, {chunks}")
    if not listing.files:
        chosen = patterns or tags or collections
        say("no indexed file matches" if chosen else "no file is indexed: pincite index PATH")
    if listing.left_out:
        say(f"{listing.left_out:,} more: --limit {limit + listing.left_out}")
    return OK if listing.files else NOTHING


@click.command("multi-get")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Maximum number of files (50).")
@click.option("-l", "--lines", type=click.IntRange(min=0), help="Lines per file; 0 for all (0).")
@click.option("--max-bytes", type=click.IntRange(min=1), help="Total bytes of all files (200000).")
@tag_option
@collections_option
@json_option
@index_option
def multi_get(
    names: tuple[str, ...],
    limit: int | None,
    lines: int | None,
    max_bytes: int | None,
    tags: tuple[str, ...],
    collections: tuple[str, ...],
    json_: bool,
    index: Path | None,
) -> int:
    """Print several indexed files, or some of their lines, with line numbers.

    Files are printed in their current state.

    NAME is a locator as in `pincite get`, a folder, or a pattern ('docs/*.md'). Files that exceed
    a limit are left out and listed. Exit code 3 if anything was left out.
    """
    from pincite.asking import tags_of_texts
    from pincite.citations.files import MOST_BYTES, MOST_FILES, Most
    from pincite.surfaces.text.render import to_json

    asked = tags_of_texts(tags)
    most = Most(limit or MOST_FILES, lines or 0, max_bytes or MOST_BYTES)

    here = folder_for(names)

    async def read(engine: AsyncPincite) -> Passages:
        given = tuple(dict.fromkeys(names))
        return await engine.get_many(
            given, most=most, tags=asked, collections=collections, here=here
        )

    found = run(read, index)
    if json_:
        show(to_json(found))
    else:
        for number, passage in enumerate(found.passages):
            show(("\n" if number else "") + _shown(passage))
    for one in found.left_out:
        say(f"left out: {one_line(one.name)}: {one.why}: {one.detail}")
    return OK if not found.left_out else NOTHING


def _shown(passage: Passage) -> str:
    """Return the citation, and below it the lines with their numbers in the file, if they have any.
    Because of the numbers, a file cannot imitate the beginning of another one."""
    changed = "  (changed since indexing)" if passage.changed else ""
    warning = f"  ({one_line(passage.warning)})" if passage.warning else ""
    rows = [f"==> {one_line(passage.citation)}{changed}{warning}"]
    for number, line in enumerate(passage.text.split("\n"), start=passage.start_line):
        rows.append(f"{number if passage.start_line else '|':>6}\t{line}")
    return "\n".join(rows)
