"""Packs as JSON, table, Markdown and lists of files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from pincite.model import Answer, Evidence, EvidencePack
from pincite.model.citation import format_page
from pincite.model.evidence import RECOGNISED
from pincite.support.decodable import ready
from pincite.support.fences import fence_for
from pincite.support.json_text import json_text
from pincite.support.quoting import quoted
from pincite.support.terminal import Painted, one_line, visible_passage
from pincite.surfaces.text.parts import asides, attributes_of, page_words, verdict_words

if TYPE_CHECKING:
    from pincite.surfaces.text.table import Look

Format = Literal["table", "json", "md", "files"]

_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")  # allowed after a fence


def to_json(value: object) -> str:
    """Return indented JSON of any value, with keys in the order of their declaration. Control and
    invisible characters are escaped."""
    return json_text(value)


def pack_from_json(text: bytes) -> EvidencePack:
    """Parse a pack written by `to_json`. Raises msgspec.DecodeError for anything else."""
    return msgspec.json.decode(text, type=ready(EvidencePack))


def pack_schema() -> dict[str, Any]:
    """Return the JSON Schema of an evidence pack."""
    return msgspec.json.schema(EvidencePack)


def answer_schema() -> dict[str, Any]:
    """Return the JSON Schema of an answer."""
    return msgspec.json.schema(Answer)


def render(
    pack: EvidencePack, form: Format, look: Look | None = None, *, several: bool = False
) -> tuple[str | Painted, ...]:
    """Return a pack in one of the formats, without a final newline; empty for a list of no files.
    `look` is for the table. `several`: the index has several sources, so a list of files names
    them."""
    if form == "table":
        from pincite.surfaces.text.table import Look, table

        return tuple(table(pack, look or Look()))
    if form == "files":
        text = "\n".join(_files(pack, quoted, several=several))
    else:
        text = to_json(pack) if form == "json" else _markdown(pack)
    return (text,) if text else ()


def null_files(pack: EvidencePack, *, several: bool = False) -> bytes:
    """Return the file names, each ended by a NUL; see `render`."""
    return "".join(f"{one}\0" for one in _files(pack, str, several=several)).encode()


def _files(
    pack: EvidencePack, called: Callable[[str], str], *, several: bool = False
) -> Iterable[str]:
    """Yield `path:first-last`, best first, each once; in an extracted document `path#page=3`,
    without lines only the path, without a path the URL. If the index or the results have several
    sources, each path has the name of its source and a colon before it. `pincite get` reads each.
    `called` formats a path or URL."""
    places: dict[str, None] = {}
    found = {(item.collection, item.repo) for item in pack.evidence if item.path}
    several = several or len(found) > 1
    for item in pack.evidence:
        lines = ""
        if item.path and item.page is not None:
            lines = f"#{format_page(item.page, item.page_unit, rows=item.rows)}"
        elif item.path and item.end_line:
            lines = f":{item.start_line}-{item.end_line}"
        path = f"{item.repo}:{item.path}" if several and item.path else item.path
        if name := path or item.url:
            places[f"{called(name)}{lines}"] = None
    return places


def _markdown(pack: EvidencePack) -> str:
    words, reason = verdict_words(pack)
    said = f"**{words}** ({pack.verdict.level}): {_code(reason)}"
    blocks = [f"# {_code(pack.query)}", said]
    if missing := "\n".join(f"> {_code(aside)}" for aside in asides(pack)):
        blocks.append(missing)
    shown = [(item, "") for item in pack.evidence]
    shown += [(item, "Below the bar, only nearest: ") for item in pack.closest]
    for item, bar in shown:
        blocks.append(f"## [{item.number}] {bar}{_code(item.citation)}")
        if item.truth == "moved":
            what = "lines are" if item.page is None else "page is"
            now = "those" if item.page is None else "that"
            blocks.append(f"Moved since it was indexed: the {what} {now} of now.")
        if item.recognised:
            blocks.append(f"Its text was {RECOGNISED}.")
        if item.url and item.start_char is not None:
            blocks.append(f"Address: {_code(item.url)}")
        if item.headings:
            blocks.append(f"Section: {_code(' > '.join(item.headings))}")
        blocks += [f"Folder: {_code(said)}" for said in item.descriptions]
        if held := attributes_of(item):
            blocks.append(f"Attributes: {_code(held)}")
        around = item.context
        is_within = around is not None and item.start_char is None and item.text in around.text
        if not is_within:
            blocks.append(_fenced(item.text, item))
        if around is not None:
            lines = f"Lines {around.start_line} to {around.end_line}"
            what = (
                f", around lines {item.start_line} to {item.end_line}"
                if is_within
                else " around it"
            )
            blocks.append(f"{page_words(item) or lines}{what}:")
            blocks.append(_fenced(around.text, item))
    blocks += [f"> {notice.code}: {_code(notice.message)}" for notice in pack.warnings]
    return "\n\n".join(blocks)


def _code(text: str) -> str:
    """Return the text on one line as a code span, because it may be from untrusted files: links,
    pictures and HTML have no effect there. Nothing is escaped, so citations can be copied."""
    line = one_line(text)
    if not line.strip(" "):
        return line
    fence = fence_for(line, shortest=1)
    apart = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{fence}{apart}{line}{apart}{fence}"


def _fenced(text: str, item: Evidence) -> str:
    """Return the text in a fence longer than any in it."""
    known = item.source_type != "docs" and _LANGUAGE.fullmatch(item.language)
    fence = fence_for(text)
    return f"{fence}{item.language if known else ''}\n{visible_passage(text)}\n{fence}"
