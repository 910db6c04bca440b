"""Which machine this is: a folder that is not here may be there."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

from pincite.support.capabilities import host_name

_ID = Path("/etc/machine-id")


@cache
def this_machine() -> str:
    """16 hex digits that no other machine has: of systemd's id, else of the host's name, which a
    container has for itself. Nothing can be read from them."""
    try:
        known = _ID.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        known = ""
    return blake2b((known or host_name()).encode(), digest_size=8).hexdigest()
