"""Errors of a disk that has no room left."""

from __future__ import annotations

import errno


def out_of_room(error: OSError) -> bool:
    """Return whether the disk is full or the quota of this user is used up."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
