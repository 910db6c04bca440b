"""What a model reads: one line per hit, and what to do next."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pincite.citations.claims import ClaimCheck
from pincite.citations.locate import Passage
from pincite.model import RANKING_SIGNALS, Evidence, EvidencePack
from pincite.ports import CollectionInfo
from pincite.surfaces.render import MOVED, reason_of, short_id

_SNIPPET_CHARS = 160


def pack_lines(pack: EvidencePack) -> str:
    """The verdict, a line per item, a line per warning."""
    lines = [f"{pack.verdict.level}: {reason_of(pack.verdict)}"]
    lines += [_item(item) for item in pack.evidence]
    if not pack.evidence and not pack.omitted:
        lines.append("Nothing relevant is indexed: ask in other words, or say so.")
    lines += [f"warning {notice.code}: {notice.message}" for notice in pack.warnings]
    return "\n".join(lines)


def _item(item: Evidence) -> str:
    ranks = next(one for one in reversed(item.signals) if one.name in RANKING_SIGNALS)
    lines = f" ({item.path}:{item.start_line}-{item.end_line})" if item.end_line else ""
    place = "" if item.url is None else lines
    if item.start_char is not None:  # a record's citation has no address in it
        place = f" ({item.url})" if item.url else ""
    heading = f" {' > '.join(item.headings)}:" if item.headings else ""
    words = " ".join(item.text.split())
    snippet = words if len(words) <= _SNIPPET_CHARS else f"{words[:_SNIPPET_CHARS]}..."
    return (
        f"[{item.number}] {item.citation}{place} {short_id(item)} {ranks.name} {ranks.value:.2f}"
        f"{f' ({MOVED})' if item.truth == 'moved' else ''} |{heading} {snippet}"
    )


def passage_text(passage: Passage, left: int, rest: str = "") -> str:
    """The citation, the lines, and how to read on; `rest` cites what is left of a record."""
    parts = [passage.citation]
    if passage.changed:
        parts.append("warning changed: the file has changed since it was indexed")
    parts.append(passage.text)
    if rest:
        parts.append(f"... more of the record: read_lines {rest}")
    if left:
        parts.append(
            f"... {left} more lines: read_lines {passage.repo}:{passage.path}"
            f":{passage.end_line + 1}:{left}"
        )
    return "\n".join(parts)


def check_lines(checked: Sequence[ClaimCheck]) -> str:
    """A line per citation."""
    return "\n".join(f"{one.status:8} {one.citation} {one.detail}".rstrip() for one in checked)


def instructions(
    infos: Sequence[CollectionInfo], trouble: str = "", bound: Collection[str] = ()
) -> str:
    """What the server says of itself when a client connects: how to use it, and what there is;
    nothing of what there is where tags are `bound`."""
    lines = [
        "Pincite finds passages of indexed documentation and source code and cites exact lines of"
        " an exact revision. Search before you write code against, or claim anything about, what"
        " is indexed; cite what you use by its citation; say so when the verdict is weak or none.",
    ]
    if trouble:
        lines.append(f"Nothing can be searched right now: {trouble}")
    elif not infos:
        lines.append("Nothing is indexed yet: the user can run `pincite index PATH`.")
    else:
        said = [
            f"- {info.spec.name}: {_how(info)}" if bound else _collection(info) for info in infos
        ]
        lines += ["", "Indexed:", *said]
    return "\n".join(lines)


def _collection(info: CollectionInfo) -> str:
    if info.foreign:
        return (
            f"- {info.spec.name}: {info.broken or f'{info.chunks:,} passages of another program'}"
        )
    if info.spec.require:
        needed = ", ".join(info.spec.require)
        return f"- {info.spec.name}: {_how(info)}; with the tags {needed} alone"
    kinds = ", ".join(kind for kind, count in info.kinds.items() if count) or "nothing yet"
    sources = ", ".join(
        f"{r.source.name}{f'@{r.source.ref[:12]}' if r.source.ref else ''}" for r in info.sources
    )
    return (
        f"- {info.spec.name}: {info.documents:,} documents, {info.chunks:,} passages ({kinds})"
        f" of {sources or 'no source'}; {_how(info)}"
    )


def _how(info: CollectionInfo) -> str:
    how = "by meaning and by word" if info.spec.dense else "by word alone: use its own words"
    return f"searched {how}"
