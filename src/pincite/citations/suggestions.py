"""Suggest indexed paths for a name that matches no file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pincite.citations.forms import forms, spans
from pincite.model.citation import parse_citation
from pincite.ports import CollectionInfo
from pincite.scope.near import near_paths
from pincite.scope.tagged_index import TaggedIndex
from pincite.support.drives import has_drive

_MOST = 3  # suggested paths
_LONGEST = 300  # characters of a locator in a message


async def hint_for(index: TaggedIndex, infos: Sequence[CollectionInfo], locator: str) -> str:
    """Return a hint for a locator that names no indexed file, or "": to verify a citation, to name
    a file in a folder of this name, or a path with a similar spelling."""
    for form in forms(locator):
        cited = parse_citation(form)
        if cited is not None and cited.ref:
            said = repr(locator) if len(locator) <= _LONGEST else "CITATION"
            return f"it may have been moved or deleted: pincite verify {said}"
    paths = {
        record.path
        for info in infos
        for source in info.sources
        if source.source.kind != "records"
        for record in await index.documents(info.spec.name, source.source.name)
    }
    names = {one.name for form in forms(locator) for one in spans(form)}
    if any(name.startswith("/") or has_drive(name) for name in names):
        return "only files of indexed folders can be read: pincite index PATH"
    for name in names:
        folder = f"{name.removeprefix('./').rstrip('/')}/"
        if inside := sorted(path for path in paths if path.startswith(folder)):
            return f"it is a folder; name a file in it, such as {', '.join(inside[:_MOST])}"
    near = await asyncio.to_thread(near_paths, sorted(names, key=len)[:1], paths, _MOST)
    return f"did you mean {' or '.join(near)}?" if near else ""
