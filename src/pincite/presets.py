"""Named profiles. Nothing in the code asks which one runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pincite.profile import Profile

GENERAL = "general"

#: `general` is what measures best over ten collections (docs/decisions/0004).
PRESETS: Mapping[str, Profile] = MappingProxyType({GENERAL: Profile()})
