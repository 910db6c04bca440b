"""Small evidence and packs, with everything that does not matter filled in."""

from __future__ import annotations

from pincite.answering.check.passages import Told
from pincite.model import Evidence, EvidencePack, Notice, Omitted, Plan, Verdict, VerdictLevel
from pincite.providers.sparse.analyser import informative_terms

TERMS = informative_terms("english")
KEYS = (
    "To rotate a key, call `rotate_key` with the new secret. Keys expire after 30 days and cannot"
    " be restored."
)
BACKUPS = "Backups run every night at 2:30 and are kept for 1,000 hours."


def evidence(text: str, number: int = 1, **values: object) -> Evidence:
    """A passage of `docs/<number>.md` from its line 3 on."""
    last = 3 + text.count("\n")
    fields: dict[str, object] = {
        "number": number,
        "citation": f"acme@c0ffee:docs/{number}.md#L3-L{last}",
        "citation_confidence": "high",
        "collection": "main",
        "source_type": "docs",
        "repo": "acme",
        "ref": "c0ffee",
        "path": f"docs/{number}.md",
        "url": None,
        "chunk_id": f"{number:032x}",
        "candidate_id": f"main:{number}",
        "start_line": 3,
        "end_line": last,
        "start_column": None,
        "end_column": None,
        "headings": (),
        "symbols": (),
        "language": "markdown",
        "content_hash": "0" * 64,
        "signals": (),
        "text": text,
    }
    return Evidence(**(fields | values))  # type: ignore[arg-type]


def told(*texts: str) -> tuple[Told, ...]:
    """Passages as a model was told them, numbered from 1."""
    items = [evidence(text, number) for number, text in enumerate(texts, start=1)]
    return tuple(Told(one, one.text, one.citation) for one in items)


def pack(
    *items: Evidence,
    level: VerdictLevel = "grounded",
    closest: tuple[Evidence, ...] = (),
    omitted: tuple[Omitted, ...] = (),
    warnings: tuple[Notice, ...] = (),
    found: int = 9,
    query: str = "how is a key rotated?",
) -> EvidencePack:
    """A pack of these, of nine candidates."""
    verdict = Verdict(level, "coverage", "share", 0.6, 0.4, 0.25, False, "The coverage is 0.60.")
    plan = Plan(("main",), "lexical", "sum", {}, {}, {"main": found})
    return EvidencePack(
        *("1.5", query, verdict, plan, items, {}, warnings), omitted=omitted, closest=closest
    )
