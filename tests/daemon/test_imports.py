"""What a daemon imports before it answers, as it starts with the first run of indexing."""

from __future__ import annotations

import subprocess
import sys

import pytest

STARTS = "import pincite.daemon.server, pincite.daemon.service, pincite.index.opening"
STORE = "import pincite.stores.qdrant_edge.store"


@pytest.mark.parametrize("heavy", ["numpy", "pincite.search", "pincite.profile", "pincite.readers"])
def test_a_daemon_starts_without(heavy: str) -> None:
    said = f"{STARTS}\n{STORE}\nimport sys; print({heavy!r} in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
