"""The sizes of chunks."""

from __future__ import annotations

import msgspec

from pincite.errors import ConfigError

#: Increase it if documents of all languages may be cut into other sections than before: the next
#: run cuts and encodes all of them again. For one language, increase its revision instead
#: (`ingestion.sources.revisions`).
RULES_VERSION = 4


class ChunkerConfig(msgspec.Struct, frozen=True):
    """Sizes in estimated word pieces (see `budget`).

    `max_tokens` limits the encoder's input, context line and text, and so the characters of a chunk
    (see `least_cost`). `target_tokens` is the size up to which small neighbours are merged. A
    definition of `solo_tokens` or more is not merged with its siblings. In keyword search, targets
    of 96 to 160 are equally good; in semantic search, 160 is worse than 128
    (docs/decisions/0003-chunking.md).
    """

    target_tokens: int = 128
    max_tokens: int = 240
    solo_tokens: int = 48

    def __post_init__(self) -> None:
        if not 16 <= self.target_tokens <= self.max_tokens:
            raise ConfigError(
                f"target_tokens={self.target_tokens} must lie between 16 and "
                f"max_tokens={self.max_tokens}."
            )
        if self.solo_tokens < 1:
            raise ConfigError(f"solo_tokens={self.solo_tokens} must be at least 1.")

    @property
    def fingerprint(self) -> str:
        """Return the version of the rules and the sizes as one text."""
        return f"chunks-{RULES_VERSION}/{self.target_tokens}/{self.max_tokens}/{self.solo_tokens}"
