"""`[refresh]`: automatic updates of the index."""

from __future__ import annotations

from typing import Literal

import msgspec

from pincite.support.fields import replace
from pincite.support.ranges import require_range

RefreshMode = Literal["auto", "manual", ""]


class RefreshSettings(msgspec.Struct, frozen=True):
    """The table `[refresh]` of pincite.toml. An empty `mode` is `auto` for commands, servers
    and adapters of frameworks, and `manual` for a `Pincite`, whose program decides when it indexes.

    `every_s`: a search triggers a scan of the folders if the last one is older than this. `watch`:
    also watch file events. `remote`: automatic updates may call paid providers, and write to a
    server.
    """

    mode: RefreshMode = ""
    every_s: float = 5.0  # guess, unmeasured: a look takes 40 ms for 2,000 files
    watch: bool = True
    remote: bool = False

    def __post_init__(self) -> None:
        require_range(self, "refresh", "every_s", least=0, below=1e9)

    @property
    def auto(self) -> bool:
        """Return whether the index updates itself."""
        return self.mode == "auto"

    def off(self) -> RefreshSettings:
        """Return these settings without automatic updates, for measurements and replays."""
        return replace(self, mode="manual")

    def by_itself(self) -> RefreshSettings:
        """Return these settings for a command, a server or an adapter, which update the index
        by default."""
        return replace(self, mode=self.mode or "auto")
