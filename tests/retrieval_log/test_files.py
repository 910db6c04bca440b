"""The log's files: whole lines of several processes, put aside when full."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pincite.retrieval_log import LogFiles
from pincite.settings.sections.retrieval_log import LogSettings
from tests.time_limits import HANGS_S

WRITER = """
import sys
from pathlib import Path
from pincite.retrieval_log import LogFiles
from pincite.settings.sections.retrieval_log import LogSettings
files = LogFiles(Path(sys.argv[1]), LogSettings(max_bytes=20_000, keep=50))
for number in range(200):
    files.append(f"{sys.argv[2]} {number} ".encode().ljust(300, b"."))
"""


def test_the_latest_line_comes_first_over_all_files(tmp_path: Path) -> None:
    files = LogFiles(tmp_path, LogSettings(max_bytes=30, keep=9))
    for number in range(10):
        files.append(f"line number {number}".encode())
    assert list(files.lines()) == [f"line number {n}".encode() for n in reversed(range(10))]
    assert (tmp_path / "retrieval.jsonl.4").exists()


def test_only_so_many_files_are_kept(tmp_path: Path) -> None:
    for keep, left in ((2, [b"5", b"4", b"3"]), (0, [b"5"])):
        folder = tmp_path / str(keep)
        folder.mkdir()
        files = LogFiles(folder, LogSettings(max_bytes=2, keep=keep))
        for number in range(6):
            files.append(str(number).encode())
        assert list(files.lines()) == left


def test_a_line_larger_than_a_file_is_kept_alone(tmp_path: Path) -> None:
    files = LogFiles(tmp_path, LogSettings(max_bytes=10, keep=1))
    files.append(b"x" * 100)
    files.append(b"y" * 100)
    assert [line[:1] for line in files.lines()] == [b"y", b"x"]


def test_several_processes_write_and_put_aside_at_once_and_lose_no_line(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name]) for name in "abc"
    ]
    assert [writer.wait(HANGS_S) for writer in writers] == [0, 0, 0]
    lines = [line.split()[:2] for line in LogFiles(tmp_path, LogSettings(keep=50)).lines()]
    assert len(lines) == 600
    for name in (b"a", b"b", b"c"):
        numbers = [int(number) for who, number in lines if who == name]
        assert sorted(numbers) == list(range(200))
