"""The tool `refresh`: update the index from the current files."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pincite.collection.members import visible
from pincite.daemon.refresh.freshness import Freshness, Pending, Trouble
from pincite.diagnostics.freshness import anonymous
from pincite.engine import AsyncPincite
from pincite.model import Attributes
from pincite.ports import CollectionInfo
from pincite.support.counted import counted
from pincite.surfaces.mcp.tool_types import Tool, ToolResult
from pincite.surfaces.tools.hints import for_tools

_RETRY_S: Final = 1.0  # time for another run after a failed one; it begins .25 s later
_SHOWN: Final = 5  # files


class RefreshArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `refresh`."""

    wait_s: Annotated[int, Meta(ge=0, le=300)] = 30


class Refreshed(msgspec.Struct, frozen=True):
    """The result of `refresh`: whether the index is up to date, the files that are still `pending`,
    and the `troubles` that prevented an update."""

    done: bool
    checked_at: str
    pending: tuple[Pending, ...] = ()
    troubles: tuple[Trouble, ...] = ()


async def _refresh(engine: AsyncPincite, bound: Attributes, asked: RefreshArguments) -> ToolResult:
    found, done = await _until_done(engine, asked.wait_s)
    engine.reopen()
    infos = visible(await engine.collections())
    sources = {
        (info.spec.public_name, one.source.name)
        for info in infos
        for one in info.sources
        if one.source.kind != "records"
    }
    troubled = {(one.collection, one.source) for one in found.troubles}
    failed = _is_stopped(found) or (bool(troubled) and troubled >= sources)
    hidden = bool(bound) or any(info.spec.require for info in infos)
    if hidden:
        found = anonymous(found)
    answer = Refreshed(done and not failed, found.checked_at, found.pending, found.troubles)
    lines = [_summary(answer, failed=done and failed)]
    lines += [f"{counted(one.files, 'file')} of {one.source}" for one in answer.pending]
    lines += [_line(one) for one in found.troubles]
    if done and not hidden:
        lines += _not_indexed(infos)
    return ToolResult("\n".join(lines), msgspec.to_builtins(answer))


async def _until_done(engine: AsyncPincite, wait_s: float) -> tuple[Freshness, bool]:
    """Have all files compared with the index, and wait up to `wait_s`. Return the state of the
    index, and whether the comparison has ended. If a run fails as a whole, this also waits for the
    run that may follow it."""
    found = await engine.refresh(wait=False)
    wanted, failed, retry_until_s = found.wanted, False, float("inf")
    until_s = time.monotonic() + wait_s
    while True:
        stopped = _is_stopped(found)
        failed |= stopped
        done = found.done >= wanted and not (failed and found.indexing)
        if done and stopped:
            retry_until_s = min(retry_until_s, time.monotonic() + _RETRY_S)
        limit_s = min(until_s, retry_until_s if done else until_s)
        if (done and not stopped) or time.monotonic() >= limit_s:
            return found, done
        await asyncio.sleep(0.05)
        found = await engine.freshness()


def _is_stopped(found: Freshness) -> bool:
    """Return whether a run has failed as a whole, not only a source in it."""
    return any(not one.source for one in found.troubles)


def _summary(answer: Refreshed, *, failed: bool) -> str:
    if failed:
        return "The index could not be brought up to date:"
    if not answer.done:
        return "Still being indexed:" if answer.pending else "The files are still being compared."
    if answer.troubles:
        return "The index is as the files are, but for:"
    return "The index is as the files are."


def _line(trouble: Trouble) -> str:
    """Return a trouble and its hint as text for a model: commands with an equivalent tool become
    calls of it."""
    said, has_hint, hint = trouble.message.partition(" (try: ")
    where = trouble.source or trouble.collection or "all"
    lines = f"{where}: {for_tools(said)}"
    return f"{lines}\n  try: {for_tools(hint.removesuffix(')'))}" if has_hint else lines


def _not_indexed(infos: Sequence[CollectionInfo]) -> list[str]:
    """Return lines about files that are not indexed because reading them failed."""
    files = [
        f"{one.source.name}: {line.partition(': ')[2]}"
        for info in infos
        for one in info.sources
        for line in one.skipped_paths
        if line.startswith("failed: ")
    ]
    more = [f"and {len(files) - _SHOWN} more"] if len(files) > _SHOWN else []
    return ["Not indexed, because reading them failed:", *files[:_SHOWN], *more] if files else []


def refresh_tool(engine: AsyncPincite, tags: Attributes) -> Tool[RefreshArguments]:
    """Return the tool. It names no sources if tags are bound or required."""
    return Tool(
        "refresh",
        "Refresh the index",
        "Bring the index up to date with the files. It does so by itself within seconds: call it"
        " after you changed files.",
        RefreshArguments,
        None,
        partial(_refresh, engine, tags),
        updates=True,
    )
