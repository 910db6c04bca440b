"""The end of the process that indexes for the daemon."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest

from pincite.daemon.refresh.indexer import see_off

#: Starts a process that keeps its output open, tells its id, and waits.
_PARENT = """
import subprocess, sys, time
print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="processes have other signals there")
def test_a_process_is_seen_off_though_what_it_started_keeps_its_output_open() -> None:
    async def session() -> bool:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _PARENT),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        left = int(await process.stdout.readline())
        process.terminate()
        try:
            ended, _ = await asyncio.wait(
                [asyncio.create_task(see_off(process, patience_s=0.1))], timeout=60
            )
        finally:
            os.kill(left, signal.SIGKILL)
        await see_off(process)  # its pipes can be closed now
        return bool(ended)

    assert asyncio.run(session())
