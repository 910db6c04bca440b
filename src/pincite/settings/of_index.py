"""The settings of an index that a program names."""

from __future__ import annotations

import os
from pathlib import Path

from pincite.errors import UsageError
from pincite.settings.file.trust import require_trust
from pincite.settings.load import Settings, load_settings
from pincite.support.arguments import shown
from pincite.support.current_folder import current_folder


def settings_for(index: str | os.PathLike[str] | Settings | None) -> Settings:
    """Complete settings as they are; those of an index folder, which need not be there yet; or by
    default what the environment and the current folder say. Raises UsageError for what is none of
    them or no folder, ConfigError for settings that are wrong, UntrustedConfig for those of a file
    that was found and asks for what nobody has agreed to. Whoever brings Settings vouches for
    them."""
    if isinstance(index, Settings):
        settings = index
    else:
        place = None if index is None else _path(index)
        settings = trusted(load_settings(os.environ, current_folder(), place))
    if _is_file(settings.index):
        raise UsageError(
            f"{settings.index} is a file, but an index is a folder",
            hint=f"{str(settings.index.parent / '.pincite')!r}",
        )
    return settings


def trusted(settings: Settings) -> Settings:
    """The same. Raises UntrustedConfig where its file was found, and takes trust."""
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
    """Anything that is there and no folder."""
    try:
        return place.exists() and not place.is_dir()
    except OSError:  # what opens the index says why it cannot be reached
        return False
