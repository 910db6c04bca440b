"""Start the process of a daemon before it is known whether one is needed.

The process imports the modules of every daemon while its client imports its own modules and reads
its settings: a tenth of a second each. Then the client sends it the rest of its arguments. A
process that receives none ends without having touched the index folder.
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
    """Start a process for an index folder, which need not exist. A failure to start it is ignored:
    the client starts a daemon when it needs one."""
    command = (sys.executable, "-P", "-X", "utf8", "-m", "pincite.daemon", str(root))
    with suppress(OSError):
        if (started := launch_waiting(command, os.environ)) is not None:  # passed on, not read
            _waiting[root] = started


def told(root: Path, models: Path, idle_s: float) -> Started | None:
    """Send the rest of its arguments to the process that stands by for this folder, and return it;
    None if there is no such process."""
    if (started := _waiting.pop(root, None)) is None:
        return None
    try:
        started.tell(f"{json.dumps([str(models), str(idle_s)])}\n".encode())
    except OSError:  # it has ended
        started.close()
        return None
    return started


def dismiss() -> None:
    """End the processes that have not received their arguments."""
    while _waiting:
        _waiting.popitem()[1].close()
