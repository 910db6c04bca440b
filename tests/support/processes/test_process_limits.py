"""A process that reads untrusted files limits itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

IMPORT = "from pincite.support.processes.process_limits import allow_seconds, limit_process\n"


def test_a_limited_process_may_not_write_start_programs_or_connect(
    tmp_path: Path,
) -> None:
    tries = f"""
import os, socket, subprocess
from pincite.support.processes.process_limits import limit_process
limit_process(2_000_000_000)
def write(): open({str(tmp_path / "written")!r}, "w")
def low(): os.open({str(tmp_path / "written")!r}, os.O_CREAT | os.O_RDWR)
def start(): subprocess.run(["true"])
def shell(): os.system("true")
def reach(): socket.create_connection(("127.0.0.1", 9))
def fork(): os.fork()
def remove(): os.remove({str(tmp_path)!r})
for one in (write, low, start, shell, reach, fork, remove):
    try:
        one()
    except PermissionError as error:
        assert "this process may not" in str(error), error
    else:
        raise SystemExit(one.__name__)
print(open("/etc/hostname").read() and "ok")
"""
    done = subprocess.run([sys.executable, "-c", tries], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "ok"
    assert not (tmp_path / "written").exists()


def test_a_limited_process_gets_no_more_memory() -> None:
    tries = f"""{IMPORT}
limit_process(400_000_000)
assert len(bytearray(50_000_000))
try:
    bytearray(500_000_000)
except MemoryError:
    print("ok")
"""
    done = subprocess.run([sys.executable, "-c", tries], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "ok"


def test_seconds_are_counted_from_now_and_may_be_allowed_again() -> None:
    tries = f"""{IMPORT}
import resource, time
def left(): return resource.getrlimit(resource.RLIMIT_CPU)[0] - time.process_time()
allow_seconds(5)
first = left()
while time.process_time() < 1.2:
    pass
allow_seconds(5)
assert 5 < first <= 7.5 and 5 < left() <= 7.5, (first, left())
print("ok")
"""
    done = subprocess.run([sys.executable, "-c", tries], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "ok"
