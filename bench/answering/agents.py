"""What an agent gets: does the answer stand in the text of a tool's answer, and at what price?

Thirty questions about three projects, over a real session on stdin and stdout. The packs are the
same before and after: what differs is how they are written. Collections are made by word alone,
since retrieval is not what is measured here. The model is a script that can only read: it searches,
and where the lines that answer a question are not in the text, it reads the best citation with ten
lines around it, once.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import TextContent

from bench.answering.reading_corpora import Place, ReadingQuestion, fetch, read_questions
from bench.frame import Options
from pincite.engine import AsyncPincite
from pincite.ingestion.options import IndexOptions
from pincite.model import RANKING_SIGNALS, Evidence, EvidencePack
from pincite.support.token_estimate import estimate_tokens
from pincite.surfaces.text.parts import reason_of, short_id

_LOOP = 20  # questions of the loop, evenly from all three
_AROUND = 10
_SNIPPET_CHARS = 160
_NUMBERED = re.compile(r"^ *\d+(?:  |> )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Way:
    """One way of writing. `in_text` questions have their answer in the text of the first answer,
    whose `tokens` are all that is sent, text and structure, in the mean. `share` of its characters
    are passages. Of the questions of the loop so many were `answered`, with so many `turns`."""

    name: str
    in_text: int
    tokens: float
    share: float
    answered: int
    turns: float
    loop_tokens: float


@dataclass(frozen=True, slots=True)
class AgentFigures:
    """Both ways, and the definitions of all tools as a model is sent them."""

    questions: int
    loop: int
    definition_tokens: int
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class _Told:
    """What one question came to, written in one way."""

    found: bool
    tokens: int
    passage_chars: int
    chars: int
    answered: bool
    turns: int
    all_tokens: int


def old_text(pack: EvidencePack) -> str:
    """The text as it was before: the verdict and a line per passage, with its first words."""
    lines = [f"{pack.verdict.level}: {reason_of(pack.verdict)}", *map(_old_line, pack.evidence)]
    if not pack.evidence:
        lines.append("Nothing relevant is indexed: ask in other words, or say so.")
    lines += [f"warning {notice.code}: {notice.message}" for notice in pack.warnings]
    return "\n".join(lines)


def _old_line(item: Evidence) -> str:
    ranks = next(one for one in reversed(item.signals) if one.name in RANKING_SIGNALS)
    heading = f" {' > '.join(item.headings)}:" if item.headings else ""
    return (
        f"[{item.number}] {item.citation} {short_id(item)} {ranks.name} {ranks.value:.2f}"
        f" |{heading} {_snippet(item)}"
    )


def _snippet(item: Evidence) -> str:
    words = " ".join(item.text.split())
    return words if len(words) <= _SNIPPET_CHARS else f"{words[:_SNIPPET_CHARS]}..."


async def run(options: Options) -> AgentFigures:
    """All questions, in both ways. Raises SkippedError where the projects cannot be had."""
    reading = read_questions()
    told: dict[str, list[tuple[ReadingQuestion, _Told]]] = {"before": [], "after": []}
    definitions = 0
    names = list(reading.corpora)[: 1 if options.quick else None]
    with tempfile.TemporaryDirectory() as made:
        for name in names:
            folder = fetch(
                reading.corpora[name], name, options.cache / "reading", Path(made) / "files"
            )
            index = Path(made) / name / ".pincite"
            async with AsyncPincite(index) as engine:
                await engine.index(folder, options=IndexOptions(lexical=True))
            server = StdioServerParameters(
                command=sys.executable,
                args=["-m", "pincite.surfaces.cli.app", "mcp", "--index", str(index)],
            )
            async with Client(server) as client:
                definitions = await _definition_tokens(client)
                for one in reading.questions:
                    if one.corpus == name:
                        for way, found in (await _ask(client, one, folder)).items():
                            told[way].append((one, found))
            async with AsyncPincite(index) as engine:
                await engine.stop()
    ways = tuple(_way(name, rows) for name, rows in told.items())
    count = len(told["after"])
    return AgentFigures(count, len(_looped(told["after"])), definitions, ways)


async def _definition_tokens(client: Client) -> int:
    listed = (await client.list_tools()).tools
    kept = ("name", "description", "inputSchema", "outputSchema")
    made = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in listed]
    return sum(
        estimate_tokens(json.dumps({k: one[k] for k in kept if k in one}, separators=(",", ":")))
        for one in made
    )


async def _ask(client: Client, asked: ReadingQuestion, folder: Path) -> dict[str, _Told]:
    result = await client.call_tool("search_evidence", {"query": asked.question, "detail": "full"})
    pack = EvidencePack.from_dict(result.structured_content or {})
    golds = [_gold(folder, place) for place in asked.gold]
    old, new = old_text(pack), _text(result.content)
    structure = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
    passages = sum(len(one.text) for one in pack.evidence)
    snippets = sum(len(_snippet(one)) for one in pack.evidence)
    quoted = sum(len(one) for one in _quoted(new))
    return {
        "before": await _told(client, pack, golds, old, structure, passages + snippets),
        "after": await _told(client, pack, golds, new, "", quoted),
    }


async def _told(
    client: Client,
    pack: EvidencePack,
    golds: Sequence[str],
    text: str,
    structure: str,
    passage_chars: int,
) -> _Told:
    """The script: it reads the text, and once more where it does not say it."""
    found = _says(text, golds)
    tokens = estimate_tokens(text) + estimate_tokens(structure)
    answered, turns, all_tokens = found, 1, tokens
    if not found and pack.evidence:
        asked: dict[str, Any] = {"locator": pack[0].citation, "context": _AROUND}
        read = _text((await client.call_tool("read_lines", asked)).content)
        answered, turns = _says(read, golds), 2
        all_tokens += estimate_tokens(read)
    chars = len(text) + len(structure)
    return _Told(found, tokens, passage_chars, chars, answered, turns, all_tokens)


def _text(content: Sequence[Any]) -> str:
    return "".join(one.text for one in content if isinstance(one, TextContent))


def _quoted(text: str) -> Sequence[str]:
    """What stands between fences, without the numbers of lines."""
    blocks = re.findall(r"^(`{3,})\n(.*?)^\1$", text, re.MULTILINE | re.DOTALL)
    return [_NUMBERED.sub("", body) for _, body in blocks]


def _gold(folder: Path, place: Place) -> str:
    lines = (folder / place.path).read_text(encoding="utf-8").splitlines()
    return _words("\n".join(lines[place.first - 1 : place.last]))


def _words(text: str) -> str:
    return " ".join(text.split())


def _says(text: str, golds: Sequence[str]) -> bool:
    plain = _words(_NUMBERED.sub("", text))
    return any(gold in plain for gold in golds)


def _looped(rows: Sequence[tuple[ReadingQuestion, _Told]]) -> Sequence[_Told]:
    """Twenty, evenly from all: two of each three."""
    return [told for at, (_, told) in enumerate(rows) if at % 3 != 2][:_LOOP]


def _way(name: str, rows: Sequence[tuple[ReadingQuestion, _Told]]) -> Way:
    all_, loop = [told for _, told in rows], _looped(rows)
    return Way(
        name,
        in_text=sum(one.found for one in all_),
        tokens=round(sum(one.tokens for one in all_) / len(all_), 1),
        share=round(sum(one.passage_chars for one in all_) / sum(one.chars for one in all_), 3),
        answered=sum(one.answered for one in loop),
        turns=round(sum(one.turns for one in loop) / len(loop), 2),
        loop_tokens=round(sum(one.all_tokens for one in loop) / len(loop), 1),
    )


def agents(raw: Any) -> str:
    """Both ways beside each other."""
    from pincite.evals.report.tables import table

    figures = msgspec.convert(raw, AgentFigures)
    head = (
        "format of answers",
        f"answer in the text, of {figures.questions}",
        "tokens of an answer",
        "passages, of its characters",
        f"loop: answered, of {figures.loop}",
        "turns",
        "tokens of a question",
    )
    names = {"before": "a line for each passage, plus the pack", "after": "whole passages"}
    rows = [
        (
            *(names[one.name], str(one.in_text), f"{one.tokens:,.0f}", f"{one.share:.0%}"),
            *(str(one.answered), f"{one.turns:.2f}", f"{one.loop_tokens:,.0f}"),
        )
        for one in figures.ways
    ]
    said = f"The definitions of all tools have an estimated {figures.definition_tokens:,} tokens."
    return f"{table(head, rows)}\n\n{said}"
