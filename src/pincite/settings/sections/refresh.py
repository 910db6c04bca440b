"""`[refresh]`: automatic updates of the index."""

from __future__ import annotations

from typing import Literal

import msgspec

from pincite.support.fields import replace
from pincite.support.ranges import require_range

RefreshMode = Literal["auto", "manual", ""]


class RefreshSettings(msgspec.Struct, frozen=True):
    """The table `[refresh]` of pincite.toml. An empty `mode` is `auto` for commands and MCP
    servers, and `manual` for programs, which decide for themselves when they index.

    `every_s` is how old the last look at the folders may be when a search comes. `watch` asks for
    file events besides. `remote` allows to embed with a provider and to write to a server in the
    background.
    """

    mode: RefreshMode = ""
    every_s: float = 5.0  # guess, unmeasured: a look takes 40 ms for 2,000 files
    watch: bool = True
    remote: bool = False

    def __post_init__(self) -> None:
        require_range(self, "refresh", "every_s", least=0, below=1e9)

    @property
    def auto(self) -> bool:
        """Is the index brought up to date without being asked?"""
        return self.mode == "auto"

    def off(self) -> RefreshSettings:
        """The same for what measures or repeats, where the index has to stay as it is."""
        return replace(self, mode="manual")

    def by_itself(self) -> RefreshSettings:
        """The same for a command or a server, which are on unless something else is set."""
        return replace(self, mode=self.mode or "auto")
