"""`python -m pincite.daemon INDEX MODELS IDLE_S`: the daemon as a process.

It goes into the background at once, so that nobody has to wait for its end. The first line on
stdout is a JSON object: `{}` when clients may connect, `{"owned": true}` if another process has the
index, or the error that ended it. Everything else goes to `owner.log` in its workplace,
native noise on stderr included.
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
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pincite.ports import DenseEncoder


_FLUSH_S = 1.0  # so that a collector that hangs does not hold up the next daemon


class WithoutSecrets(logging.Formatter):
    """What is logged may quote a question, such as a traceback of what failed on it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line and its traceback, masked as the retrieval log is."""
        from pincite.support.secrets import mask

        return mask(super().format(record))


def _formatter(environ: Mapping[str, str]) -> logging.Formatter:
    """What the variables say; a wrong one is told by the client, which has it, too."""
    from pincite.errors import ConfigError
    from pincite.settings.telemetry import log_format

    with suppress(ConfigError):
        if log_format(environ) == "json":
            from pincite.telemetry.lines import JsonLines

            return JsonLines()
    return WithoutSecrets("%(asctime)s %(process)d %(levelname)s %(message)s")


@contextmanager
def _sending(environ: Mapping[str, str]) -> Iterator[None]:
    """Spans of what is indexed here, where variables name a collector."""
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
    """Tell the process that waits for us, if it still does, and let go of its pipe."""
    with suppress(BrokenPipeError):
        os.write(sys.stdout.fileno(), f"{json.dumps(line)}\n".encode())
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


async def run(root: Path, models: Path, idle_s: float) -> None:
    """Own the index until it is time to leave."""
    from pincite.daemon.server import serve
    from pincite.daemon.service import Daemon
    from pincite.index.opening import open_remembered
    from pincite.support.gc_tuning import rarely_collect
    from pincite.support.signals import on_signals

    def load_encoder(models: Path, name: str) -> DenseEncoder:
        from pincite.encoders.bundled import open_encoder

        return open_encoder(models, name)

    environ = os.environ  # handed on, not read
    opening = partial(open_remembered, environ=environ)
    daemon = Daemon(root, models, load_encoder, opening, environ)
    rarely_collect()

    async def short(body: bytes) -> bytes:
        from pincite.surfaces.hosted import answer_short  # with the first such question

        return await answer_short(body, daemon, root)

    daemon.short = short
    on_signals(("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK"), daemon.leaving.set)
    try:
        await daemon.open()
        await serve(daemon, root, idle_s, ready=lambda: report({}))
    finally:
        await daemon.close()


def main(index: str, models: str, idle_s: str) -> int:
    """0 after a good end, 1 after an error that was reported."""
    from pincite.daemon.protocol import LOG, describe_error
    from pincite.daemon.read_only import workplace
    from pincite.daemon.service import AlreadyRunning
    from pincite.errors import IndexUnavailable, PinciteError

    os.umask(0o077)
    root = Path(index)
    place = workplace(root)
    os.chdir(place)
    handler = RotatingFileHandler(place / LOG, maxBytes=1_000_000, backupCount=1)
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
            hint="an index must be on a local disk that you may write to: see PINCITE_INDEX",
        )
        report({"error": describe_error(failed)})
        return 1
    return 0


_DESCRIPTORS = 65_536  # where there is no limit, or one of a thousand million


def into_the_background() -> None:
    """The caller's child ends here; its child, alone in a session of its own, goes on. Nothing has
    been imported yet that starts threads or opens files. What the caller has let its children
    inherit (a lock of its shell, the end of a pipe) would stay open as long as the daemon lives.
    Where processes do not fork, `pincite.support.background` has seen to that."""
    if not hasattr(os, "fork") or not hasattr(os, "posix_spawn"):
        return
    if os.fork():
        os._exit(0)
    os.setsid()
    os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), _DESCRIPTORS))


if __name__ == "__main__":
    into_the_background()
    sys.exit(main(*sys.argv[1:]))
