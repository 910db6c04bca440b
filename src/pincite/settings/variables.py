"""Names of the variables from which settings are read, and parsers for their common values. This
module is quick to import."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

PREFIX: Final = "PINCITE_"
LOG: Final = "PINCITE_LOG"
LOG_FORMAT: Final = "PINCITE_LOG_FORMAT"
REFRESH: Final = "PINCITE_REFRESH"
#: Variables with paths. Relative paths count from the current folder.
PLACES: Final = (
    *("PINCITE_INDEX", "PINCITE_MODELS", "PINCITE_CONFIG"),
    *("PINCITE_CACHE", "PINCITE_RATES"),
)

COLLECTION: Final = "QDRANT_COLLECTION"
MODE: Final = "SEARCH_MODE"
WEIGHT: Final = "SEARCH_VECTOR_WEIGHT"
CHAT_MODE: Final = "CHAT_MODE"
STRATEGY: Final = "RETRIEVAL_STRATEGY"
THRESHOLD: Final = "RETRIEVAL_SCORE_THRESHOLD"
REWRITE: Final = "QUERY_REWRITE_ENABLED"
CHAT_VARIABLES: Final = (CHAT_MODE, STRATEGY, THRESHOLD, REWRITE)
SEARCH_VARIABLES: Final = (COLLECTION, MODE, WEIGHT, *CHAT_VARIABLES)

QDRANT_URL: Final = "QDRANT_URL"
QDRANT_KEY: Final = "QDRANT_API_KEY"
RERANK: Final = "RERANK_ENABLED"
RERANK_PROVIDER: Final = "RERANK_PROVIDER"
RERANK_MODEL: Final = "RERANK_MODEL"
RERANK_URL: Final = "RERANK_BASE_URL"
SERVER_VARIABLES: Final = (
    *(QDRANT_URL, QDRANT_KEY),
    *(RERANK, RERANK_PROVIDER, RERANK_MODEL, RERANK_URL),
)

_WORDS: Final = {"1": True, "true": True, "on": True, "0": False, "false": False, "off": False}


def flag(environ: Mapping[str, str], name: str) -> bool | None:
    """Return the value of a variable that is on or off, None if it is not set or empty. Raises
    ConfigError for another word."""
    word = one_of(environ, name, _WORDS)
    return _WORDS[word] if word else None


def one_of(environ: Mapping[str, str], name: str, known: Collection[str], *, hint: str = "") -> str:
    """Return the value of a variable in lower case, "" if it is not set or empty. Raises
    ConfigError with `hint` for an unknown value."""
    value = environ.get(name, "").strip().lower()
    if value and value not in known:
        from pincite.errors import ConfigError  # late: the value is rarely wrong

        said = f"{name} is {environ[name]!r}; use one of {', '.join(known)}"
        raise ConfigError(said, hint=hint)
    return value
