"""`pincite get` and `pincite verify`: from a citation to its text."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pincite.errors import SourceError, UsageError
from pincite.support.current_folder import folder_for
from pincite.support.named_file import open_named
from pincite.support.terminal import one_line
from pincite.surfaces.cli.options import collections_option, index_option, json_option, tag_option
from pincite.surfaces.cli.output import hand_over, say, show
from pincite.surfaces.cli.run import NOTHING, OK, run

_MOST_BYTES: Final = 64_000_000  # guess, unmeasured: a pack of 1,000 passages has 3 MB

if TYPE_CHECKING:
    from typing import BinaryIO

    from pincite.citations.check_item import Checked
    from pincite.citations.compare_claim import ClaimCheck
    from pincite.citations.passage import Passage
    from pincite.engine import AsyncPincite


@click.command()
@click.argument("locator")
@click.option(
    "-C", "--context", type=click.IntRange(min=0), default=0, help="Lines before and after."
)
@tag_option
@collections_option
@json_option
@index_option
def get(
    locator: str,
    context: int,
    tags: tuple[str, ...],
    collections: tuple[str, ...],
    json_: bool,
    index: Path | None,
) -> None:
    """Print lines of an indexed file in its current state.

    On a terminal, control characters are escaped; otherwise bytes are unchanged.

    LOCATOR is a chunk's #id, PATH, PATH:LINE, PATH:LINE:COUNT, PATH:FIRST-LAST, PATH#page=3 or a
    citation. A path may be shortened from the left, absolute, or relative to this folder (./PATH).
    """
    from pincite.asking import tags_of_texts
    from pincite.surfaces.text import render

    asked, here = tags_of_texts(tags), folder_for([locator])

    async def read(engine: AsyncPincite) -> Passage:
        return await engine.get(locator, context, tags=asked, collections=collections, here=here)

    passage = run(read, index)
    if json_:
        show(render.to_json(passage))
        return
    say(one_line(passage.citation))
    if passage.changed:
        say("warning: changed: the file has changed since indexing: run `pincite index`")
    if passage.warning:
        say(f"warning: {one_line(passage.warning)}")
    hand_over(passage.raw, passage.text)


@click.command()
@click.argument("given", nargs=-1, required=True, metavar="PACK|CITATION...")
@click.option("--quote", default="", help="Words that the cited lines must contain.")
@collections_option
@tag_option
@json_option
@index_option
def verify(
    given: tuple[str, ...],
    quote: str,
    collections: tuple[str, ...],
    tags: tuple[str, ...],
    json_: bool,
    index: Path | None,
) -> int:
    """Check citations against their files and revisions.

    PACK is the JSON of a search or an answer; - reads stdin. Statuses:

    fresh: the cited lines contain the text. moved: other lines contain it, or the page has another
    address. changed: no lines contain it, or the cited revision has another text there. deleted:
    the file is gone. unknown: the source is not in this index, or there is nothing to compare. Exit
    code 3 unless all are fresh.
    """
    from pincite.asking import tags_of_texts
    from pincite.citations.compare_claim import Claim
    from pincite.surfaces.cli.eval.common import progress_line
    from pincite.surfaces.text import render

    asked = tags_of_texts(tags)
    if not all(given):
        raise UsageError("'' is neither a citation nor a pack", hint="pincite verify pack.json")
    pack = Path(given[0])
    # a citation may be too long for a name, and a pack may be a pipe
    is_file = os.path.exists(pack) and not os.path.isdir(pack)  # noqa: PTH110, PTH112
    if quote and len(given) > 1:
        raise UsageError("--quote is the quote of one citation, and there are several")
    if quote or len(given) > 1 or (given[0] != "-" and not is_file and pack.suffix != ".json"):
        asked_for = [Claim(one, quote) for one in given]
        with progress_line("checking") as told:
            here = folder_for(given)

            async def check(engine: AsyncPincite) -> Sequence[ClaimCheck]:
                return await engine.check(
                    asked_for, tags=asked, collections=collections, here=here, progress=told
                )

            claims = run(check, index)
        lines = [f"{one.status:8} {one.citation} {one.detail}" for one in claims]
        found = render.to_json(claims)
        fresh = all(one.status == "fresh" for one in claims)
    else:
        if collections:
            raise UsageError("--collection is for citations: a pack names its collections")
        raw = _read_pack(sys.stdin.buffer, "stdin") if given[0] == "-" else _read_file(pack)
        with progress_line("checking") as told:
            checked = run(lambda engine: _verify_pack(engine, raw, asked, told), index)
        lines = [f"{one.status:8} [{one.number}] {one.citation} {one.detail}" for one in checked]
        found = render.to_json(checked)
        fresh = all(one.status == "fresh" for one in checked)
    for line in [found] if json_ else [one_line(each.rstrip()) for each in lines]:
        show(line)
    return OK if fresh else NOTHING


async def _verify_pack(
    engine: AsyncPincite,
    raw: bytes,
    tags: Mapping[str, object],
    told: Callable[[int, int], object],
) -> tuple[Checked, ...]:
    """Check a pack in JSON, or the sources of an answer, within tags. Raises UsageError for any
    other input."""
    import msgspec

    from pincite.model import Answer
    from pincite.surfaces.text.render import pack_from_json

    try:
        found = msgspec.json.decode(raw)
        if isinstance(found, dict) and "sources" in found:
            return await engine.verify(Answer.from_dict(found), tags=tags, progress=told)
        pack = pack_from_json(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(
            f"invalid evidence pack: {error}",
            hint='pincite search "..." --json > pack.json',
        ) from error
    return await engine.verify(pack, tags=tags, progress=told)


def _read_file(path: Path) -> bytes:
    """Return the bytes of a file that the user named. Raises SourceError, UsageError."""
    try:
        with open_named(path) as file:
            return _read_pack(file, str(path))
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error


def _read_pack(file: BinaryIO, name: str) -> bytes:
    """Return all bytes. Raises UsageError if there are too many for a pack, and OSError."""
    raw = file.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise UsageError(
            f"{name} has more than {_MOST_BYTES:,} bytes, which is too large for a pack",
            hint="verify takes the JSON of one search or answer",
        )
    return raw
