"""Read instructions for language models: one file per task, in `prompts/` or a user's folder.

A user's folder may replace single files; the others are the bundled ones. All prompts of a folder
are read at once, so that the prompts in use are those that were trusted. The SHA-256 of a prompt
identifies it.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, get_args

from pincite.answering.placeholders import placeholders_in
from pincite.errors import ConfigError
from pincite.model import ChatMode
from pincite.support.capabilities import open_to_read

REFUSAL: Final = "refusal"
#: Those that a folder may replace. The others have placeholders, and code reads their answers.
REPLACEABLE: Final = (*get_args(ChatMode), REFUSAL)
#: A longer prompt would leave no room for evidence.
MOST_BYTES: Final = 32_000
_MOST_NAMED: Final = 5  # placeholders in a remark
_OWN: Final = Path(__file__).with_name("prompts")
log = logging.getLogger("pincite")


@dataclass(frozen=True, slots=True)
class Prompt:
    """The instructions for one task. `name` is that of the file, `sha256` the hash of the text in
    UTF-8."""

    text: str
    sha256: str
    name: str


@dataclass(frozen=True, slots=True)
class PromptFolder:
    """The prompts that a folder replaces, by name, as they were when it was read. `failed` has the
    errors of those that cannot be used, under "" that of the whole folder. `remarks` are those on
    placeholders, by name. Without a folder, all prompts are the bundled ones."""

    folder: str = ""
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    failed: Mapping[str, ConfigError] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)

    def read(self, name: str) -> Prompt:
        """Return the prompt with this name. A remark on it is logged once. Raises ConfigError if
        there is none or it cannot be used."""
        if (error := self.failed.get("") or self.failed.get(name)) is not None:
            raise ConfigError(error.message, hint=error.hint)
        if remark := self.remarks.get(name):
            _log_once(remark)
        text = self.texts.get(name) or _own(name)
        return Prompt(text, sha256(text.encode()).hexdigest(), name)

    def of(self, mode: ChatMode, *, refused: bool) -> Prompt:
        """Return the instructions for a mode, or for a refusal. Raises ConfigError."""
        return self.read(REFUSAL if refused else mode)

    def file(self, name: str) -> Path:
        """Return the path of the prompt with this name in the folder."""
        return Path(self.folder) / f"{name}.md"

    def hashes(self) -> Mapping[str, str]:
        """Return the SHA-256 of each replaced prompt by name, "" for one that cannot be used."""
        known = {name: sha256(text.encode()).hexdigest() for name, text in self.texts.items()}
        return dict(sorted({**known, **dict.fromkeys(filter(None, self.failed), "")}.items()))


@cache
def prompt_names() -> tuple[str, ...]:
    """Return the names of all bundled prompts, sorted."""
    return tuple(sorted(path.stem for path in _OWN.glob("*.md")))


def read_prompt(name: str) -> Prompt:
    """Return the bundled prompt with this name. Raises ConfigError if there is none."""
    return PromptFolder().read(name)


def read_prompts(folder: str) -> PromptFolder:
    """Return the prompts in the folder `answer.prompts`, none for "". Errors are raised when a
    prompt is used: for a folder without prompts, and for a file that is empty, too large or not
    readable."""
    if not folder:
        return PromptFolder()
    try:
        place, names = _replaced(Path(folder))
    except ConfigError as error:
        return PromptFolder(folder, failed={"": error})
    texts, failed, remarks = {}, {}, {}
    for name in names:
        try:
            whole = _read(place, f"{name}.md")
        except ConfigError as error:
            failed[name] = error
            continue
        texts[name] = whole.strip()
        if remark := _remark(place / f"{name}.md", whole):
            remarks[name] = remark
    return PromptFolder(folder, texts, failed, remarks)


@cache
def _log_once(remark: str) -> None:
    log.warning("%s", remark)


def _remark(file: Path, text: str) -> str:
    """Return what to know about placeholders in a prompt, "" without any."""
    found = dict.fromkeys(f"{one!r} in line {line}" for line, one in placeholders_in(text))
    if not found:
        return ""
    shown = ", ".join([*found][:_MOST_NAMED]) + ", ..." * (len(found) > _MOST_NAMED)
    return (
        f"the prompt {file} has {shown}, and nothing is put in its place: passages, memory, earlier"
        " turns and the question follow the prompt"
    )


@cache
def _own(name: str) -> str:
    if name not in prompt_names():
        raise ConfigError(
            f"no prompt is named {name!r}; known prompts: {', '.join(prompt_names())}"
        )
    return (_OWN / f"{name}.md").read_text(encoding="utf-8").strip()


def _replaced(folder: Path) -> tuple[Path, list[str]]:
    """Return the real path of the folder, and the names of its prompts."""
    files = {name: f"{name}.md" for name in REPLACEABLE}
    said = f"answer.prompts is {str(folder)!r}"
    try:
        place = folder.resolve(strict=True)
        there = {file.name for file in place.iterdir()} & {*files.values()}
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigError(
            f"{said}, which cannot be read: {error}",
            hint="name a folder of prompts, or remove the setting",
        ) from error
    if not there:
        raise ConfigError(f"{said}, which contains none of {', '.join(files.values())}")
    return place, [name for name, file in files.items() if file in there]


def _read(folder: Path, name: str) -> str:
    """Return the text of a regular file in the folder. A link must not lead out of it, because its
    target would be sent to a model."""
    file = folder / name
    try:
        real = file.resolve(strict=True)
        if not real.is_relative_to(folder):
            raise ConfigError(f"the prompt {file} is a link to a file outside of its folder")
        raw = _bytes(real)
        text = raw.decode("utf-8-sig")
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        raise ConfigError(f"the prompt {file} cannot be read: {error}") from error
    if len(raw) > MOST_BYTES:
        raise ConfigError(f"the prompt {file} has more than {MOST_BYTES:,} bytes")
    if not text.strip():
        raise ConfigError(f"the prompt {file} is empty", hint="remove it to use the bundled one")
    return text


def _bytes(file: Path) -> bytes:
    handle = open_to_read(file)
    with os.fdopen(handle, "rb") as opened:  # a pipe or a device may never end
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("not a regular file")
        return opened.read(MOST_BYTES + 1)
