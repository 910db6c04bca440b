"""The figures of `wordings` as a table."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.local_preset.wordings import WordingFigures
from pincite.evals.report.tables import table


def wordings(raw: Any) -> str:
    """What became of the questions and the lines, and how long they took."""
    one = msgspec.convert(raw, WordingFigures)
    rows = [
        ["questions", str(one.questions)],
        ["with at least one rephrasing", str(one.expanded)],
        ["without a line of the format, searched unchanged", str(one.empty)],
        [
            f"stopped by a fault or the limit of {one.limit_s:g} s, searched unchanged",
            str(one.failed),
        ],
        ["lines in the answers", str(one.lines)],
        ["no sub-queries, dropped", str(one.dropped)],
        ["seconds a question, p50", f"{one.p50_s:.1f}"],
        ["seconds a question, longest", f"{one.max_s:.1f}"],
        [f"with a limit of {one.short_s:g} s: seconds, longest", f"{one.short_max_s:.2f}"],
        [
            f"with a limit of {one.short_s:g} s: searched unchanged, with a notice",
            f"{one.short_kept} of {one.short_questions}",
        ],
    ]
    return table([one.model, ""], rows)
