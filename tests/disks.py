"""Disks that are small, and folders that are read-only, where the machine allows to make them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _run(*command: str) -> bool:
    found = shutil.which(command[0])
    if found is None:
        return False
    done = subprocess.run([found, *command[1:]], capture_output=True, check=False)
    return done.returncode == 0


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """A disk of that size, for those who may mount one."""
    options = ("-t", "tmpfs", "-o", f"size={megabytes}m", "pincite-test", str(place))
    if os.geteuid() != 0 or not _run("mount", *options):
        pytest.skip("only root can mount a small disk")
    try:
        yield place
    finally:
        assert _run("umount", "--lazy", str(place))


def fill(disk: Path, free: int) -> None:
    """Leave so many bytes free."""
    taken = shutil.disk_usage(disk).free - free
    with (disk / "filler").open("ab") as file:
        if taken > 0:
            os.posix_fallocate(file.fileno(), file.tell(), taken)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody can write to this folder meanwhile: for root it is mounted read-only, for others its
    permissions are taken away."""
    if os.geteuid() != 0:
        folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
        modes = {path: path.stat().st_mode for path in folders}
        for path in folders:
            path.chmod(0o500)
        try:
            yield
        finally:
            for path, mode in modes.items():
                path.chmod(mode)
        return
    if not _run("mount", "--bind", str(folder), str(folder)):
        pytest.skip("nothing can be mounted here")
    try:
        if not _run("mount", "-o", "remount,ro,bind", str(folder)):
            pytest.skip("nothing can be mounted read-only here")
        yield
    finally:
        assert _run("umount", "--lazy", str(folder))


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file with its size and the time of its last change."""
    found = {}
    for path in folder.rglob("*"):
        seen = path.lstat()
        found[str(path)] = (seen.st_size, seen.st_mtime_ns)
    return found


@contextmanager
def unprivileged() -> Iterator[None]:
    """Files can be unreadable meanwhile, also for root: it has the rights of another user."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


@contextmanager
def unreadable(*places: Path) -> Iterator[None]:
    """Nobody can look into these folders or files meanwhile."""
    modes = {place: place.stat().st_mode for place in places}
    for place in places:
        place.chmod(0)
    try:
        with unprivileged():
            yield
    finally:
        for place, mode in modes.items():
            place.chmod(mode)


def limited() -> tuple[str, ...]:
    """The beginning of a command that cannot read what its permissions forbid, also for root."""
    if os.geteuid() != 0:
        return ()
    found = shutil.which("setpriv")
    if found is None:
        pytest.skip("root reads everything without setpriv")
    return (found, "--bounding-set=-dac_override,-dac_read_search")
