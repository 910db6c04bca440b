"""Files that a user names are read, and what might never end is an error at once."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from pincite.errors import PinciteError
from pincite.evals.golden.beir import read_lines
from pincite.evals.golden.questions import read_golden
from pincite.evals.run.results import load_run
from pincite.records.field_map import FieldMap
from pincite.records.formats import read_records, require_file
from pincite.settings.sections.stores import store_key
from pincite.stores.settings import StoreSettings
from pincite.support.named_file import open_named, read_named, read_named_text

READERS: dict[str, Callable[[Path], object]] = {
    "a golden set": read_golden,
    "topics": read_lines,
    "a run": load_run,
    "a file of records": lambda path: require_file(str(path)),
    "JSON Lines": lambda path: list(read_records(str(path), "jsonl", FieldMap(), BytesIO())),
    "Parquet": lambda path: list(read_records(str(path), "parquet", FieldMap(), BytesIO())),
    "a key": lambda path: store_key({}, StoreSettings("qdrant", "https://x", key_file=str(path))),
}


def test_a_file_is_read_as_it_is_and_text_without_a_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
    assert read_named(tmp_path / "a") == b"\xef\xbb\xbfone\r\ntwo\n"
    assert read_named_text(str(tmp_path / "a")) == "one\ntwo\n"


def test_pipes_devices_and_sockets_are_an_error_before_anything_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        folder = os.open(tmp_path, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{folder}/socket")  # a path of any length
        os.close(folder)
        for path in (tmp_path / "pipe", tmp_path / "socket", Path("/dev/zero")):
            with pytest.raises(OSError, match="not a regular file; to read a pipe: /dev/stdin < "):
                open_named(path)


def test_a_folder_and_nothing_are_the_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_named(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_named(tmp_path / "nothing")


@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
def test_a_pipe_that_the_process_has_open_is_read_to_its_end(folder: str) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a pack")
    os.close(writing)
    try:
        assert read_named(f"{folder}/{reading}") == b"a pack"
    finally:
        os.close(reading)


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_of_a_named_file_refuses_a_pipe(reader: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PinciteError, match="not a regular file"):
        READERS[reader](tmp_path / "pipe")
