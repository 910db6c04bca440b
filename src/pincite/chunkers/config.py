"""The sizes of chunks."""

from __future__ import annotations

import msgspec

from pincite.errors import ConfigError

#: Raise it if documents of all languages may give other sections than before: the next run cuts and
#: encodes all again. For one language, raise its revision (`ingestion.sources.revisions`).
RULES_VERSION = 4


class ChunkerConfig(msgspec.Struct, frozen=True):
    """Sizes in estimated word pieces (see `budget`).

    `max_tokens` limits the encoder's input: context line and text. `target_tokens` is the size up
    to which small neighbours are merged. A definition of `solo_tokens` or more is not merged with
    its siblings. In keyword search, targets of 96 to 160 find equally much; in semantic search, 160
    finds less than 128 (docs/decisions/0003-chunking.md).
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
        """Return a line that is equal if and only if equal documents give equal sections."""
        return f"chunks-{RULES_VERSION}/{self.target_tokens}/{self.max_tokens}/{self.solo_tokens}"
