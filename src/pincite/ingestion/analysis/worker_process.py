"""A process that analyses documents for another process.

It is `python -m pincite.ingestion.analysis.worker_process LANGUAGE CHUNKER MEMORY`. It reads
documents from its standard input and writes results to its standard output. It cannot write files
or start processes, and gets no API keys. Its memory and its processor time are limited.
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
from pincite.errors import PinciteError, SourceError
from pincite.ingestion.analysis.analyse import Analysed, analyse
from pincite.model import Document
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.decodable import ready
from pincite.support.processes.environment import without_secrets
from pincite.support.processes.gc_tuning import rarely_collect
from pincite.support.processes.pipes import read_block, write_block
from pincite.support.processes.process_limits import allow_seconds, limit_process

LIMIT_S: Final = 60.0  # for a document; the largest file that is read takes 2 s
_CPU_S: Final = 30  # of processor time: reached before LIMIT_S, unless the machine is busy
_PROGRAM: Final = "pincite.ingestion.analysis.worker_process"
MEMORY_BYTES: Final = 3_000_000_000  # guess: parsers of broken code took the square of its size
#: Return codes of a process that something else has killed: `kill`, or a system short of memory.
_BY_OTHERS: Final = frozenset(
    -number for name in ("SIGKILL", "SIGTERM") if (number := getattr(signal, name, None))
)


class Task(msgspec.Struct, frozen=True, array_like=True):
    """A document to analyse. If `parsed` is false, code is cut by lines."""

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
            [sys.executable, "-P", "-X", "utf8", "-m", _PROGRAM, *start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            stderr=subprocess.DEVNULL,
            env=without_secrets(os.environ),
            start_new_session=True,  # Ctrl-C is for the waiting process
        )

    @property
    def alive(self) -> bool:
        """Return whether the process is still running."""
        return self._process.poll() is None

    @property
    def broke(self) -> bool:
        """Return whether the process has ended by a crash, or by its limits of memory or processor
        time, and was not killed by something else."""
        return self._process.poll() is not None and self._process.returncode not in _BY_OTHERS

    def ask(self, raw: bytes, limit_s: float) -> Analysed:
        """Return the result of an encoded `Task`. Raises SourceError for an error of the analysis,
        EOFError or BrokenPipeError if the process has ended, TimeoutError after `limit_s`."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise EOFError
        write_block(stdin, raw)
        found: Analysed | str = _ANSWER.decode(read_block(stdout, time.monotonic() + limit_s))
        if isinstance(found, str):
            raise SourceError(found)
        return found

    def kill(self) -> None:
        """Kill the process, and wait for its end."""
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Kill the process, and close its pipes. No thread may be reading them: it would wait
        forever."""
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
                raise  # ends the process, as when a parser itself exceeds the limit
            except PinciteError as error:
                answer = error.message
            except Exception as error:  # noqa: BLE001 - a parser's fault costs one document
                answer = f"{type(error).__name__}: {error}"
            write_block(found, msgspec.msgpack.encode(answer))


def import_late() -> None:
    """Import the modules that are usually imported with the first document of a kind. After
    `limit_process`, compiled modules cannot be saved."""
    for name in ("by_line", "chunker", "components"):
        import_module(f"pincite.chunkers.code.{name}")
    for name in ("data", "markup.html", "markup.markdown", "text"):
        import_module(f"pincite.chunkers.{name}")


if __name__ == "__main__":
    import_late()
    rarely_collect()
    limit_process(int(sys.argv[3]))
    serve(sys.argv[1], sys.argv[2], sys.stdin.buffer, sys.stdout.buffer)
