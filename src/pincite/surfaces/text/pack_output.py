"""The output of the command line for a pack. The daemon and the command produce the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pincite.support.terminal import Painted

if TYPE_CHECKING:
    from pincite.model import EvidencePack
    from pincite.model.context_block import ContextOrder
    from pincite.ports import CollectionInfo
    from pincite.surfaces.text.table import Look

_ON_DISK = ("folder", "git", "file")  # kinds of sources whose documents are files at their paths


@dataclass(frozen=True, slots=True)
class Wanted:
    """The wanted output: the format, `null` for file names that end with a NUL, and the fields of
    `surfaces.text.table.Look` for the table. `max_tokens` applies to a prompt or a context, `order`
    and `tokenizer` (a file) to a context. All values can be written as JSON."""

    form: str = "table"
    null: bool = False
    width: int = 0
    here: str = ""
    host: str = ""
    around: int | None = None
    whole: bool = False
    details: bool = False
    max_tokens: int = 4_000
    order: str = "u"
    tokenizer: str = ""


@dataclass(frozen=True, slots=True)
class Printed:
    """The output: `parts` of a text, or `raw` bytes. `messages` are for stderr, `level` is the
    level of the verdict, `query_id` identifies the search in the log."""

    parts: tuple[str | Painted, ...] = ()
    raw: bytes | None = None
    messages: tuple[str, ...] = ()
    level: str = "none"
    query_id: str = ""


def printed(
    pack: EvidencePack, wanted: Wanted, infos: Sequence[CollectionInfo], query_id: str = ""
) -> Printed:
    """Return the pack in the wanted form. `infos` are the collections of the index."""
    from pincite.surfaces.text.render import null_files, render

    messages = tuple(f"warning: {one.code}: {one.message}" for one in pack.warnings)
    level = pack.verdict.level
    # `get` searches all sources, so a path without its source may be ambiguous
    several = len({record.source.name for info in infos for record in info.sources}) > 1
    if wanted.null:
        return Printed((), null_files(pack, several=several), messages, level, query_id)
    if wanted.form == "prompt":
        prompt = pack.to_prompt(wanted.max_tokens, line_numbers=True)
        return Printed((prompt,), None, messages, level, query_id)
    if wanted.form in ("context", "context_json"):
        return Printed((_context(pack, wanted),), None, messages, level, query_id)
    if wanted.form != "table":
        parts = render(pack, wanted.form, several=several)  # type: ignore[arg-type]
        return Printed(parts, None, messages, level, query_id)
    look = look_of(pack, wanted, infos)
    return Printed(render(pack, "table", look), None, messages, level, query_id)


def _context(pack: EvidencePack, wanted: Wanted) -> str:
    from pathlib import Path

    from pincite.model.context_block import write_context
    from pincite.surfaces.text.render import to_json

    count = None
    if wanted.tokenizer:
        from pincite.providers.tokens import tokenizer_counter

        count = tokenizer_counter(Path(wanted.tokenizer))
    order: ContextOrder = "rank" if wanted.order == "rank" else "u"
    block = write_context(pack, wanted.max_tokens, order=order, count=count)
    return to_json(block) if wanted.form == "context_json" else block.text


def look_of(pack: EvidencePack, wanted: Wanted, infos: Iterable[CollectionInfo]) -> Look:
    """Return the look of a pack's table."""
    from pincite.surfaces.text.table import Look

    asked = [info for info in infos if info.spec.name in _collections(pack)]
    return Look(
        width=wanted.width,
        here=wanted.here,
        roots={
            (info.spec.name, record.source.name): record.source.location
            for info in asked
            for record in info.sources
            if record.source.kind in _ON_DISK
        },
        languages=tuple(sorted({info.spec.language for info in asked})) or ("english",),
        around=wanted.around,
        whole=wanted.whole,
        details=wanted.details,
        host=wanted.host,
    )


def _collections(pack: EvidencePack) -> frozenset[str]:
    return frozenset(item.collection for item in (*pack.evidence, *pack.closest))


def parts_to_json(parts: Sequence[str | Painted]) -> list[Any]:
    """Return texts unchanged and other parts as their fields."""
    return [
        [part.text, part.code, part.link] if isinstance(part, Painted) else part for part in parts
    ]


def parts_of_json(found: Sequence[Any]) -> tuple[str | Painted, ...]:
    """Return the parts that were given to `parts_to_json`."""
    return tuple(Painted(*one) if isinstance(one, list) else one for one in found)
