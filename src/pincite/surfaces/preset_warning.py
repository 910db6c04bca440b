"""Detect a chosen preset that changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pincite.settings.load import Settings


def hidden_preset(settings: Settings, preset: str | None) -> str:
    """Return a warning if settings of higher priority override all keys of a preset, otherwise
    ""."""
    if not preset or not settings.hides(preset):
        return ""
    return (
        f"warning: preset_hidden: {settings.config} sets all keys that the preset {preset}"
        " sets, so the preset has no effect: remove the keys that should come from the preset"
    )
