"""Print the table of docs/providers.md: `python -m pincite.providers.table`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

from pincite.providers.facts import Facts
from pincite.providers.registry import Kind, Provider, builtin_providers

_HEAD = (
    "provider",
    "kind",
    "one request holds",
    "a text that is too long",
    "score",
    "extra",
    "key",
)


def facts_of(provider: Provider, kind: Kind) -> Facts:
    """Return the facts in the provider's file."""
    module = importlib.import_module(str(getattr(provider, kind)).partition(":")[0])
    facts: Facts = module.FACTS
    return facts


def rows() -> Iterator[tuple[str, ...]]:
    """Yield one row for each provider and kind."""
    for provider in builtin_providers():
        for kind in provider.kinds:
            facts = facts_of(provider, kind)
            need = "" if provider.needs_key else " (if it asks for one)"
            yield (
                f"`{provider.name}`",
                kind,
                facts.limits,
                facts.too_long,
                facts.scores or ("cosine" if kind == "dense" else ""),
                f"`{provider.extra}`" if provider.extra else "",
                f"`{provider.key}`{need}" if provider.key else "",
            )


def markdown() -> str:
    """Return the whole table."""
    lines = [_HEAD, ("---",) * len(_HEAD), *rows()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(markdown() + "\n")
