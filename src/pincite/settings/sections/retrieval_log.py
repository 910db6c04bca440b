"""`[log]`: the retrieval log and its size."""

from __future__ import annotations

import msgspec

from pincite.support.ranges import require_range


class LogSettings(msgspec.Struct, frozen=True):
    """The table `[log]` of pincite.toml. A file is put aside when the next line would make it
    larger than `max_bytes`; `keep` such files stay beside the current one. `mask_secrets` leaves
    out what looks like a key or password in a question.

    A line has 20 to 30 KB: with the defaults the last thousand searches or so are there.
    """

    enabled: bool = True
    max_bytes: int = 8_000_000
    keep: int = 3
    mask_secrets: bool = True

    def __post_init__(self) -> None:
        require_range(self, "log", "max_bytes", least=1)
        require_range(self, "log", "keep", least=0)
