"""Packs as JSON, table, Markdown and lists of files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from pincite.model import RANKING_SIGNALS, Evidence, EvidencePack, Verdict
from pincite.stages.pack import place_of

Format = Literal["table", "json", "md", "files"]

_SNIPPET_LINES = 6
_WIDE = 160  # where there is no terminal


def to_json(value: object) -> str:
    """Indented JSON of any of our values, keys in the order of their declaration."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def pack_from_json(text: bytes) -> EvidencePack:
    """The pack of `to_json`. Raises msgspec.DecodeError for anything else."""
    return msgspec.json.decode(text, type=EvidencePack)


def pack_schema() -> dict[str, Any]:
    """The JSON Schema of an evidence pack."""
    return msgspec.json.schema(EvidencePack)


def render(pack: EvidencePack, form: Format, *, colour: bool) -> str:
    """A pack in one of the formats, without a final newline."""
    renderers: dict[Format, Callable[[], str]] = {
        "json": lambda: to_json(pack),
        "md": lambda: _markdown(pack),
        "files": lambda: _files(pack),
        "table": lambda: _table(pack, colour=colour),
    }
    return renderers[form]()


def short_id(item: Evidence) -> str:
    """The beginning of the chunk's id, as `pincite get` takes it."""
    return f"#{item.chunk_id[:12]}"


def reason_of(verdict: Verdict) -> str:
    """Why the verdict is what it is, and how far its thresholds are to be trusted."""
    match verdict.thresholds:
        case "calibrated":
            return verdict.reason
        case "measured":
            return f"{verdict.reason} (Not calibrated for this corpus.)"
    return f"{verdict.reason} (These thresholds are assumed, not measured.)"


def _score(item: Evidence) -> str:
    ranks = next(one for one in reversed(item.signals) if one.name in RANKING_SIGNALS)
    return f"{ranks.name} {ranks.value:.3f} ({ranks.kind})"


def _files(pack: EvidencePack) -> str:
    """`path:first:last`, best first, each once; without lines the path, without it the address."""
    return "\n".join(dict.fromkeys(filter(None, map(_file, pack.evidence))))


def _file(item: Evidence) -> str:
    if item.path and item.end_line:
        return f"{item.path}:{item.start_line}:{item.end_line}"
    return place_of(item)


def _table(pack: EvidencePack, *, colour: bool) -> str:
    def paint(code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if colour else text

    width = shutil.get_terminal_size((_WIDE, 24)).columns
    verdict = pack.verdict
    blocks = [f"{paint('1', verdict.level)}: {reason_of(verdict)}"]
    for item in pack.evidence:
        heading = " > ".join(item.headings)
        place = place_of(item) or item.collection
        lines = [
            f"{paint('1', f'[{item.number}]')} {paint('36', place)}",
            f"    {paint('2', f'{item.citation}')}",
            f"    {_score(item)}  {short_id(item)}{f'  {heading}' if heading else ''}",
        ]
        shown = item.context.text if item.context else item.text
        text = [line for line in shown.split("\n") if line.strip()]
        most = len(text) if item.context else _SNIPPET_LINES
        lines += [f"    | {line.expandtabs(4)}"[: max(40, width)] for line in text[:most]]
        if len(text) > most:
            lines.append(f"    | ... {len(text) - most} more lines")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _markdown(pack: EvidencePack) -> str:
    verdict = pack.verdict
    blocks = [f"# {pack.query}", f"**{verdict.level}**: {reason_of(verdict)}"]
    for item in pack.evidence:
        fence = "`" * max(3, _longest_fence(item.text) + 1)
        language = item.language if item.source_type != "docs" else ""
        blocks.append(f"## [{item.number}] {item.citation}\n\n{' > '.join(item.headings)}".rstrip())
        blocks.append(f"{fence}{language}\n{item.text}\n{fence}")
        if item.context is not None:
            around = item.context
            fence = "`" * max(3, _longest_fence(around.text) + 1)
            blocks.append(f"Lines {around.start_line} to {around.end_line} around it:")
            blocks.append(f"{fence}{language}\n{around.text}\n{fence}")
    blocks += [f"> {notice.code}: {notice.message}" for notice in pack.warnings]
    return "\n\n".join(blocks)


def _longest_fence(text: str) -> int:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest
