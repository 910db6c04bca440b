"""The tables of `bench.answering.conversations`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.answering.conversations import ConversationFigures
from pincite.evals.report.tables import table


def conversations(raw: Any) -> str:
    """Follow-ups against people's rewrites, what they find, and who was kept apart."""
    figures = msgspec.convert(raw, ConversationFigures, str_keys=True)
    rewrites = [
        (
            f"{one.name} ({one.follow_ups:,})",
            _bold(way),
            *(f"{value:.3f}" for value in (way_of.precision, way_of.recall, way_of.f1)),
            f"{way_of.whole:.3f}",
        )
        for one in figures.rewrites
        for way, way_of in one.ways.items()
    ]
    found = [
        (
            side,
            _bold(way),
            *(f"{value:.3f}" for value in (one.recall_10, one.recall_50)),
            *(f"{value:.3f}" for value in (one.ndcg_12, one.mrr_12)),
        )
        for side, ways in figures.found.items()
        for way, one in ways.items()
    ]
    apart = [
        (one.adapter, one.users, f"{one.cases:,}", one.leaks, f"{one.cases_s:,.0f}")
        for one in figures.apart
    ]
    return "\n\n".join(
        (
            "Words added to follow-ups, compared with the words that people added:",
            table(("set", "query", "precision", "recall", "F1", "whole"), rewrites),
            f"Results of the {figures.golden} follow-ups of `adk-dev`:",
            table(("profile", "query", "R@10", "R@50", "nDCG@12", "MRR@12"), found),
            "Random calls for users with similar names:",
            table(("adapter", "users", "calls", "leaks", "calls a second"), apart),
            f"A follow-up without a model takes {figures.condense_ms:.2f} ms (median).",
        )
    )


def _bold(way: str) -> str:
    return f"**{way}**" if way == "condensed" else way
