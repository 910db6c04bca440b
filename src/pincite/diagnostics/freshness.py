"""Describe the freshness of an index and the memory of its daemon in words."""

from __future__ import annotations

from pincite.daemon.refresh.freshness import Condition, Freshness, Trouble
from pincite.support.counted import counted
from pincite.support.fields import replace
from pincite.support.terminal import one_line

#: Replaces all troubles if their names belong to tenants.
_SOME = Trouble(
    "",
    "",
    "some sources could not be brought up to date; the operator sees them with: pincite status",
)


def freshness_lines(found: Condition, mode: str) -> list[str]:
    """Return the lines of `pincite status` on memory and freshness."""
    fresh = found.freshness
    resting = f", idle since {found.resting_since}" if found.resting_since else ""
    loaded = ", ".join(found.loaded) or "no model loaded"
    told = [f"memory   {found.memory_mb:.0f} MB, {loaded}{resting}"]
    how = "keeps itself up to date" if mode == "auto" else "as `pincite index` left it (manual)"
    told.append(f"refresh  {how}; last full scan {fresh.checked_at or 'never'}")
    told.append(f"  last change {fresh.changed_at or 'none'}")
    if fresh.watching:
        told.append(f"  file events of {fresh.watching}")
    elif mode == "auto":
        told.append("  no file events yet: watching starts with the next search")
    if fresh.indexing:
        told.append("  being indexed now")
    told += [
        f"  pending: {counted(one.files, 'file')} of {one_line(one.source)} in {one.collection}"
        for one in fresh.pending
    ]
    for trouble in fresh.troubles:
        place = ": ".join(part for part in (trouble.collection, trouble.source) if part)
        told.append(one_line(f"  not up to date: {place or 'all'}: {trouble.message}"))
    return told


def anonymous(fresh: Freshness) -> Freshness:
    """Return the freshness without names that belong to tenants: sources and paths."""
    troubles = (_SOME,) if fresh.troubles else ()
    return replace(fresh, pending=(), troubles=troubles, changes=(), watching="")
