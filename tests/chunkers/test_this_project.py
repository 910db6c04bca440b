"""The laws of chunking on real files: those of this project."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.readers import file_type
from tests.chunkers.laws import lawful_chunks

ROOT = Path(__file__).parents[2]
FOLDERS = ("bench", "docs", "src", "tests")


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_citation_is_exact_and_every_line_is_covered(folder: str) -> None:
    files = [each for each in sorted((ROOT / folder).rglob("*")) if each.is_file()]
    read = [each for each in files if file_type(each.name) and "__pycache__" not in each.parts]
    assert read
    for file in read:
        raw = file.read_bytes()
        assert bool(lawful_chunks(str(file.relative_to(ROOT)), raw, ChunkerConfig())) == bool(
            raw.strip()
        )
