"""`[log]`: the retrieval log and its size."""

from __future__ import annotations

import msgspec

from pincite.support.ranges import require_range


class LogSettings(msgspec.Struct, frozen=True):
    """The table `[log]` of pincite.toml. The file is rotated when the next line would make it
    larger than `max_bytes`; `keep` rotated files are kept. `mask_secrets`: mask likely keys and
    passwords in questions.

    A line has 20 to 30 KB, so the defaults keep about the last thousand searches.
    """

    enabled: bool = True
    max_bytes: int = 8_000_000
    keep: int = 3
    mask_secrets: bool = True

    def __post_init__(self) -> None:
        require_range(self, "log", "max_bytes", least=1)
        require_range(self, "log", "keep", least=0)
