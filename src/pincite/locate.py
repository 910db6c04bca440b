"""From a citation back to the file: reading lines, and checking that evidence still holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pincite.errors import PinciteError, SourceError, UsageError
from pincite.model import Document, Evidence, EvidencePack, SourceRecord
from pincite.ports import CollectionInfo, Index
from pincite.readers import content_hash_of, read_document
from pincite.sources import Entry, OpenSource
from pincite.sources.reopening import reopen_source

Freshness = Literal["fresh", "moved", "changed", "deleted"]

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


@dataclass(frozen=True, slots=True)
class Checked:
    """What has become of one item of a pack. `lines` are where its text is now."""

    number: int
    citation: str
    status: Freshness
    detail: str = ""
    start_line: int | None = None
    end_line: int | None = None


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
        document = _document(opened, path)
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


def _document(opened: OpenSource, path: str) -> Document | None:
    entry = _entry(opened, path)
    if entry is None:
        return None
    raw = opened.read(entry)
    ref = opened.ref_for(entry, content_hash_of(raw))
    return read_document(raw, source=opened.source, path=path, ref=ref)


def _entry(opened: OpenSource, path: str) -> Entry | None:
    return next((e for e in opened.entries() if isinstance(e, Entry) and e.path == path), None)


async def verify(index: Index, pack: EvidencePack) -> tuple[Checked, ...]:
    """Hold every item of a pack against the files as they are now, in the order of the items.

    `fresh`: the cited lines are the text. `moved`: the text stands elsewhere in the file, or in
    another file of the source. `changed`: it is nowhere. `deleted`: the file is gone.
    """
    sources = {
        (info.spec.name, record.source.name): record
        for info in await index.collections()
        for record in info.sources
    }
    checked = []
    for item in pack.evidence:
        record = sources.get((item.collection, item.repo))
        if record is None:
            detail = f"source {item.repo!r} is not in the index any more"
            checked.append(Checked(item.number, item.citation, "deleted", detail))
            continue
        try:
            with reopen_source(record) as opened:
                checked.append(_check(opened, item))
        except PinciteError as error:
            checked.append(Checked(item.number, item.citation, "deleted", error.message))
    return tuple(checked)


def _check(opened: OpenSource, item: Evidence) -> Checked:
    document = _document(opened, item.path)
    if document is None:
        found = _elsewhere(opened, item)
        if found is not None:
            path, line = found
            end = line + item.text.count("\n")
            detail = f"now in {path}"
            return Checked(item.number, item.citation, "moved", detail, line, end)
        return Checked(item.number, item.citation, "deleted", "the file is gone")
    lines = document.text.split("\n")[item.start_line - 1 : item.end_line]
    cited = _trim(lines, item)
    if cited == item.text:
        return Checked(item.number, item.citation, "fresh", "", item.start_line, item.end_line)
    position = document.text.find(item.text)
    if position < 0:
        return Checked(item.number, item.citation, "changed", "the text is not in the file")
    line = document.text.count("\n", 0, position) + 1
    end = line + item.text.count("\n")
    return Checked(item.number, item.citation, "moved", f"now lines {line}-{end}", line, end)


def _trim(lines: Sequence[str], item: Evidence) -> str:
    """The cited characters of the cited lines."""
    kept = [line.removesuffix("\r") if n == len(lines) else line for n, line in enumerate(lines, 1)]
    if kept and item.end_column is not None:
        kept[-1] = lines[-1][: item.end_column]
    if kept and item.start_column is not None:
        kept[0] = kept[0][item.start_column - 1 :]
    return "\n".join(kept)


def _elsewhere(opened: OpenSource, item: Evidence) -> tuple[str, int] | None:
    """The file of the same content under another name."""
    for entry in opened.entries():
        if not isinstance(entry, Entry) or not entry.path.endswith(item.path[-3:]):
            continue
        raw = opened.read(entry)
        if content_hash_of(raw) == item.content_hash:
            return entry.path, item.start_line
    return None
