"""Settings and dependencies of a worker."""

from __future__ import annotations

import os
import random
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.workspace.files.file_store import FileStore
from pincite.workspace.ports import Workspaces
from pincite.workspace.workspace import Workspace

if TYPE_CHECKING:
    from pincite.workspace.deployment import Deployment


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Settings of a worker; all values are guesses. `lease_s`: seconds without a renewal after
    which another worker may take the job. `attempts`: the number of temporary failures that make a
    job dead. `retry_s`: the wait after the first failure, doubled after each further one. `idle_s`:
    seconds between two looks for work, `sweep_s` for unused files. `batch`: the number of files, of
    up to `small_bytes` each, that one run indexes. `feeds_at_once`: the number of documents whose
    feeds are written at a time. `new_s`: the seconds for which files that are new to a database are
    not swept, so that an operator who bound the wrong files can undo it."""

    lease_s: float = 60.0
    attempts: int = 8
    retry_s: float = 2.0
    longest_retry_s: float = 600.0
    idle_s: float = 1.0
    batch: int = 16
    small_bytes: int = 100_000
    sweep_s: float = 3_600.0
    new_s: float = 24 * 3_600.0
    feeds_at_once: int = 50


@dataclass(frozen=True, slots=True)
class WorkerDeps:
    """The dependencies of a worker. `name` is unique among workers; `chance` returns a uniform
    number between 0 and 1, `clock` seconds."""

    name: str
    workspaces: Workspaces
    workspace: Workspace
    files: FileStore
    chance: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, opened: Deployment) -> WorkerDeps:
        """Return the dependencies of a worker of this process, with a unique name."""
        name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        return cls(name, opened.workspaces, opened.workspace, opened.files)
