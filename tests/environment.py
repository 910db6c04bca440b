"""The environment of commands that tests start."""

from __future__ import annotations

import os

from pincite.settings.load import VARIABLES


def clean_environment() -> dict[str, str]:
    """That of this process without anything that Pincite reads, and without runs in the
    background, which tests of these ask for. Daemons that nobody stops leave after a minute."""
    given = {
        name: value
        for name, value in os.environ.items()
        if name not in VARIABLES and not name.startswith(("PINCITE_", "OTEL_"))
    }
    return {**given, "PINCITE_REFRESH": "manual", "PINCITE_IDLE_S": "60", "PINCITE_TRUST": "1"}
