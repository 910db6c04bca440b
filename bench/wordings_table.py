"""The figures of `wordings` as a table."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.wordings import WordingFigures
from pincite.evals.report.tables import table


def wordings(raw: Any) -> str:
    """What became of the questions and the lines, and how long they took."""
    one = msgspec.convert(raw, WordingFigures)
    rows = [
        ["questions", str(one.questions)],
        ["of them with at least one wording", str(one.expanded)],
        ["without a line of the format, asked as they are", str(one.empty)],
        [
            f"ended by a fault or at the limit of {one.limit_s:g} s, asked as they are",
            str(one.failed),
        ],
        ["lines said", str(one.lines)],
        ["of them no sub-queries, left out", str(one.dropped)],
        ["seconds a question, p50", f"{one.p50_s:.1f}"],
        ["seconds a question, most", f"{one.max_s:.1f}"],
        [f"with a limit of {one.short_s:g} s: seconds, most", f"{one.short_max_s:.2f}"],
        [
            f"with a limit of {one.short_s:g} s: asked as they are, with a notice",
            f"{one.short_kept} of {one.short_questions}",
        ],
    ]
    return table([one.model, ""], rows)
