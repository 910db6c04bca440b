"""Trees and checkouts to list."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from pincite.sources import Entry, OpenSource, Selection, Skipped, SourceLimits, open_source

if TYPE_CHECKING:
    from pathlib import Path

LIMITS = SourceLimits()


def plant(root: Path, files: dict[str, str | bytes]) -> Path:
    """Write files below `root`, making folders."""
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def git(root: Path, *arguments: str) -> str:
    """Run git as nobody in particular, without the machine's configuration."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
    }  # fmt: skip
    command = ["git", "-C", str(root), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(root: Path) -> str:
    """Commit everything in a checkout, made if need be; the SHA."""
    if not (root / ".git").exists():
        git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "x")
    return git(root, "rev-parse", "HEAD")


def listed(source: OpenSource) -> list[str]:
    """The paths of what may be read."""
    return [each.path for each in source.entries() if isinstance(each, Entry)]


def skipped(source: OpenSource) -> dict[str, str]:
    """Code by path of what is left out."""
    return {each.path: each.code for each in source.entries() if isinstance(each, Skipped)}


def opened(place: Path, **patterns: tuple[str, ...] | bool) -> OpenSource:
    """Open with a selection."""
    return open_source(place, limits=LIMITS, selection=Selection(**patterns))  # type: ignore[arg-type]
