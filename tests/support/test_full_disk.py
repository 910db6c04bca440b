"""Errors of a disk that has no room left."""

from __future__ import annotations

import errno
import os

import pytest

from pincite.support.full_disk import out_of_room


@pytest.mark.parametrize(
    ("code", "full"),
    [
        (errno.ENOSPC, True),
        (errno.EDQUOT, True),
        (errno.EACCES, False),
        (errno.EIO, False),
    ],
)
def test_a_full_disk_and_a_used_up_quota_are_out_of_room(code: int, full: bool) -> None:
    assert out_of_room(OSError(code, os.strerror(code))) is full
