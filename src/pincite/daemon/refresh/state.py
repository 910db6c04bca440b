"""State that a daemon stores for its successor: time of the last scan, lasting differences."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from pincite.daemon.refresh.glance import Differing
from pincite.support.databases.private_file import read_private, replace_private
from pincite.support.decodable import ready

_FILE: Final = "refresh.json"


class Kept(msgspec.Struct):
    """The state that outlives the daemon. Times are in ISO 8601, "" if there is none; `left` has
    the known differences that need no further look, by source."""

    checked_at: str = ""
    changed_at: str = ""
    left: dict[str, list[Differing]] = {}

    def write(self, root: Path) -> None:
        """Store the state in an index folder."""
        with suppress(OSError):  # a full disk: the next daemon looks once more than necessary
            replace_private(root / _FILE, msgspec.json.encode(self))


def read_kept(root: Path) -> Kept:
    """Return the stored state. A damaged file counts as missing, which costs one more look."""
    try:
        return msgspec.json.decode(read_private(root / _FILE), type=ready(Kept))
    except (OSError, msgspec.MsgspecError):
        return Kept()
