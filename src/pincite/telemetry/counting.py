"""Count the results of a stage, without any text of them."""

from __future__ import annotations

from collections.abc import Iterator

from pincite.ports.tracing import Value


def counts_of(value: object) -> Iterator[tuple[str, Value]]:
    """Yield attributes for the span of a stage: the numbers of its candidates, items, warnings,
    rankings and hits, and its verdict."""
    if isinstance(value, tuple | list):
        yield "pincite.candidates", len(value)
        return
    for name in ("candidates", "items", "notices"):
        found = getattr(value, name, None)
        if isinstance(found, tuple | list):
            yield f"pincite.{name}", len(found)
    rankings = getattr(value, "rankings", None)
    if isinstance(rankings, tuple | list):
        yield "pincite.rankings", len(rankings)
        yield "pincite.hits", sum(len(getattr(one, "hits", ())) for one in rankings)
    verdict = getattr(value, "verdict", None)
    level = getattr(verdict, "level", None)
    if isinstance(level, str):
        yield "pincite.verdict", level
