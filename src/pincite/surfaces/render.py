"""Packs as JSON, table, Markdown and lists of files."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import msgspec

from pincite.model import RANKING_SIGNALS, AttributeValue, Evidence, EvidencePack, Verdict
from pincite.model.citation import place_of
from pincite.support.fences import fence_for
from pincite.support.json_text import json_text
from pincite.support.terminal import one_line, visible
from pincite.surfaces.cli.options import Painted

Format = Literal["table", "json", "md", "files"]

#: Of a passage whose file has changed: its lines are those of now.
MOVED = "moved since it was indexed"
_SNIPPET_LINES = 6
_MOST_CHARS = 240  # of attributes on their line
_WIDE = 160  # where there is no terminal
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")  # what may stand behind a fence
#: Characters of a name that git writes in quotes with an escape; others are octal bytes there.
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def to_json(value: object) -> str:
    """Indented JSON of any of our values, keys in the order of their declaration. What a terminal
    would obey, or not show, is escaped."""
    return json_text(value)


def pack_from_json(text: bytes) -> EvidencePack:
    """The pack of `to_json`. Raises msgspec.DecodeError for anything else."""
    return msgspec.json.decode(text, type=EvidencePack)


def pack_schema() -> dict[str, Any]:
    """The JSON Schema of an evidence pack."""
    return msgspec.json.schema(EvidencePack)


def render(pack: EvidencePack, form: Format) -> tuple[str | Painted, ...]:
    """A pack in one of the formats, without a final newline; nothing for no files."""
    if form == "table":
        return tuple(_table(pack))
    if form == "files":
        text = "\n".join(_files(pack, _quoted))
    else:
        text = to_json(pack) if form == "json" else _markdown(pack)
    return (text,) if text else ()


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


def null_files(pack: EvidencePack) -> bytes:
    """The files as they are called, each ended by a NUL."""
    return "".join(f"{one}\0" for one in _files(pack, str)).encode()


def _files(pack: EvidencePack, called: Callable[[str], str]) -> Iterable[str]:
    """`path:first:last`, best first, each once; without lines the path, without it the address.
    `called` says how a path or address is written."""
    places: dict[str, None] = {}
    for item in pack.evidence:
        lines = f":{item.start_line}:{item.end_line}" if item.path and item.end_line else ""
        if name := item.path or item.url:
            places[f"{called(name)}{lines}"] = None
    return places


def _quoted(name: str) -> str:
    """The name; where it holds a quote, a backslash or what is not visible, as git and C write it:
    in quotes, with escapes."""
    if one_line(name) == name and not {'"', "\\"} & set(name):
        return name
    return '"' + "".join(map(_quoted_character, name)) + '"'


def _quoted_character(character: str) -> str:
    code = ord(character)
    if code in _ESCAPES:
        return f"\\{_ESCAPES[code]}"
    if one_line(character) == character:
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogatepass"))


def _table(pack: EvidencePack) -> Iterator[str | Painted]:
    """What stands on a line of its own is kept to its line."""
    width = max(40, shutil.get_terminal_size((_WIDE, 24)).columns)
    verdict = pack.verdict
    yield Painted(verdict.level, "1")
    yield f": {one_line(reason_of(verdict))}"
    for item in pack.evidence:
        heading = one_line(" > ".join(item.headings))
        yield "\n\n"
        yield Painted(f"[{item.number}]", "1")
        yield " "
        yield Painted(one_line(place_of(item) or item.collection), "36")
        yield "\n    "
        yield Painted(one_line(item.citation), "2")
        if item.url and item.start_char is not None:  # a record's citation has no address in it
            yield "\n    "
            yield Painted(one_line(item.url), "2")
        yield f"\n    {_score(item)}  {short_id(item)}{f'  {heading}' if heading else ''}"
        if item.truth == "moved":
            yield f"\n    {MOVED}"
        if held := _attributes(item):
            yield f"\n    {held}"[:width]
        shown = item.context.text if item.context else item.text
        text = [line for line in shown.split("\n") if line.strip()]
        most = len(text) if item.context else _SNIPPET_LINES
        for line in text[:most]:
            plain = line.removesuffix("\r").expandtabs(4)
            yield "\n" + f"    | {visible(plain)}"[:width]
        if len(text) > most:
            yield f"\n    | ... {len(text) - most} more lines"


def _attributes(item: Evidence) -> str:
    """Names and values on one line, not longer than may be read."""
    said = ", ".join(f"{name}={_value(one)}" for name, one in sorted(item.attributes.items()))
    shown = one_line(said)
    return shown if len(shown) <= _MOST_CHARS else f"{shown[: _MOST_CHARS - 3]}..."


def _value(value: AttributeValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "|".join(value) if isinstance(value, tuple) else str(value)


def _markdown(pack: EvidencePack) -> str:
    verdict = pack.verdict
    blocks = [f"# {one_line(pack.query)}", f"**{verdict.level}**: {one_line(reason_of(verdict))}"]
    for item in pack.evidence:
        blocks.append(f"## [{item.number}] {one_line(item.citation)}")
        if item.url and item.start_char is not None:
            blocks.append(f"Address: {one_line(item.url)}")
        if item.headings:  # not at the beginning of a line, where it might open a block
            blocks.append(f"Section: {one_line(' > '.join(item.headings))}")
        if item.truth == "moved":
            blocks.append(f"({MOVED})")
        if held := _attributes(item):
            blocks.append(f"Attributes: {held}")
        blocks.append(_fenced(item.text, item))
        if item.context is not None:
            around = item.context
            blocks.append(f"Lines {around.start_line} to {around.end_line} around it:")
            blocks.append(_fenced(around.text, item))
    blocks += [f"> {notice.code}: {one_line(notice.message)}" for notice in pack.warnings]
    return "\n\n".join(blocks)


def _fenced(text: str, item: Evidence) -> str:
    """The text in a fence that is longer than any in it."""
    known = item.source_type != "docs" and _LANGUAGE.fullmatch(item.language)
    fence = fence_for(text)
    shown = visible(text.replace("\r\n", "\n"))
    return f"{fence}{item.language if known else ''}\n{shown}\n{fence}"
