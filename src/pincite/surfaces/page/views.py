"""Convert results for the page to texts, numbers and pieces of lines, never to HTML."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pincite.citations.pictures import PagePicture
from pincite.diagnostics.explain import StageView
from pincite.model import Answer, AnswerSource, Evidence, EvidencePack
from pincite.readers import file_type
from pincite.surfaces.page.colours import Line
from pincite.surfaces.page.columns import MOST_COLUMNS, Columns, parted
from pincite.surfaces.page.judging import grade_of, item_of
from pincite.surfaces.page.library import Grades, Named, Opened, SearchResults
from pincite.surfaces.text import answer_text
from pincite.surfaces.text.highlight import Highlighter
from pincite.surfaces.text.parts import asides, verdict_words

_MOST_SNIPPET = 12  # lines of a passage in the list

Naming = Callable[[Evidence], Named]


def pack_view(found: SearchResults, named: Naming) -> dict[str, Any]:
    """Return a pack for the page: the verdict in words, the results, best first, and the closest
    passages."""
    pack, grades = found.pack, found.grades
    words, reason = verdict_words(pack)
    highlighter = Highlighter(pack.query, found.languages)
    done = {"nothing_relevant"} if pack.closest else set[str]()  # the page shows the closest ones
    return {
        "query": pack.query,
        "level": pack.verdict.level,
        "words": words,
        "reason": reason,
        "asides": list(asides(pack)),
        "warnings": [f"{one.code}: {one.message}" for one in pack.warnings if one.code not in done],
        "took_ms": round(sum(pack.timings_ms.values())),
        "results": [_result(one, named(one), grades, highlighter) for one in pack.evidence],
        "closest": [_result(one, named(one), grades, highlighter) for one in pack.closest],
    }


def _result(
    one: Evidence, named: Named, grades: Grades, highlighter: Highlighter
) -> dict[str, Any]:
    item = item_of(one)
    lines = one.text.replace("\r\n", "\n").split("\n")
    return {
        "number": one.number,
        "id": one.chunk_id,
        "citation": one.citation,
        "collection": one.collection,
        "place": named.place,
        "page": named.page,
        "kind": one.source_type,
        "language": one.language,
        "section": list(one.headings or (one.symbols if len(one.symbols) == 1 else ())),
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
    """Return a line as (class, piece); words of the question have the class `hit`."""
    line, at, pieces = _short(line), 0, list[tuple[str, str]]()
    for mark in highlighter.marks(line):
        pieces += [("", line[at : mark.start]), ("hit", line[mark.start : mark.end])]
        at = mark.end
    pieces.append(("", line[at:]))
    return [piece for piece in pieces if piece[1]]


def _short(line: str) -> str:
    return line if len(line) <= MOST_COLUMNS else f"{line[:MOST_COLUMNS]}…"


def flow_view(pack: EvidencePack, stages: Sequence[StageView]) -> dict[str, Any]:
    """Return the stages of a search, each with the ranks of the results after it; None for a result
    that is not among its candidates."""
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


def source_view(
    cited: Opened, around: Opened, lines: Sequence[Line], columns: Mapping[int, Columns]
) -> dict[str, Any]:
    """Return the lines of a document with the cited `columns` marked. `first` is the number of the
    first line, 0 without line numbers. `marks` has, by line (from 0), the numbers of the first
    cited piece and of the first one after it. Lines of `code` are not wrapped."""
    kind = file_type(around.name)
    shown, marks = list(lines), dict[int, tuple[int, int]]()
    for row, cited_of_it in columns.items():
        shown[row], marks[row] = parted(lines[row], cited_of_it)
    return {
        "citation": cited.passage.citation,
        "path": around.name,
        "source": around.source,
        "page": around.page,
        "changed": around.passage.changed,
        "pictured": around.pictured,
        "code": kind is not None and kind.source_type == "code",
        "first": around.passage.start_line if around.numbered else 0,
        "lines": shown,
        "marks": marks,
    }


def picture_view(found: PagePicture) -> dict[str, Any]:
    """Return a page as a data URL, and the boxes to draw over it."""
    data = b64encode(found.image.data).decode()
    return {
        "address": f"data:{found.image.media_type};base64,{data}",
        "page": found.page,
        "width": round(found.width, 2),
        "height": round(found.height, 2),
        "boxes": [[round(side, 2) for side in box] for box in found.boxes],
    }


def answer_view(answer: Answer, named: Naming) -> dict[str, Any]:
    """Return an answer for the page, with its sources, its doubts and its notes."""
    evidence = {one.number: one for one in answer.evidence.evidence}
    return {
        "text": answer.text,
        "kind": answer.kind,
        "label": answer_text.KINDS.get(answer.kind, ""),
        "sources": [
            _source_of(one, evidence.get(one.evidence), named)
            for one in answer_text.cited_sources(answer)
        ],
        "doubts": list(answer_text.doubt_lines(answer)),
        "notes": [*answer_text.removed_lines(answer), *answer_text.warning_lines(answer)],
    }


def _source_of(one: AnswerSource, evidence: Evidence | None, named: Naming) -> dict[str, Any]:
    """Return a source in the form that the page opens."""
    return {
        "number": one.number,
        "citation": one.citation,
        "id": f"answer-{one.number}",
        "place": one.citation if evidence is None else named(evidence).place,
        "collection": "" if evidence is None else evidence.collection,
        "language": "" if evidence is None else evidence.language,
    }
