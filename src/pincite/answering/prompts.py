"""What a language model is told to do: a file for each task, in `prompts/`.

A folder may replace them, a file each; what it does not have is taken from the bundled ones. A
prompt is read when it is used, so that a change counts with the next answer, and its SHA-256 says
which one it was.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from pincite.errors import ConfigError
from pincite.model import ChatMode
from pincite.support.capabilities import open_to_read

REFUSAL: Final = "refusal"
#: More would leave evidence no room in the prompt.
MOST_BYTES: Final = 32_000
_OWN: Final = Path(__file__).with_suffix("")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told. `name` is that of its file, `sha256` that of its text in UTF-8."""

    text: str
    sha256: str
    name: str


@cache
def prompt_names() -> tuple[str, ...]:
    """All bundled ones, by name."""
    return tuple(sorted(path.stem for path in _OWN.glob("*.md")))


def prompt_of(mode: ChatMode, *, refused: bool, folder: str = "") -> Prompt:
    """What the model is told in this mode, or when it refuses. `folder` is `answer.prompts`.
    Raises ConfigError."""
    return read_prompt(REFUSAL if refused else mode, folder)


def read_prompt(name: str, folder: str = "") -> Prompt:
    """The prompt of that name, from the folder if it has it. Raises ConfigError for a folder that
    replaces nothing, and for a file that is empty, too large or out of reach."""
    text = (_replaced(name, Path(folder)) if folder else None) or _own(name)
    return Prompt(text, sha256(text.encode()).hexdigest(), name)


def folder_sha256(folder: str) -> str:
    """The SHA-256 of all prompts that a folder replaces. One that cannot be used counts as such:
    it is refused when it is read."""
    digest = sha256()
    for name in prompt_names():
        try:
            text = _read(Path(folder).resolve(), f"{name}.md").encode()
        except (ConfigError, OSError, RuntimeError, ValueError):
            text = b""
        digest.update(sha256(text).digest())
    return digest.hexdigest()


@cache
def _own(name: str) -> str:
    if name not in prompt_names():
        raise ConfigError(
            f"no prompt is named {name!r}; known prompts: {', '.join(prompt_names())}"
        )
    return (_OWN / f"{name}.md").read_text(encoding="utf-8").strip()


def _replaced(name: str, folder: Path) -> str | None:
    files = [f"{known}.md" for known in prompt_names()]
    said = f"answer.prompts is {str(folder)!r}"
    try:
        place = folder.resolve(strict=True)
        there = {file.name for file in place.iterdir()} & set(files)
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigError(
            f"{said}, which cannot be read: {error}",
            hint="name a folder of prompts, or remove the setting",
        ) from error
    if not there:
        raise ConfigError(f"{said}, which contains none of {', '.join(files)}")
    return _read(place, f"{name}.md") if f"{name}.md" in there else None


def _read(folder: Path, name: str) -> str:
    """The text of a regular file in the folder; a link may not lead out of it, for what it leads
    to would be sent to a model."""
    file = folder / name
    try:
        real = file.resolve(strict=True)
        if not real.is_relative_to(folder):
            raise ConfigError(f"the prompt {file} is a link to a file outside of its folder")
        raw = _bytes(real)
        text = raw.decode("utf-8-sig").strip()
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        raise ConfigError(f"the prompt {file} cannot be read: {error}") from error
    if len(raw) > MOST_BYTES:
        raise ConfigError(f"the prompt {file} has more than {MOST_BYTES:,} bytes")
    if not text:
        raise ConfigError(f"the prompt {file} is empty", hint="remove it to use the bundled one")
    return text


def _bytes(file: Path) -> bytes:
    handle = open_to_read(file)
    with os.fdopen(handle, "rb") as opened:  # a pipe or a device may never end
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("not a regular file")
        return opened.read(MOST_BYTES + 1)
