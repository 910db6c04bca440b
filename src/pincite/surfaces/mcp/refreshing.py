"""The tool `refresh`: update the index from the current files."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from pincite.collection.members import visible
from pincite.daemon.freshness import Freshness, Pending, Trouble
from pincite.diagnostics.freshness import anonymous
from pincite.engine import AsyncPincite
from pincite.model import Attributes
from pincite.support.counted import counted
from pincite.surfaces.mcp.tools import Answer, Tool


class RefreshArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `refresh`."""

    wait_s: Annotated[int, Meta(ge=0, le=300)] = 30


class Refreshed(msgspec.Struct, frozen=True):
    """Whether the index has caught up, and what it could not bring up to date, with the reason."""

    done: bool
    checked_at: str
    pending: tuple[Pending, ...] = ()
    troubles: tuple[Trouble, ...] = ()


async def _refresh(engine: AsyncPincite, bound: Attributes, asked: RefreshArguments) -> Answer:
    begun = await engine.refresh(wait=False)
    found = begun
    try:
        async with asyncio.timeout(asked.wait_s):
            while found.done < begun.wanted:
                await asyncio.sleep(0.05)
                found = await engine.freshness()
    except TimeoutError:
        pass  # the answer reports that it is not done
    engine.reopen()
    done = found.done >= begun.wanted
    infos = visible(await engine.collections())
    if bound or any(info.spec.require for info in infos):
        found = anonymous(found)
    answer = Refreshed(done, found.checked_at, found.pending, found.troubles)
    return Answer(_text(answer, found), msgspec.to_builtins(answer))


def _text(answer: Refreshed, found: Freshness) -> str:
    if not answer.done:
        lines = [
            "Still being indexed:" if answer.pending else "The files are still being compared."
        ]
    elif answer.troubles:
        lines = ["The index is as the files are, but for:"]
    else:
        lines = ["The index is as the files are."]
    lines += [f"{counted(one.files, 'file')} of {one.source}" for one in answer.pending]
    lines += [f"{one.source or one.collection or 'all'}: {one.message}" for one in found.troubles]
    return "\n".join(lines)


def refresh_tool(engine: AsyncPincite, tags: Attributes) -> Tool[RefreshArguments]:
    """Return the tool. It names no single sources if tags are bound or required."""
    return Tool(
        "refresh",
        "Refresh the index",
        "Bring the index up to date with the files. It does so by itself within seconds: call it"
        " after you changed files.",
        RefreshArguments,
        None,
        partial(_refresh, engine, tags),
    )
