"""The first 5,000 Python files of Home Assistant, a large project, from the package index."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

from bench.frame import SkippedError

FILES: Final = 5_000
_PACKAGE: Final = "homeassistant==2024.3.3"
_WHEEL: Final = "homeassistant-2024.3.3-py3-none-any.whl"
_SHA256: Final = "6e1ec2c07441d63fdcfb8acd2c4bbb6f68bc97330855784d3623d10c38fe3577"
_LIMIT_S: Final = 600


def many_files(cache: Path, into: Path) -> Path:
    """Return the folder with the files, below `into`. The wheel stays in `cache`. Raises
    SkippedError if the index is not at hand, or has another file under that name."""
    cache.mkdir(parents=True, exist_ok=True)
    wheel = cache / _WHEEL
    if not wheel.exists():
        _download(cache)
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != _SHA256:
        raise SkippedError(f"{wheel} is another file than the figures are for")
    with zipfile.ZipFile(wheel) as packed:
        names = sorted(name for name in packed.namelist() if name.endswith(".py"))
        packed.extractall(into, names[:FILES])
    return into


def _download(cache: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--python-version", "3.12", "--dest", str(cache)]
    try:
        subprocess.run([*command, _PACKAGE], check=True, capture_output=True, timeout=_LIMIT_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise SkippedError(f"{_PACKAGE} cannot be downloaded: {error}") from error
