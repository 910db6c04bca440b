"""Libraries that Pincite loads do not count its users: onnxruntime would look up a host of its
maker, and write the id of the machine beside the user's files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.providers.bundled.tiny_bert import publish
from tests.providers.dense.local_hub import fetch_from_folder
from tests.time_limits import HANGS_S

ENCODES = """
import asyncio, sys
from pathlib import Path
from pincite.providers.bundled.minilm import MiniLmEncoder
encoder = MiniLmEncoder(Path(sys.argv[1]), threads=1)
asyncio.run(encoder.embed_query("hello"))
encoder.close()
"""
LOADS = "import {module}, onnxruntime"


def files_after(home: Path, program: str, *arguments: str) -> list[str]:
    """The files in a new home of a program."""
    home.mkdir()
    environ = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    environ |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PINCITE_OFFLINE": "1"}
    subprocess.run(
        [sys.executable, "-B", "-c", program, *arguments],
        env=environ,
        check=True,
        capture_output=True,
        timeout=HANGS_S,
    )
    return sorted(str(one.relative_to(home)) for one in home.rglob("*") if one.is_file())


def test_an_encoder_leaves_nothing_in_the_home(tmp_path: Path) -> None:
    model = fetch_from_folder(publish(tmp_path / "published"), tmp_path / "models")
    assert files_after(tmp_path / "home", ENCODES, str(model)) == []


@pytest.mark.parametrize(
    "module", ["pincite", "pincite.readers.pdf.recognised", "pincite.stores.qdrant.store"]
)
def test_no_module_is_needed_to_keep_onnxruntime_silent(tmp_path: Path, module: str) -> None:
    """The client of Qdrant and OCR load it, too."""
    assert files_after(tmp_path / "home", LOADS.format(module=module)) == []
