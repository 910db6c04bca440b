"""Read the locators of a caller that stands in a folder, as in a terminal.

A locator that begins with `./` or `../` names a file from this folder. Any other locator counts
from the folder if it names no file, or several. In both cases, what is not in the folder is looked
up from the roots of the sources that the folder is in. `./PATH` counts from any root if the folder
is in no source.
"""

from __future__ import annotations

import posixpath
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from pincite.asking import sources_around
from pincite.citations.listing import CitedIndex
from pincite.citations.resolve import Ambiguous, NoChunk, NoFile, NotNamed
from pincite.errors import UsageError

T = TypeVar("T")


async def read_from(
    index: CitedIndex, locator: str, here: str, read: Callable[[str], Awaitable[T]]
) -> T:
    """Return the result of `read` for the first meaning of a locator that names a file. `here` is
    the current folder, an absolute path. Raises the first NotNamed or Ambiguous of `read`, with the
    locator as the caller typed it, and other errors of `read`."""
    missed: UsageError | None = None
    async with aclosing(_meanings(index, locator, here)) as meanings:
        async for one in meanings:
            try:
                return await read(one)
            except NoChunk:
                raise
            except (NotNamed, Ambiguous) as error:
                missed = missed or error
    raise NoFile(locator) if missed is None or isinstance(missed, NoFile) else missed


def first_meaning(locator: str, here: str | None) -> str:
    """Return the locator as it is read first from a folder, or unchanged without one."""
    from_here = here is not None and locator.startswith(("./", "../"))
    return posixpath.join(here, locator) if here and from_here else locator


async def _meanings(index: CitedIndex, locator: str, here: str) -> AsyncGenerator[str, None]:
    """Yield what a locator may mean, the most likely first."""
    first, there = first_meaning(locator, here), posixpath.join(here, locator)
    yield first
    if there != first:
        yield there
    roots = await _roots_around(index, here)
    if not posixpath.normpath(locator).startswith("../"):
        for root in roots:
            yield posixpath.join(root, locator)
    if first == there and not roots:
        yield locator


async def _roots_around(index: CitedIndex, here: str) -> list[str]:
    """Return the roots of the sources that the folder is in, and that have a document that may be
    read."""
    held = [(info.spec.name, one.source) for info in index.infos for one in info.sources]
    around = set(sources_around(here, [source for _, source in held]))
    found = [
        source.location
        for collection, source in held
        if source in around and await index.documents(collection, source.name)
    ]
    return list(dict.fromkeys(found))
