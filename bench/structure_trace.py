"""What a process of Pincite passes through: loaded as `sitecustomize` by `bench.structure`.

Every Python process that starts with this file on its path notes the functions of Pincite that it
enters, and which of them called which, and writes that as JSON when it ends. A function counts
if it is entered while the program runs, not while a module is imported. Comprehensions belong
to the function around them.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

FOLDER = "STRUCTURE_TRACE"  #: where to write
SOURCE = "STRUCTURE_SOURCE"  #: the folder of the package, with a slash at its end
RUNNING = ".running"  #: the end of a file that is there until its process has written
_INSIDE = frozenset(("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"))


class Noting:
    """What was entered, as file and name, and from where."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._entered: set[CodeType] = set()
        self._calls: dict[tuple[CodeType, CodeType], int] = {}

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(self._package):
            return
        if code.co_name == "<module>" or code.co_name in _INSIDE:
            return
        caller, above = None, frame.f_back
        while above is not None:
            name = above.f_code.co_filename
            if name.startswith("<frozen importlib"):
                return
            ours = name.startswith(self._package) and above.f_code.co_name not in _INSIDE
            if caller is None and ours:
                caller = above.f_code
            above = above.f_back
        self._entered.add(code)
        if caller is not None:
            key = (caller, code)
            self._calls[key] = self._calls.get(key, 0) + 1

    def write(self, folder: Path) -> None:
        """One file for this process, named after it."""
        calls = [
            (self._name(caller), self._name(called), times)
            for (caller, called), times in self._calls.items()
        ]
        found = {
            "program": sys.argv[:1],
            "arguments": sys.orig_argv,
            "entered": sorted(self._name(code) for code in self._entered),
            "calls": sorted(calls),
        }
        (folder / f"{os.getpid()}.json").write_text(json.dumps(found), encoding="utf-8")
        unmark(folder)

    def _name(self, code: CodeType) -> str:
        return f"{code.co_filename.removeprefix(self._package)}:{code.co_qualname}"


def mark(folder: Path) -> None:
    """Say that this process is traced and has not written yet."""
    (folder / f"{os.getpid()}{RUNNING}").touch()


def unmark(folder: Path) -> None:
    """Say that this process has written, or will not write."""
    (folder / f"{os.getpid()}{RUNNING}").unlink(missing_ok=True)


def install(folder: Path, package: str) -> None:
    """Note what this process does from now on. One that forks ends without a word: its child is the
    daemon."""
    mark(folder)
    os.register_at_fork(
        after_in_parent=partial(unmark, folder), after_in_child=partial(mark, folder)
    )
    noting = Noting(package)
    threading.setprofile(noting)
    sys.setprofile(noting)
    atexit.register(noting.write, folder)


if FOLDER in os.environ:
    install(Path(os.environ[FOLDER]), os.environ[SOURCE])
