"""Results as the page shows them: words, numbers and pieces of lines, never HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pincite.citations.reading import Passage
from pincite.diagnostics.explain import StageView
from pincite.model import Answer, Evidence, EvidencePack
from pincite.model.citation import place_of
from pincite.surfaces import answers
from pincite.surfaces.highlight import Highlighter
from pincite.surfaces.page.colours import Line
from pincite.surfaces.page.judging import grade_of, item_of
from pincite.surfaces.render import asides, page_words, verdict_words

_MOST_SNIPPET = 12  # lines of a passage in the list
MOST_COLUMNS: Final = 2_000  # characters of a line that are shown


def pack_view(
    pack: EvidencePack, grades: Mapping[tuple[str, str], int], languages: Sequence[str]
) -> dict[str, Any]:
    """A verdict in words, and results best first; below the bar stand those that are nearest."""
    words, reason = verdict_words(pack)
    highlighter = Highlighter(pack.query, languages)
    return {
        "query": pack.query,
        "level": pack.verdict.level,
        "words": words,
        "reason": reason,
        "asides": list(asides(pack)),
        "warnings": [f"{one.code}: {one.message}" for one in pack.warnings],
        "took_ms": round(sum(pack.timings_ms.values())),
        "results": [_result(one, grades, highlighter) for one in pack.evidence],
        "closest": [_result(one, grades, highlighter) for one in pack.closest],
    }


def _result(
    one: Evidence, grades: Mapping[tuple[str, str], int], highlighter: Highlighter
) -> dict[str, Any]:
    item = item_of(one)
    lines = one.text.replace("\r\n", "\n").split("\n")
    return {
        "number": one.number,
        "id": one.chunk_id,
        "citation": one.citation,
        "collection": one.collection,
        "place": place_of(one),
        "page": page_words(one),
        "kind": one.source_type,
        "language": one.language,
        "section": list(one.headings) or list(one.symbols),
        "moved": one.truth == "moved",
        "recognised": one.recognised,
        "note": one.note,
        "signals": [[s.name, s.kind, round(s.value, 4)] for s in one.signals],
        "snippet": [_marked(line, highlighter) for line in lines[:_MOST_SNIPPET]],
        "more": max(0, len(lines) - _MOST_SNIPPET),
        "grade": grade_of(one, grades),
        "judged": {
            "path": item.path,
            "start_line": item.start_line,
            "end_line": item.end_line,
            "repo": item.repo,
            "candidate_id": item.candidate_id,
        },
    }


def _marked(line: str, highlighter: Highlighter) -> Line:
    """A line as (class, piece), where words of the question are `hit`."""
    line, at, pieces = _short(line), 0, list[tuple[str, str]]()
    for mark in highlighter.marks(line):
        pieces += [("", line[at : mark.start]), ("hit", line[mark.start : mark.end])]
        at = mark.end
    pieces.append(("", line[at:]))
    return [piece for piece in pieces if piece[1]]


def _short(line: str) -> str:
    return line if len(line) <= MOST_COLUMNS else f"{line[:MOST_COLUMNS]}…"


def flow_view(pack: EvidencePack, stages: Sequence[StageView]) -> dict[str, Any]:
    """What each stage made of the results: the rank of each, None where it has none there."""
    shown = [*pack.evidence, *pack.closest]
    flow = []
    for stage in stages:
        ranks = {one.id: rank for rank, one in enumerate(stage.candidates, 1)}
        flow.append(
            {
                "stage": stage.stage,
                "took_ms": round(stage.duration_ms, 2),
                "summary": stage.summary,
                "dropped": len(stage.dropped),
                "ranks": {one.chunk_id: ranks.get(one.chunk_id) for one in shown} if ranks else {},
            }
        )
    return {"query": pack.query, "stages": flow}


def document_text(around: Passage) -> str:
    """The lines to show, each short enough for a page."""
    text = around.text.replace("\r\n", "\n")
    return "\n".join(_short(line) for line in text.split("\n"))


def source_view(cited: Passage, around: Passage, lines: Sequence[Line]) -> dict[str, Any]:
    """A document with the cited lines marked. `first` is the number of its first line, 0 where it
    has no numbers; `marks` count from the first that is shown."""
    return {
        "citation": cited.citation,
        "path": around.path,
        "source": around.repo,
        "page": f"{around.page_unit} {around.page}".capitalize() if around.page else "",
        "changed": around.changed,
        "first": around.start_line,
        "lines": lines,
        "marks": list(_marks(cited, around)),
    }


def _marks(cited: Passage, around: Passage) -> Iterator[int]:
    if cited.start_line and around.start_line:
        yield from range(
            cited.start_line - around.start_line, cited.end_line - around.start_line + 1
        )
        return
    if cited.start_char is None or cited.end_char is None or around.start_char is None:
        return
    first, last = cited.start_char - around.start_char, cited.end_char - around.start_char
    begin = around.text.count("\n", 0, max(0, first))
    end = around.text.count("\n", 0, max(0, last - 1))
    yield from range(begin, end + 1)


def answer_view(answer: Answer) -> dict[str, Any]:
    """An answer with its sources, what is doubtful in it, and who wrote it."""
    return {
        "text": answer.text,
        "kind": answer.kind,
        "label": answers.KINDS.get(answer.kind, ""),
        "sources": [
            {"number": one.number, "citation": one.citation}
            for one in answers.cited_sources(answer)
        ],
        "doubts": list(answers.doubt_lines(answer)),
        "notes": [*answers.removed_lines(answer), *answers.warning_lines(answer)],
    }
