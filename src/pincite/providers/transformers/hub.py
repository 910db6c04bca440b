"""Locate transformers by name: an existing folder, or a copy of a hub repository, fetched once.

The hub returns the SHA-256 of each large file (header `X-Linked-Etag`); a file with another hash is
refused. The copy is renamed into place when it is complete. A download that is too large, or so
slow that it would take days, is aborted.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pincite.errors import DiskFull, ModelsUnwritable, ModelUnavailable
from pincite.providers.redirects import client_for, opened
from pincite.providers.transformers.folder import CONFIG, GRAPHS, TOKENIZER, WEIGHTS
from pincite.support.full_disk import out_of_room

if TYPE_CHECKING:
    import httpx

HUB: Final = "https://huggingface.co"
_REPOSITORY: Final = re.compile(r"[\w.-]+/[\w.-]+")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_TIMEOUT_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a download. Sizes are bytes."""

    small: int = 128 << 20  #: configuration and tokenizer; those with 260,000 entries have 35 MB
    weights: int = 64 << 30  #: the largest rerankers have 16 GB
    spare: int = 128 << 20  #: of the disk that a download leaves free
    per_second: float = 10_000.0  #: a download that is slower on average is aborted
    patience_s: float = 60.0  #: seconds from the first bytes until `per_second` applies


LIMITS: Final = Limits()


def locate(
    name: str,
    models: Path | None,
    *,
    offline: bool = False,
    hub: str = HUB,
    limits: Limits = LIMITS,
) -> Path:
    """Return the folder of a model: `name` itself if it is a folder, otherwise the copy in
    `models`, fetched now if it is missing. Raises ModelUnavailable, also if `models` cannot be
    written; DiskFull; and ConfigError for a proxy or certificates of the environment that cannot be
    used."""
    try:
        folder = Path(name).expanduser()
    except RuntimeError as error:
        raise ModelUnavailable(
            f"{name} names the home of a user who is unknown here",
            hint="name a folder with its files (local:/path/to/model)",
        ) from error
    if _is_folder(folder):
        return folder
    if not _REPOSITORY.fullmatch(name) or name.startswith("."):
        raise ModelUnavailable(
            f"the folder {name} does not exist, and names of models on the hub have the form"
            " OWNER/NAME"
        )
    if models is None:
        raise ModelUnavailable(f"no models folder is configured for {name}")
    copy = models / ("hub--" + name.replace("/", "--"))
    if _is_folder(copy):
        return copy
    if offline:
        raise ModelUnavailable(
            f"{name} is not in {models}, and offline is set", hint="name a folder with its files"
        )
    return _fetch(name, copy, hub, limits)


def _fetch(name: str, copy: Path, hub: str, limits: Limits) -> Path:
    import httpx
    from filelock import FileLock

    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(copy.parent / f".{copy.name}.lock"):
            if not _is_folder(copy):
                _fill(name, copy, hub, limits)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ModelUnavailable(
            f"{name} could not be fetched from {hub}: {type(error).__name__}: {error}",
            hint="name a folder with its files (local:/path/to/model)",
        ) from error
    except OSError as error:
        if out_of_room(error):
            raise _disk_full(name, copy.parent) from error
        raise ModelsUnwritable(
            f"{name} cannot be written to {copy.parent}: {error.strerror or error}",
            hint="choose a folder that you can write to with PINCITE_MODELS, or name a folder with"
            " its files (local:/path/to/model)",
        ) from error
    return copy


def _is_folder(path: Path) -> bool:
    """Return whether a folder can be seen here. A name that is too long, or a folder above it that
    may not be entered, is no error."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _fill(name: str, copy: Path, hub: str, limits: Limits) -> None:
    """Download the files of a model into a temporary folder, and rename it to `copy`."""
    with tempfile.TemporaryDirectory(
        prefix=f".{copy.name}.temporary-", dir=copy.parent, ignore_cleanup_errors=True
    ) as folder:
        work = Path(folder) / "model"
        work.mkdir(mode=0o700)
        with client_for(hub, _TIMEOUT_S) as client:
            base = f"{hub}/{name}/resolve/main"
            for file in (CONFIG, TOKENIZER):
                if not _download(client, f"{base}/{file}", work / file, limits.small, limits):
                    raise ModelUnavailable(f"{name} of {hub} has no {file}")
            for file in (GRAPHS[1], GRAPHS[0], WEIGHTS):
                target = work / Path(file).name
                if _download(client, f"{base}/{file}", target, limits.weights, limits):
                    break
            else:
                raise ModelUnavailable(f"{name} of {hub} has neither a graph nor {WEIGHTS}")
        work.rename(copy)


def _download(client: httpx.Client, url: str, target: Path, most: int, limits: Limits) -> bool:
    """Download a file; return False if it does not exist. Raises ModelUnavailable unless the whole
    file arrives and has at most `most` bytes, and DiskFull before the disk is full."""
    digest, done, started_s = hashlib.sha256(), 0, 0.0
    with opened(client, url) as answers:
        if answers[-1].status_code == 404:
            return False
        if answers[-1].status_code != 200:
            raise ModelUnavailable(f"{url} answered HTTP {answers[-1].status_code}")
        with target.open("wb") as file:
            for block in answers[-1].iter_bytes():
                started_s = started_s or time.monotonic()
                digest.update(block)
                done += len(block)
                if done > most:
                    raise ModelUnavailable(f"{url} has more than {most:,} bytes")
                if shutil.disk_usage(target.parent).free < limits.spare + len(block):
                    raise _disk_full(url, target.parents[2])
                took_s = time.monotonic() - started_s
                if took_s > limits.patience_s and done < took_s * limits.per_second:
                    raise ModelUnavailable(
                        f"{url} gave {done / took_s:,.0f} bytes a second and was given up"
                    )
                file.write(block)
    # Only the hub's own answer has the hash, not that of the storage it redirects to.
    tags = [one.headers.get("x-linked-etag", "").strip('"') for one in answers]
    if wrong := [tag for tag in tags if _SHA256.fullmatch(tag) and tag != digest.hexdigest()]:
        raise ModelUnavailable(
            f"{url} has SHA-256 {digest.hexdigest()}, but {wrong[0]} is expected"
        )
    if not done:
        raise ModelUnavailable(f"{url} is empty")
    return True


def _disk_full(what: str, models: Path) -> DiskFull:
    return DiskFull(
        f"the disk of {models} has no room for {what}",
        hint="make room on that disk, then run the same command again",
    )
