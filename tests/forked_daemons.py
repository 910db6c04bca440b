"""Fork daemons from a process that has imported what they need.

Most of the processor time of a daemon in a test is Python's start and its imports, which a forked
process has done already. Everything else is that of a daemon which was started: it detaches itself,
runs the program's own entry with its own arguments, variables and files, and reports to its client.
`tests/daemon` starts all of its daemons, and so do commands that no test forks.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

from pincite.daemon.client import background

_ROOT: Final = Path(__file__).parents[1]
_PROGRAM: Final = "pincite.daemon.__main__"
_COMMAND: Final = (sys.executable, "-P", "-X", "utf8", "-m", "pincite.daemon")
#: What most daemons of tests import, by modules that import the rest of it.
_IMPORTED: Final = (
    _PROGRAM,
    *("pincite.daemon.server.listener", "pincite.daemon.host_mark"),
    *("pincite.daemon.server.read_only", "pincite.daemon.server.search_here"),
    *("pincite.daemon.refresh.scheduler", "pincite.current_files.files"),
    *("pincite.index.store_of_folder", "pincite.index.outlining"),
    *("pincite.stores.qdrant_edge.store", "pincite.catalog.sqlite", "pincite.engine.searcher"),
    *("pincite.surfaces.cli_in_daemon", "pincite.surfaces.text.render"),
    *("pincite.settings.otel", "pincite.support.processes.signals", "pincite.sources.reopening"),
    *("numpy", "platformdirs", "Stemmer"),
)
#: Variables that Python itself, its libraries or the linker read at the start. Not LD_LIBRARY_PATH,
#: which cv2 changes for itself when a test imports it.
READ_EARLY: Final = ("PYTHON", "LC_", "LANG", "LD_PRELOAD", "MALLOC_", "OMP_")
_LARGEST: Final = 100_000  # bytes of a request, which is one packet
_NO_CHILD: Final = (
    1  # a process that nobody waits for, as that of a daemon which has detached itself
)
_AT_THE_START: Final = dict(os.environ)

_started = background._Forking._start
_starting = threading.Lock()
_servers: list[tuple[socket.socket, subprocess.Popen[bytes]]] = []


def read_early(
    environment: Mapping[str, str], prefixes: tuple[str, ...] = READ_EARLY
) -> dict[str, str]:
    """The variables that a forked process cannot have of its own."""
    return {name: value for name, value in environment.items() if name.startswith(prefixes)}


def server() -> socket.socket:
    """The end that takes requests. The process ends with the last one that holds it."""
    with _starting:
        if not _servers:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            process = subprocess.Popen(
                [sys.executable, "-X", "utf8", "-m", "tests.forked_daemons", str(theirs.fileno())],
                cwd=_ROOT,
                env=_AT_THE_START,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
            theirs.close()
            _servers.append((ours, process))
        return _servers[0][0]


def fork_daemons(channel: socket.socket | None = None) -> None:
    """Have the daemons of this process forked by the server at the other end of `channel`, which is
    started with the first request if none is given."""

    def start(
        self: Any, command: Sequence[str], environ: Mapping[str, str], *files: tuple[Any, ...]
    ) -> None:
        request = json.dumps([list(command[len(_COMMAND) :]), dict(environ)]).encode()
        if (
            tuple(command[: len(_COMMAND)]) != _COMMAND
            or len(request) > _LARGEST
            or read_early(environ) != read_early(_AT_THE_START)
        ):
            _started(self, command, environ, *files)
            return
        self._pid = _NO_CHILD
        self._pipe, writing = os.pipe()
        given, opened = {1: writing}, [writing]
        try:
            for kind, *rest in files:
                if kind == os.POSIX_SPAWN_OPEN:
                    target, path, flags, mode = rest
                    opened.append(os.open(path, flags, mode))
                    given[target] = opened[-1]
                else:
                    source, target = rest
                    given[target] = source
            streams = [given[target] for target in range(3)]
            socket.send_fds(channel or server(), [request], streams)
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            for each in opened:
                os.close(each)

    background._Forking._start = start  # type: ignore[method-assign]


def start_daemons() -> None:
    """Have them started again."""
    background._Forking._start = _started  # type: ignore[method-assign]


def serve(channel: socket.socket) -> None:
    """Fork a daemon for each request, until nobody can ask any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads do not survive a fork
    for name in _IMPORTED:
        import_module(name)
    sys.path.pop(0)  # this folder, which no daemon has
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1
    while True:
        request, descriptors, _, _ = socket.recv_fds(channel, 2 * _LARGEST, 3)
        if not request:
            return
        if not os.fork():
            _become(request, descriptors)
        for each in descriptors:
            os.close(each)


def _become(request: bytes, descriptors: Sequence[int]) -> NoReturn:
    arguments, environment = json.loads(request)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for target, each in enumerate(descriptors):
        os.dup2(each, target)
    os.environ.clear()
    os.environ.update(environment)
    sys.modules["__main__"] = program = sys.modules[_PROGRAM]
    sys.argv = [str(program.__file__), *arguments]
    program.into_the_background()
    from pincite.support.processes.gc_tuning import rarely_collect
    from pincite.support.processes.leaving import run_and_leave

    rarely_collect()
    run_and_leave(program._program)
    raise AssertionError("it has left")


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
