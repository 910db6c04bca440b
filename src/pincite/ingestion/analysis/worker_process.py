"""A process that analyses documents for another one, and can do nothing else.

It is `python -m pincite.ingestion.analysis.worker_process LANGUAGE CHUNKER MEMORY`. It reads
documents from its standard input and writes results to its standard output. It can write no file
and start no process, and has no keys. Its memory and its time are limited.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext, suppress
from importlib import import_module
from typing import IO, Final

import msgspec

from pincite.chunkers import ChunkerConfig
from pincite.chunkers.code.parsing import unparsed
from pincite.errors import SourceError
from pincite.ingestion.analysis.analyse import Analysed, analyse
from pincite.model import Document
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.decodable import ready
from pincite.support.processes.environment import without_secrets
from pincite.support.processes.gc_tuning import rarely_collect
from pincite.support.processes.pipes import read_block, write_block
from pincite.support.processes.process_limits import allow_seconds, limit_process

LIMIT_S: Final = 60.0  # the largest file that is read takes two
_CPU_S: Final = 30  # of the process: it ends itself before a clock does, unless the machine is busy
MEMORY_BYTES: Final = 3_000_000_000  # guess: parsers of broken code took the square of its size
#: How others end a process: `kill`, and the system where memory is short.
_BY_OTHERS: Final = frozenset(
    -number for name in ("SIGKILL", "SIGTERM") if (number := getattr(signal, name, None))
)


class Task(msgspec.Struct, frozen=True, array_like=True):
    """A document to analyse. If it is not `parsed`, code is cut by lines."""

    document: Document
    average_length: float
    parsed: bool = True


_TASK: Final = msgspec.msgpack.Decoder(ready(Task))
_ANSWER: Final = msgspec.msgpack.Decoder(ready(Analysed | str))


class Worker:
    """A process that analyses one document at a time. `kill` may be called by another thread than
    `ask`, which then raises an error."""

    def __init__(self, start: tuple[str, str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "pincite.ingestion.analysis.worker_process", *start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            stderr=subprocess.DEVNULL,
            env=without_secrets(os.environ),
            start_new_session=True,  # Ctrl-C is for the waiting process
        )

    @property
    def alive(self) -> bool:
        """Has it not ended?"""
        return self._process.poll() is None

    @property
    def broke(self) -> bool:
        """Has it ended because of its work: a crash, or its limits of memory and processor time?"""
        return self._process.poll() is not None and self._process.returncode not in _BY_OTHERS

    def ask(self, raw: bytes, limit_s: float) -> Analysed:
        """Do an encoded task. Raises SourceError for an error of the analysis, EOFError or
        BrokenPipeError if the process has ended, and TimeoutError."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise EOFError
        write_block(stdin, raw)
        found: Analysed | str = _ANSWER.decode(read_block(stdout, time.monotonic() + limit_s))
        if isinstance(found, str):
            raise SourceError(found)
        return found

    def kill(self) -> None:
        """Kill it and wait for its end."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """As `kill`, and close its pipes, which no thread may be using: it would not be woken."""
        self.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def serve(language: str, config: str, given: IO[bytes], found: IO[bytes]) -> None:
    """Analyse documents until the input ends."""
    chunker = msgspec.json.decode(config, type=ready(ChunkerConfig))
    sparse = Bm25Encoder(language)
    with suppress(EOFError, BrokenPipeError):
        while True:
            task = _TASK.decode(read_block(given))
            allow_seconds(_CPU_S)
            try:
                with nullcontext() if task.parsed else unparsed():
                    answer: Analysed | str = analyse(
                        task.document, chunker, sparse, task.average_length
                    )
            except MemoryError:
                raise  # ends the process, as where a parser asks for too much
            except Exception as error:  # noqa: BLE001 - a parser's fault costs one document
                answer = f"{type(error).__name__}: {error}"
            write_block(found, msgspec.msgpack.encode(answer))


def import_late() -> None:
    """Import what is usually imported with the first document of its kind. A limited process cannot
    save compiled modules."""
    for name in ("by_line", "chunker", "components"):
        import_module(f"pincite.chunkers.code.{name}")
    for name in ("data", "markup.html", "markup.markdown", "text"):
        import_module(f"pincite.chunkers.{name}")


if __name__ == "__main__":
    import_late()
    rarely_collect()
    limit_process(int(sys.argv[3]))
    serve(sys.argv[1], sys.argv[2], sys.stdin.buffer, sys.stdout.buffer)
