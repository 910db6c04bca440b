"""`pincite verify` reads packs, not files of any size."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from pincite.surfaces.cli.app import app


@pytest.mark.parametrize("stdin", [False, True])
def test_a_file_that_is_too_large_for_a_pack_is_refused(tmp_path: Path, stdin: bool) -> None:
    pack = tmp_path / "pack.json"
    with pack.open("wb") as file:
        file.truncate(64_000_001)
    with pack.open("rb") as file:
        given = "-" if stdin else str(pack)
        done = CliRunner().invoke(app, ["verify", given], input=file if stdin else None)
    assert done.exit_code
    assert "more than 64,000,000 bytes, which is too large for a pack" in str(done.exception)
