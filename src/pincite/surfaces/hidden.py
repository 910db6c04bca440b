"""A preset that was chosen and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pincite.settings.load import Settings


def hidden_preset(settings: Settings, preset: str | None) -> str:
    """What to say where something stronger sets all keys of a preset; nothing else."""
    if not preset or not settings.hides(preset):
        return ""
    return (
        f"warning: preset_hidden: {settings.config} sets all keys that the preset {preset}"
        " sets, and wins: take those out that are to come from the preset"
    )
