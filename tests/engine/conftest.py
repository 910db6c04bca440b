"""A small project in a temporary folder, indexed, which is the current folder of each test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite import Pincite

KEYS = "# Keys\n\nTo rotate a key, call `rotate_key` with the new secret.\n"
BACKUPS = "# Backups\n\nBackups run every night and are kept for thirty days.\n"
CODE = (
    'def rotate_key(secret: str) -> None:\n    """Rotate the current key."""\n    store(secret)\n'
)


def make_shop(folder: Path) -> None:
    """Two pages and a module in a checkout."""
    for path, text in (
        ("docs/keys.md", KEYS),
        ("docs/backups.md", BACKUPS),
        ("src/keys.py", CODE),
    ):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "shop"]):
        subprocess.run([*git, *command], cwd=folder, check=True)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The shop, indexed by word."""
    folder = tmp_path_factory.mktemp("shop")
    make_shop(folder)
    with pytest.MonkeyPatch.context() as patch:
        _own_settings(patch)
        with Pincite(folder / ".pincite") as pincite:
            pincite.index([folder / "docs", folder / "src"], lexical=True)
    yield folder
    with Pincite(folder / ".pincite") as pincite:
        pincite.stop()


@pytest.fixture(autouse=True)
def _in_the_shop(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _own_settings(monkeypatch)
    monkeypatch.chdir(shop)


def _own_settings(patch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PINCITE_")]:
        patch.delenv(name)
    patch.setenv("PINCITE_IDLE_S", "60")
