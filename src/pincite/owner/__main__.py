"""`python -m pincite.owner INDEX MODELS IDLE_S`: the owner as a process.

The first line on stdout is a JSON object: `{}` when clients may connect, or the error that ended
it. Everything else goes to `owner.log` in the index folder.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

from pincite.errors import PinciteError
from pincite.owner.server import Owner, serve
from pincite.owner.wire import describe_error
from pincite.ports import DenseEncoder


def report(line: object) -> None:
    """Tell the process that waits for us, then let go of its pipe."""
    print(json.dumps(line), flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def run(root: Path, models: Path, idle_s: float) -> None:
    """Own the index until it is time to leave."""

    def load_encoder() -> DenseEncoder:
        from pincite.encoders import open_encoder

        return open_encoder(models)

    owner = Owner(root, load_encoder)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, owner.leaving.set)
    try:
        await owner.open()
        await serve(owner, root, idle_s, ready=lambda: report({}))
    finally:
        await owner.close()


def main(index: str, models: str, idle_s: str) -> int:
    """0 after a good end, 1 after an error that was reported."""
    os.umask(0o077)
    root = Path(index)
    os.chdir(root)
    handler = RotatingFileHandler(root / "owner.log", maxBytes=1_000_000, backupCount=1)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    try:
        asyncio.run(run(root, Path(models), float(idle_s)))
    except PinciteError as error:
        report({"error": describe_error(error)})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
