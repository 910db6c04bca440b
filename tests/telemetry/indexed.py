"""An engine with one page."""

from __future__ import annotations

from pathlib import Path

from pincite import AsyncPincite
from pincite.settings.load import Settings, load_settings

TEXT = "# Keys\n\nTo rotate a key, call rotate_key with the new secret.\n"


def settings_of(folder: Path) -> Settings:
    (folder / "docs").mkdir()
    (folder / "docs" / "keys.md").write_text(TEXT)
    return load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, folder)


async def indexed(folder: Path) -> AsyncPincite:
    engine = AsyncPincite(settings_of(folder))
    await engine.index(folder / "docs", lexical=True)
    return engine
