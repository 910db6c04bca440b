"""Packs made by hand, for what shows them."""

from __future__ import annotations

from typing import Any

from pincite.model import Evidence, EvidencePack, Plan, Signal, Verdict, VerdictLevel
from pincite.support.terminal import Painted, sequences


def result(number: int = 1, path: str = "docs/keys.md", **values: Any) -> Evidence:
    """Lines 3 to 5 of a file, or what `values` say."""
    text = "To rotate a key, call `rotate_key`.\n\nKeys are kept for a day."
    fields: dict[str, Any] = {
        "number": number,
        "citation": f"acme@c0ffee:{path}#L3-L5",
        "citation_confidence": "high",
        "collection": "main",
        "source_type": "docs",
        "repo": "acme",
        "ref": "c0ffee",
        "path": path,
        "url": None,
        "chunk_id": f"{number:032x}",
        "candidate_id": f"main:{number}",
        "start_line": 3,
        "end_line": 5,
        "start_column": None,
        "end_column": None,
        "headings": ("Keys",),
        "symbols": (),
        "language": "markdown",
        "content_hash": "0" * 64,
        "signals": (Signal("fused", "normalised", 0.7123),),
        "text": text,
    }
    return Evidence(**(fields | values))


def pack(
    *results: Evidence,
    query: str = "rotating keys",
    level: VerdictLevel = "grounded",
    **values: Any,
) -> EvidencePack:
    """A pack of these results."""
    verdict = Verdict(
        level, "dense", "cosine", 0.6, 0.5, 0.3, False, "The dense signal is 0.60.", "measured"
    )
    plan = Plan(("main",), "lexical", "rrf", {}, {}, {})
    return EvidencePack("1.5", query, verdict, plan, results, {}, **values)


def text_of(parts: Any, *, colour: bool = False, links: bool = False) -> str:
    """The parts as they are sent to a terminal."""
    return "".join(
        sequences(one if isinstance(one, Painted) else Painted(one), colour=colour, links=links)
        for one in parts
    )
