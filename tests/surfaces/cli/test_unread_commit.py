"""A checkout whose objects git cannot read is indexed at once, and the command says so."""

from __future__ import annotations

import os
from pathlib import Path

from tests.sources.helpers import commit
from tests.surfaces.conftest import Cli


def test_the_first_run_says_that_the_commit_cannot_be_read(tmp_path: Path) -> None:
    """Its few files are read while the daemon starts, by another opened source."""
    cli = Cli(tmp_path)
    cli.write("a.md", "# Lamps\n\nThe lamp hums.\n")
    sha = commit(tmp_path)
    alternates = tmp_path / ".git/objects/info/alternates"
    alternates.parent.mkdir(exist_ok=True)
    os.mkfifo(alternates)
    said = cli("index", ".", "--lexical").stderr
    assert f"commit {sha[:12]} of {tmp_path.name} cannot be read" in said
    cli("stop")
