"""Run commands in processes that are forked from one which has imported what they need.

Most of the processor time of a short command is Python's start and its imports. A forked process
has done these already. Everything else is that of a process which was started: it runs the
program's own entry in its own folder, with its own variables, arguments and standard streams, can
be killed, and ends with its own exit code. Daemons are forked as well (`tests.forked_daemons`);
other processes that it starts are started as ever.

Two processes are there to fork from, and commands take turns: the sets of one command have another
order than those of the next, as if each had been started.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn

from tests import forked_daemons
from tests.forked_daemons import read_early
from tests.time_limits import HANGS_S

_ROOT: Final = Path(__file__).parents[1]
_PROGRAM: Final = "pincite.surfaces.cli.app"
#: What most commands import, by modules that import the rest of it. No command needs numpy, and
#: some look whether it is there.
_IMPORTED: Final = (
    _PROGRAM,
    *(f"pincite.surfaces.cli.{name}" for name in ("ask", "index", "progress", "records", "search")),
    *("pincite.surfaces.traced_search", "pincite.surfaces.text.render", "pincite.surfaces.tracing"),
    *("pincite.diagnostics.explain", "pincite.diagnostics.status"),
    *("pincite.engine", "pincite.daemon.client.open_index", "pincite.daemon.client.remote_search"),
    "pincite.daemon.server.search_here",
    *("pincite.citations.listing", "pincite.citations.get", "pincite.citations.verify"),
    *("pincite.collection.no_documents", "pincite.engine.searcher", "pincite.search"),
    *("pincite.retrieval_log.recorder", "pincite.current_files.verdicts"),
    *("pincite.scope.choosing", "pincite.stages.rank_code.scores", "pincite.stages.absent"),
    *(
        "pincite.stages.answerable",
        "pincite.stages.context.page",
        "pincite.current_files.find_again",
    ),
    *("pincite.citations.changed_warning", "pincite.settings.otel", "Stemmer"),
)
#: numpy reads its own, and a command decides on these before it imports it.
_READ_EARLY: Final = (*forked_daemons.READ_EARLY, "OPENBLAS_")
_LARGEST: Final = 100_000  # bytes of a request, which is one packet
_KEPT: Final = 256  # the one descriptor that a command has from here: it asks for daemons


_AT_THE_START: Final = dict(os.environ)
_servers: list[tuple[socket.socket, subprocess.Popen[bytes]]] = []
_turns = itertools.count()
_starting = threading.Lock()


def run(
    arguments: Sequence[str], cwd: Path, environment: Mapping[str, str], stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """The finished `pincite` with these arguments, its streams read to their ends. It is started
    where a forked process would not be the same."""
    request = json.dumps([list(arguments), str(cwd), dict(environment)]).encode()
    forks = hasattr(os, "fork") and hasattr(socket, "SOCK_SEQPACKET")
    if (
        forks
        and len(request) <= _LARGEST
        and read_early(environment, _READ_EARLY) == read_early(_AT_THE_START, _READ_EARLY)
    ):
        return _forked(request, stdin)
    return subprocess.run(
        [sys.executable, "-m", _PROGRAM, *arguments],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=HANGS_S,
    )


def _forked(request: bytes, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pipes = [os.pipe() for _ in range(3)]
    (stdin_end, stdin_fd), *others = pipes
    given = [stdin_end, *(write for _, write in others)]
    try:
        socket.send_fds(_server(), [request], [*given, theirs.fileno()])
    finally:
        theirs.close()
        for each in given:
            os.close(each)
    with ours, ThreadPoolExecutor(3) as threads:
        process = int(ours.recv(16))
        written = threads.submit(_write, stdin_fd, stdin)
        reads = [threads.submit(_read, read) for read, _ in others]
        try:
            found = [each.result(HANGS_S) for each in reads]
            code = os.waitstatus_to_exitcode(int(ours.recv(16)))
        except BaseException:
            os.kill(process, signal.SIGKILL)
            raise
        written.result()
    return subprocess.CompletedProcess(["pincite"], code, *found)


def _write(descriptor: int, raw: bytes) -> None:
    try:
        with open(descriptor, "wb", buffering=0) as file:
            while raw:
                raw = raw[file.write(raw) :]
    except BrokenPipeError:
        return


def _read(descriptor: int) -> bytes:
    with open(descriptor, "rb") as file:
        return file.read()


def _server() -> socket.socket:
    """The process whose turn it is. Both end with this one, which holds the other end."""
    with _starting:
        while len(_servers) < 2:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            channels = [theirs.fileno(), forked_daemons.server().fileno()]
            server = subprocess.Popen(
                [sys.executable, "-m", "tests.forked", *map(str, channels)],
                cwd=_ROOT,
                env=_AT_THE_START,
                stdin=subprocess.PIPE,  # of the kind that a command has
                stdout=subprocess.PIPE,
                pass_fds=channels,
            )
            theirs.close()
            _servers.append((ours, server))
        return _servers[next(_turns) % 2][0]


def serve(channel: socket.socket, daemons: socket.socket) -> None:
    """Fork a process for each request, until nobody can ask any more. They have theirs forked by
    the server of `daemons`."""
    forked_daemons.fork_daemons(daemons)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as the program has it before it imports numpy
    for name in _IMPORTED:
        import_module(name)
    del os.environ["OPENBLAS_NUM_THREADS"]
    gc.freeze()
    assert threading.active_count() == 1
    assert "numpy" not in sys.modules
    while True:
        request, descriptors, _, _ = socket.recv_fds(channel, 2 * _LARGEST, 4)
        if not request:
            return
        if not os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _watch(request, descriptors)
        for each in descriptors:
            os.close(each)


def _watch(request: bytes, descriptors: Sequence[int]) -> NoReturn:
    """Fork the process, and say how it has ended."""
    child = os.fork()
    if not child:
        _become(request, descriptors)
    for each in descriptors[:3]:
        os.close(each)
    os.write(descriptors[3], str(child).encode())
    _, status = os.waitpid(child, 0)
    os.write(descriptors[3], str(status).encode())
    os._exit(0)


def _become(request: bytes, descriptors: Sequence[int]) -> NoReturn:
    arguments, cwd, environment = json.loads(request)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for target, each in enumerate(descriptors[:3]):
        os.dup2(each, target)
    os.closerange(3, _KEPT)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    # processes that `multiprocessing` starts import it by its name
    sys.modules["__main__"] = program = sys.modules[_PROGRAM]
    sys.path[0], sys.argv = cwd, [str(program.__file__), *arguments]
    sys.exit(program.program())


if __name__ == "__main__":
    _commands, _daemons = (int(one) for one in sys.argv[1:])
    os.dup2(_daemons, _KEPT, inheritable=False)
    os.close(_daemons)
    serve(socket.socket(fileno=_commands), socket.socket(fileno=_KEPT))
