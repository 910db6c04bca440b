"""`python -m pincite.daemon INDEX [MODELS IDLE_S]`: the daemon as a process.

Without the last two arguments, it waits for them as a line of JSON on its standard input, and
imports its modules meanwhile (`pincite.daemon.client.standby`). It ends if no line arrives.

It goes into the background at once, so that its caller need not wait for its end. The first line on
stdout is a JSON object: `{}` when clients may connect, `{"owned": true}` if another process has the
index, or the error that ended it. All other output goes to `owner.log` in its workplace, including
output of native libraries on stderr.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, get_args

if TYPE_CHECKING:
    from pincite.ports import DenseEncoder


_FLUSH_S = 1.0  # limit, so that a collector that hangs does not delay the next daemon


class WithoutSecrets(logging.Formatter):
    """A formatter that masks secrets: a log line may quote a question, for example in a
    traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line and its traceback, masked as in the retrieval log."""
        from pincite.support.secrets import mask

        return mask(super().format(record))


class _Log(RotatingFileHandler):
    """A log that refuses a link or a pipe for its file."""

    def _open(self) -> TextIOWrapper:
        from pincite.daemon.client.background import open_log

        return TextIOWrapper(os.fdopen(open_log(Path(self.baseFilename)), "ab"), "utf-8")


def _formatter(environ: Mapping[str, str]) -> logging.Formatter:
    """Return the log formatter that the environment variables select. The client has the same
    variables and reports invalid ones."""
    from pincite.errors import ConfigError
    from pincite.settings.sections.telemetry import LogFormat
    from pincite.settings.variables import LOG_FORMAT, one_of

    with suppress(ConfigError):
        if one_of(environ, LOG_FORMAT, get_args(LogFormat)) == "json":
            from pincite.telemetry.lines import JsonLines

            return JsonLines()
    return WithoutSecrets("%(asctime)s %(process)d %(levelname)s %(message)s")


@contextmanager
def _sending(environ: Mapping[str, str]) -> Iterator[None]:
    """Send spans of indexing while the block runs, if variables name a collector."""
    from pincite.settings.otel import otel_variables, spans_wanted

    if not spans_wanted(environ):
        yield
        return
    from pincite.errors import ConfigError
    from pincite.telemetry.spans import start_sending

    try:
        sending = start_sending(otel_variables(environ), texts=False)
    except ConfigError as error:
        logging.getLogger("pincite.daemon").warning("no spans are sent: %s", error)
        yield
        return
    try:
        yield
    finally:
        sending.close(_FLUSH_S)


def report(line: object) -> None:
    """Report one line to the parent process, if it still waits, and close its pipe."""
    with suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), f"{json.dumps(line)}\n".encode())
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


async def run(root: Path, models: Path, idle_s: float) -> None:
    """Serve the index until the daemon is told to leave or has been idle for `idle_s` seconds."""
    from pincite.daemon.host_mark import BEAT_S, beat, join, leave, this_machine
    from pincite.daemon.server.listener import serve
    from pincite.daemon.server.read_only import may_write
    from pincite.daemon.server.service import Daemon
    from pincite.index.store_of_folder import open_remembered
    from pincite.support.processes.gc_tuning import rarely_collect
    from pincite.support.processes.signals import on_signals

    def load_encoder(models: Path, name: str) -> DenseEncoder:
        from pincite.encoders.bundled import open_encoder

        return open_encoder(models, name)

    machine = this_machine()
    lock = await join(root, machine) if (writes := may_write(root)) else None
    environ = os.environ  # passed on, not read
    opening = partial(open_remembered, environ=environ)
    daemon = Daemon(root, models, load_encoder, opening, environ)
    rarely_collect()

    async def short(body: bytes) -> bytes:
        from pincite.surfaces.cli_in_daemon import (
            answer_short,  # imported with the first such question
        )

        return await answer_short(body, daemon, root)

    daemon.short = short
    daemon.when_closed = partial(leave, root, machine, lock) if writes else None
    on_signals(("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"), daemon.leaving.set)

    async def stay() -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            if not daemon.outdated and not beat(root, machine):
                daemon.abandon(f"another machine has taken over the index folder {root}")

    staying = asyncio.create_task(stay()) if writes else None
    try:
        await daemon.open()
        await serve(daemon, root, idle_s, ready=lambda: report({}))
    finally:
        if staying is not None:
            staying.cancel()
        await daemon.close()


def main(index: str, models: str, idle_s: str, *, waited: bool = False) -> int:
    """Return 0 after a normal end, 1 after an error that was reported. A process that `waited` for
    its arguments has no log for the output of libraries yet."""
    from pincite.daemon.server.read_only import workplace
    from pincite.daemon.server.service import AlreadyRunning
    from pincite.daemon.wire.protocol import LOG, describe_error
    from pincite.errors import IndexUnavailable, PinciteError

    os.umask(0o077)
    root = Path(index)
    place = workplace(root)
    os.chdir(place)
    if waited:
        _keep_errors(place / LOG)
    handler = _Log(place / LOG, maxBytes=1_000_000, backupCount=1)
    handler.setFormatter(_formatter(os.environ))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    try:
        with _sending(os.environ):
            asyncio.run(run(root, Path(models), float(idle_s)))
    except AlreadyRunning:
        report({"owned": True})
        return 1
    except PinciteError as error:
        logging.getLogger("pincite.daemon").error("%s", error)
        report({"error": describe_error(error)})
        return 1
    except OSError as error:
        logging.getLogger("pincite.daemon").exception("the daemon failed")
        failed = IndexUnavailable(
            f"the index {root} cannot be opened: {error}",
            hint="an index must be on a local disk that you can write to: see PINCITE_INDEX",
        )
        report({"error": describe_error(failed)})
        return 1
    return 0


def _keep_errors(log: Path) -> None:
    """Append everything that is written to stderr to the log."""
    from pincite.daemon.client.background import open_log

    file = open_log(log)
    os.dup2(file, sys.stderr.fileno())
    os.close(file)


def rest_of_arguments() -> list[str] | None:
    """Import the modules of a daemon with the default store. Then return the arguments from
    standard input, or None if the client has ended without sending any."""
    for name in ("server.listener", "host_mark", "server.read_only"):
        import_module(f"pincite.daemon.{name}")
    for name in ("index.store_of_folder", "stores.qdrant_edge.store", "catalog.sqlite"):
        import_module(f"pincite.{name}")
    line = sys.stdin.buffer.readline()
    return list(json.loads(line)) if line.endswith(b"\n") else None


_DESCRIPTORS = 65_536  # used if there is no limit, or if it is far higher


def into_the_background() -> None:
    """Detach this process. The caller's child ends here; its child continues alone in a session of
    its own. Call it before any import that starts threads or opens files. Descriptors that the
    caller's children inherit (a lock of its shell, the end of a pipe) are closed; otherwise they
    would stay open as long as the daemon lives. Where processes cannot fork,
    `pincite.daemon.client.background` does this."""
    if not hasattr(os, "fork") or not hasattr(os, "posix_spawn"):
        return
    if os.fork():
        os._exit(0)
    os.setsid()
    os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), _DESCRIPTORS))


def _program() -> NoReturn:
    index, *rest = sys.argv[1:]
    told = rest or rest_of_arguments()
    sys.exit(main(index, *told, waited=not rest) if told else 0)


if __name__ == "__main__":
    from pincite.support.processes.gc_tuning import rarely_collect
    from pincite.support.processes.leaving import run_and_leave

    into_the_background()
    rarely_collect()  # a tenth of the time of the imports
    run_and_leave(_program)
