"""Presets: named configurations, each a `pincite.toml` in the folder `presets/`.

No code depends on which preset is in use. Files are read, and profiles built, only on request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pincite.errors import ConfigError

if TYPE_CHECKING:
    from pincite.profile import Profile

GENERAL, CHAT, EVIDENCE, MULTI_MODEL = "general", "chat", "evidence", "multi-model"
NOTES, WORKSPACE = "notes", "workspace"
_FOLDER = Path(__file__).with_suffix("")


@cache
def preset_names() -> tuple[str, ...]:
    """Return the names of all presets: `general`, then the others in alphabetical order."""
    found = sorted(path.stem for path in _FOLDER.glob("*.toml"))
    return (GENERAL, *(name for name in found if name != GENERAL))


def preset_text(name: str) -> str:
    """Return the file of a preset, whose comments explain its values. Raises ConfigError."""
    if name not in preset_names():
        raise ConfigError(unknown_preset(name))
    return (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def preset_table(name: str) -> dict[str, Any]:
    """Return the settings in which a preset differs from `general`. Raises ConfigError."""
    import tomllib

    return tomllib.loads(preset_text(name))


def description(name: str) -> str:
    """Return the purpose of a preset: the first line of its file. Raises ConfigError."""
    return preset_text(name).splitlines()[0].removeprefix("# ").rstrip(".")


def unknown_preset(name: object) -> str:
    """Return the error for an unknown name. It lists similar names first."""
    from difflib import get_close_matches

    names = preset_names()
    near = get_close_matches(name, names) if isinstance(name, str) else []
    known = dict.fromkeys((*near, *names))
    return f"no preset is named {name!r}; known presets: {', '.join(known)}"


class _Presets(Mapping[str, "Profile"]):
    """The presets by name, as profiles that are built when they are read."""

    def __getitem__(self, name: str) -> Profile:
        if name not in preset_names():
            raise KeyError(name)
        return _profile(name)

    def __iter__(self) -> Iterator[str]:
        return iter(preset_names())

    def __len__(self) -> int:
        return len(preset_names())


@cache
def _profile(name: str) -> Profile:
    from pincite.profile import SECTIONS, profile_from

    table = preset_table(name)
    return profile_from({k: v for k, v in table.items() if k in SECTIONS}, f"preset {name}")


PRESETS: Mapping[str, Profile] = _Presets()
