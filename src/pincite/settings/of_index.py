"""The settings for a program that names an index."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, get_args

from pincite.errors import UsageError
from pincite.settings.file.trust import require_trust
from pincite.settings.load import Settings, load_settings
from pincite.settings.sections.refresh import RefreshMode
from pincite.support.arguments import require_choice, shown
from pincite.support.fields import replace

REFRESH_MODES: Final = tuple(filter(None, get_args(RefreshMode)))


def settings_for(index: str | os.PathLike[str] | Settings | None) -> Settings:
    """Return the settings of an index folder, which need not exist yet; without one, those of the
    environment and the current folder. Given Settings are returned unchanged, and need no trust.

    Raises UsageError for another type, or for a path that is a file; ConfigError for wrong
    settings; UntrustedConfig if a found file has settings that need trust and is not trusted.
    """
    if isinstance(index, Settings):
        settings = index
    else:
        place = None if index is None else _path(index)
        settings = trusted(load_settings(os.environ, None, place))
    if _is_file(settings.index):
        raise UsageError(
            f"{settings.index} is a file, but an index is a folder",
            hint=f"{str(settings.index.parent / '.pincite')!r}",
        )
    return settings


def require_refresh(mode: RefreshMode | None) -> None:
    """Raise UsageError if `mode` is neither None nor a mode of updates."""
    if mode is not None:
        require_choice("refresh", mode, REFRESH_MODES)


def with_refresh(settings: Settings, mode: RefreshMode | None) -> Settings:
    """Return the settings with this `refresh.mode`, unchanged for None. Raises UsageError for other
    values."""
    require_refresh(mode)
    if mode is None:
        return settings
    return replace(settings, refresh=replace(settings.refresh, mode=mode))


def trusted(settings: Settings) -> Settings:
    """Return the settings unchanged. Raises UntrustedConfig if their file was found, has settings
    that need trust, and is not trusted."""
    if settings.found and not settings.vouched:
        require_trust(settings.layers, settings.config)
    return settings


def _path(index: object) -> Path:
    named = isinstance(index, str | os.PathLike) and str(index) and "\0" not in str(index)
    if not named:
        raise UsageError(
            f"index is {shown(index)}; it takes the path of an index folder or Settings",
            hint="use '.pincite', or nothing for the nearest index",
        )
    return Path(str(index))


def _is_file(place: Path) -> bool:
    """Return whether the path exists and is not a folder."""
    try:
        return place.exists() and not place.is_dir()
    except OSError:  # opening the index raises the error
        return False
