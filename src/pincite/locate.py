"""From a citation back to the file: reading lines, and checking that evidence still holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from pincite.checking import Checked, check, document_at
from pincite.errors import PinciteError, SourceError, UsageError
from pincite.model import EvidencePack, SourceRecord
from pincite.ports import CollectionInfo, Index
from pincite.sources import OpenSource
from pincite.sources.reopening import reopen_source

__all__ = ["Checked", "Passage", "get", "verify"]

_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<line>\d+))?(?::(?P<count>\d+))?$")
_CHUNK = re.compile(r"#?(?P<id>[0-9a-f]{8,32})$")


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a file as it is now. `changed` says that it is not what was indexed."""

    citation: str
    repo: str
    path: str
    start_line: int
    end_line: int
    text: str
    changed: bool


async def get(index: Index, locator: str) -> Passage:
    """`#id` (8 hex digits or more), `path`, `path:line` or `path:line:count`, read from disk.

    A path may be shortened from the left as long as it is unambiguous. Raises UsageError, or
    SourceError where the file is gone.
    """
    infos = await index.collections()
    chunk = _CHUNK.match(locator)
    if chunk:
        return await _get_chunk(index, infos, chunk["id"])
    place = _PLACE.match(locator)
    if place is None:
        raise UsageError(f"{locator!r} is neither an id nor a path", hint="pincite get PATH:10:20")
    record, path, content_hash = await _find_path(index, infos, place["path"])
    start = int(place["line"] or 1)
    count = int(place["count"] or (10**9 if place["line"] is None else 20))
    return _read_lines(record, path, content_hash, start, start + count - 1)


async def _get_chunk(index: Index, infos: Sequence[CollectionInfo], prefix: str) -> Passage:
    found = []
    for info in infos:
        page = await index.page(info.spec.name, prefix, 2) if len(prefix) < 32 else ()
        full = await index.load(info.spec.name, [prefix]) if len(prefix) == 32 else ()
        chunks = [*page, *(stored.chunk for stored in full)]
        found += [(info, chunk) for chunk in chunks if chunk.id.startswith(prefix)]
    if not found:
        raise UsageError(f"no chunk has an id that begins with {prefix}", hint="pincite search ...")
    if len({chunk.id for _, chunk in found}) > 1:
        raise UsageError(f"several chunks have ids that begin with {prefix}: give more digits")
    info, chunk = found[0]
    record = next(r for r in info.sources if r.source.name == chunk.repo)
    return _read_lines(record, chunk.path, chunk.content_hash, chunk.start_line, chunk.end_line)


async def _find_path(
    index: Index, infos: Sequence[CollectionInfo], path: str
) -> tuple[SourceRecord, str, str]:
    wanted = path.removeprefix("./")
    exact, partial = [], []
    for info in infos:
        sources = {record.source.name: record for record in info.sources}
        for known in await index.documents(info.spec.name):
            item = (sources[known.source], known.path, known.content_hash)
            if known.path == wanted:
                exact.append(item)
            elif known.path.endswith(f"/{wanted}"):
                partial.append(item)
    found = {(r.source.name, p): (r, p, h) for r, p, h in exact or partial}
    if not found:
        raise UsageError(f"no indexed file is named {path!r}", hint="pincite status")
    if len(found) > 1:
        names = ", ".join(sorted(f"{name}:{p}" for name, p in found)[:5])
        raise UsageError(f"{path!r} may be one of {names}: give more of the path")
    return next(iter(found.values()))


def _read_lines(
    record: SourceRecord, path: str, content_hash: str, start: int, end: int
) -> Passage:
    with reopen_source(record) as opened:
        document = document_at(opened, path)
        if document is None:
            raise SourceError(
                f"{path} is not in {record.source.location} any more", hint="pincite index"
            )
    lines = document.text.split("\n")
    if start > len(lines) or start < 1:
        raise UsageError(f"{path} has {len(lines)} lines, there is no line {start}")
    last = min(end, len(lines) - (1 if lines[-1] == "" and len(lines) > 1 else 0))
    last = max(start, last)
    span = f"L{start}" if start == last else f"L{start}-L{last}"
    return Passage(
        citation=f"{record.source.name}@{document.ref}:{path}#{span}",
        repo=record.source.name,
        path=path,
        start_line=start,
        end_line=last,
        text="\n".join(lines[start - 1 : last]),
        changed=document.content_hash != content_hash,
    )


async def verify(index: Index, pack: EvidencePack) -> tuple[Checked, ...]:
    """Hold every item of a pack against the files as they are now and the revision that it cites,
    in the order of the items; see `checking.check`."""
    sources = {
        (info.spec.name, record.source.name): record
        for info in await index.collections()
        for record in info.sources
    }
    text_cut = any(notice.code == "text_cut" for notice in pack.warnings)
    opened: dict[tuple[str, str], OpenSource] = {}
    checked = []
    with ExitStack() as stack:
        for item in pack.evidence:
            key = item.collection, item.repo
            try:
                if key not in sources:
                    raise SourceError(f"source {item.repo!r} is not in the index any more")
                if key not in opened:
                    opened[key] = stack.enter_context(reopen_source(sources[key]))
                checked.append(check(opened[key], item, text_cut=text_cut))
            except PinciteError as error:
                checked.append(Checked(item.number, item.citation, "deleted", error.message))
    return tuple(checked)
