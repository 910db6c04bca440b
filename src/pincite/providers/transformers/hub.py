"""Locate transformers by name: an existing folder, or a copy of a hub repository, fetched once.

The hub returns the SHA-256 of each large file (header `X-Linked-Etag`); a file with another hash is
refused. The copy is renamed into place when it is complete. A server that sends too much, or so
slowly that it would take days, is given up.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pincite.errors import ModelUnavailable
from pincite.providers.transformers.folder import CONFIG, GRAPHS, TOKENIZER, WEIGHTS

if TYPE_CHECKING:
    import httpx

HUB: Final = "https://huggingface.co"
_REPOSITORY: Final = re.compile(r"[\w.-]+/[\w.-]+")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_TIMEOUT_S: Final = 30.0
_MOST_BYTES: Final = 64 << 30  #: of weights; the largest rerankers have 16 GB
_SMALL_BYTES: Final = 128 << 20  #: of the tokenizer; those with 260,000 entries have 35 MB
_SPARE_BYTES: Final = 128 << 20  #: of the disk that a download leaves free
#: A download that is slower on average is given up after a minute.
_LEAST_PER_S: Final = 10_000
_PATIENCE_S: Final = 60.0


def locate(name: str, models: Path | None, *, offline: bool = False, hub: str = HUB) -> Path:
    """Return the folder of a model: `name` itself if it is a folder, otherwise the copy in
    `models`, fetched now if it is missing. Raises ModelUnavailable."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if not _REPOSITORY.fullmatch(name) or name.startswith("."):
        raise ModelUnavailable(
            f"the folder {name} does not exist, and names of models on the hub have the form"
            " OWNER/NAME"
        )
    if models is None:
        raise ModelUnavailable(f"no models folder is configured for {name}")
    copy = models / ("hub--" + name.replace("/", "--"))
    if copy.is_dir():
        return copy
    if offline:
        raise ModelUnavailable(
            f"{name} is not in {models}, and offline is set", hint="name a folder with its files"
        )
    return _fetch(name, copy, hub)


def _fetch(name: str, copy: Path, hub: str) -> Path:
    import httpx
    from filelock import FileLock

    copy.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(copy.parent / f".{copy.name}.lock"):
        if copy.is_dir():
            return copy
        work = Path(tempfile.mkdtemp(prefix=f".{copy.name}.temporary-", dir=copy.parent))
        try:
            with httpx.Client(timeout=_TIMEOUT_S, follow_redirects=True) as client:
                base = f"{hub}/{name}/resolve/main"
                for file in (CONFIG, TOKENIZER):
                    if not _download(client, f"{base}/{file}", work / file, _SMALL_BYTES):
                        raise ModelUnavailable(f"{name} of {hub} has no {file}")
                for file in (GRAPHS[1], GRAPHS[0], WEIGHTS):
                    if _download(client, f"{base}/{file}", work / Path(file).name):
                        break
                else:
                    raise ModelUnavailable(f"{name} of {hub} has neither a graph nor {WEIGHTS}")
            work.rename(copy)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelUnavailable(
                f"{name} could not be fetched from {hub}: {type(error).__name__}: {error}",
                hint="name a folder with its files (local:/path/to/model)",
            ) from error
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return copy


def _download(client: httpx.Client, url: str, target: Path, most: int = _MOST_BYTES) -> bool:
    """Download a file; return False if it does not exist. Raises ModelUnavailable unless the whole
    file arrives and has at most `most` bytes."""
    digest, done, started_s = hashlib.sha256(), 0, time.monotonic()
    with client.stream("GET", url) as response:
        if response.status_code == 404:
            return False
        if response.status_code != 200:
            raise ModelUnavailable(f"{url} answered HTTP {response.status_code}")
        with target.open("wb") as file:
            for block in response.iter_bytes():
                digest.update(block)
                done += len(block)
                if done > most:
                    raise ModelUnavailable(f"{url} has more than {most >> 20:,} MB")
                if shutil.disk_usage(target.parent).free < _SPARE_BYTES + len(block):
                    raise ModelUnavailable(
                        f"the disk of {target.parent.parent} has no room for {url}",
                        hint="make room on that disk, then run the same command again",
                    )
                took_s = time.monotonic() - started_s
                if took_s > _PATIENCE_S and done < took_s * _LEAST_PER_S:
                    raise ModelUnavailable(
                        f"{url} gave {done / took_s:,.0f} bytes a second and was given up"
                    )
                file.write(block)
        answers = (*response.history, response)
    # Only the hub's own answer has the hash, not that of the storage it redirects to.
    tags = [one.headers.get("x-linked-etag", "").strip('"') for one in answers]
    if wrong := [tag for tag in tags if _SHA256.fullmatch(tag) and tag != digest.hexdigest()]:
        raise ModelUnavailable(
            f"{url} has SHA-256 {digest.hexdigest()}, but {wrong[0]} is expected"
        )
    if not done:
        raise ModelUnavailable(f"{url} is empty")
    return True
