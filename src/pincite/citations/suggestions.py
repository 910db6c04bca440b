"""Suggest indexed paths for a name that matches no file."""

from __future__ import annotations

import asyncio
import re

from pincite.citations.forms import forms, spans
from pincite.model.citation import parse_citation
from pincite.readers.languages import BY_SUFFIX
from pincite.scope.near import near_paths
from pincite.scope.tagged_index import TaggedIndex
from pincite.support.drives import has_drive

_MOST = 3  # suggested paths
_LONGEST = 300  # characters of a locator in a message
#: A name of code, with or without a path: `albums_in_dir`, `Connection.ensure()`, `A::b`.
_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|#)[A-Za-z_]\w*)*(?:\(\))?")
_LIKE_CODE = re.compile(r"\w_|[a-z0-9][A-Z]|\.|::|#")


async def hint_for(index: TaggedIndex, locator: str) -> str:
    """Return a hint for a locator that names no indexed file, or "": to verify a citation, to name
    a file in a folder of this name, to search for a name of code, or a path with a similar
    spelling."""
    for form in forms(locator):
        cited = parse_citation(form)
        if cited is not None and cited.ref:
            said = repr(locator) if len(locator) <= _LONGEST else "CITATION"
            return f"it may have been moved or deleted: pincite verify {said}"
    paths = {
        record.path
        for info in index.infos
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
    if _is_name(locator):
        return f'a name is found by a search: pincite search "{locator}"'
    near = await asyncio.to_thread(near_paths, sorted(names, key=len)[:1], paths, _MOST)
    return f"did you mean {' or '.join(near)}?" if near else ""


def _is_name(locator: str) -> bool:
    """Return whether a locator is a name of code and not of a file, which has a known suffix."""
    suffix = locator.rpartition(".")[2].lower()
    short = len(locator) <= _LONGEST and suffix not in BY_SUFFIX
    return short and bool(_NAME.fullmatch(locator)) and _LIKE_CODE.search(locator) is not None
