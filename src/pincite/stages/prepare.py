"""A question as typed becomes a query."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pincite.errors import ConfigError, UsageError
from pincite.model import Notice, Query

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_CODE_LIKE = re.compile(r"_|[a-z0-9][A-Z]|[A-Za-z]\d|\.[A-Za-z_]|[A-Z]{2}[a-z]")


@dataclass(frozen=True, slots=True)
class PrepareConfig:
    """`max_chars`: a longer query is cut, with a notice. A stack trace fits."""

    max_chars: int = 10_000

    def __post_init__(self) -> None:
        if self.max_chars < 1:
            raise ConfigError(f"prepare.max_chars is {self.max_chars}; it must be at least 1")


def prepare(text: str, config: PrepareConfig) -> Query:
    """Trim, collapse white space, keep case, find the identifiers. Raises UsageError if empty."""
    normalised = " ".join(text.split())
    if not normalised:
        raise UsageError("the query is empty", hint='pincite search "how do I ..."')
    notices: tuple[Notice, ...] = ()
    if len(normalised) > config.max_chars:
        notices = (
            Notice(
                "query_cut",
                f"the query has {len(normalised):,} characters; only the first"
                f" {config.max_chars:,} were used: ask for the part that matters",
            ),
        )
        normalised = normalised[: config.max_chars]
    words = dict.fromkeys(_WORD.findall(normalised))
    return Query(normalised, tuple(w for w in words if _CODE_LIKE.search(w)), notices)
