"""Absolute Windows paths as texts, on any system: drive letters, backslashes, no case."""

from __future__ import annotations

import ntpath
import re
from pathlib import PureWindowsPath

_ABSOLUTE = re.compile(r"[A-Za-z]:[\\/]|\\\\[^\\/]")
_OF_ADDRESS = re.compile(r"/(?=[A-Za-z]:/)")


def has_drive(path: str) -> bool:
    """Return whether the path is an absolute Windows path, on a drive or a share."""
    return _ABSOLUTE.match(path) is not None


def slashed(path: str) -> str:
    """Return an absolute Windows path with `/`, and any other path unchanged: a backslash may be a
    part of its name."""
    return path.replace("\\", "/") if has_drive(path) else path


def of_address(path: str) -> str:
    """Return the path of a `file:` address: `/C:/docs` becomes `C:/docs`."""
    return _OF_ADDRESS.sub("", path, count=1) if _OF_ADDRESS.match(path) else path


def below(path: str, folder: str) -> str | None:
    """Return the part of an absolute Windows path below a folder, with `/` and in its own case; ""
    if it is the folder, None if it is not below. Folders are compared without case."""
    place, root = PureWindowsPath(ntpath.normpath(path)), PureWindowsPath(ntpath.normpath(folder))
    if not place.is_relative_to(root):
        return None
    rest = place.relative_to(root).as_posix()
    return "" if rest == "." else rest
