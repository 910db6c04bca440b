"""Identify this machine: a folder that is missing here may exist on another one."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

from pincite.support.capabilities import host_name

_ID = Path("/etc/machine-id")


@cache
def this_machine() -> str:
    """Return 16 hex digits that are unique to this machine. They are made from systemd's id, else
    from the host name, which is unique to a container. The digits reveal neither."""
    try:
        known = _ID.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        known = ""
    return blake2b((known or host_name()).encode(), digest_size=8).hexdigest()
