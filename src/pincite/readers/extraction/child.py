"""Start a child process of this Python that reads untrusted input and answers in blocks of
`pipes`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType

from pincite.support.capabilities import kill_group
from pincite.support.processes.environment import without_secrets

_NOTHING: Mapping[str, str] = MappingProxyType({})


def start_child(
    module: str, *arguments: str, environ: Mapping[str, str] = _NOTHING
) -> subprocess.Popen[bytes]:
    """Run a module in a process group of its own, without our keys, in the root folder and with
    its stderr discarded. `environ` is added to its environment. Raises OSError."""
    return subprocess.Popen(
        [sys.executable, "-P", "-X", "utf8", "-B", "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        env={**without_secrets(os.environ), **environ},
        cwd="/",
        start_new_session=True,  # Ctrl-C is for the parent
    )


def end_child(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and all processes that it has started."""
    if child.poll() is None:
        kill_group(child)
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
