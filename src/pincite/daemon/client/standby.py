"""Start the process of a daemon before anybody knows whether it is needed.

The process imports what every daemon needs, while its client imports its own modules and reads its
settings: a tenth of a second each. Then the client tells it the rest of its arguments. A process
that is told nothing ends without having touched the index folder.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.daemon.client.background import launch_waiting

if TYPE_CHECKING:
    from pincite.daemon.client.background import Started, WaitingProcess

_waiting: dict[Path, WaitingProcess] = {}


def stand_by(root: Path) -> None:
    """Start a process for an index folder, which need not exist. If it cannot be started, the
    client finds out when it needs a daemon."""
    command = (sys.executable, "-P", "-m", "pincite.daemon", str(root))
    with suppress(OSError):
        if (started := launch_waiting(command, os.environ)) is not None:  # passed on, not read
            _waiting[root] = started


def told(root: Path, models: Path, idle_s: float) -> Started | None:
    """Return the process that stands by for this folder, once it was told the rest; None if there
    is none."""
    if (started := _waiting.pop(root, None)) is None:
        return None
    try:
        started.tell(f"{json.dumps([str(models), str(idle_s)])}\n".encode())
    except OSError:  # it has ended
        started.close()
        return None
    return started


def dismiss() -> None:
    """End the processes that were told nothing."""
    while _waiting:
        _waiting.popitem()[1].close()
