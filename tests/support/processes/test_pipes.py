"""Blocks between a process and its child, waited for by the system or in a thread."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from threading import Thread
from typing import IO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.support.processes import pipes
from pincite.support.processes.pipes import read_block, write_block

Pipe = tuple[IO[bytes], IO[bytes]]


@pytest.fixture(params=["by the system", "in a thread"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How a pipe is waited for."""
    monkeypatch.setattr(pipes, "WAIT_FOR_PIPES", request.param == "by the system")
    return str(request.param)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """What is read, and what is written."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", 0) as end, os.fdopen(writing, "wb", 0) as beginning:
        yield end, beginning


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(blocks=st.lists(st.binary(max_size=500) | st.just(b"x" * 200_000), max_size=4))
def test_blocks_come_whole_and_in_their_order(blocks: list[bytes], pipe: Pipe) -> None:

    def write() -> None:
        for one in blocks:
            write_block(pipe[1], one)

    thread = Thread(target=write)
    thread.start()
    assert [read_block(pipe[0], time.monotonic() + 600) for _ in blocks] == blocks
    thread.join()


def test_what_does_not_come_in_time_is_an_error_and_the_next_waits_no_longer(pipe: Pipe) -> None:
    with pytest.raises(TimeoutError):
        read_block(pipe[0], time.monotonic() + 0.01)
    pipe[1].close()


def test_the_end_in_the_middle_of_a_block_is_the_end(pipe: Pipe) -> None:
    os.write(pipe[1].fileno(), b"\0\0\0\x09part")
    pipe[1].close()
    with pytest.raises(EOFError):
        read_block(pipe[0], time.monotonic() + 600)


def test_a_block_that_is_too_long_is_not_read(pipe: Pipe) -> None:
    os.write(pipe[1].fileno(), b"\xff\xff\xff\xff")
    with pytest.raises(ValueError, match="4,294,967,295 bytes"):
        read_block(pipe[0], time.monotonic() + 600, 1000)
