"""Questions to a shop, and settings with a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pincite.providers.provider_options import ProviderOptions
from pincite.settings.load import Settings, load_settings
from pincite.support.fields import replace
from pincite.testing.contract_server import ContractServer

GOOD, JUNK = "how is a key rotated with the new secret?", "zebra quantum ferment lorem ipsum"


def settings(shop: Path, server: ContractServer, **options: Any) -> Settings:
    known = load_settings({}, shop, shop / ".pincite")
    options = {"tries": 1, "deadline_s": 5.0} | options
    provider = ProviderOptions(url=server.url("ollama"), **options)
    use = replace(known.use, llm="ollama:qwen3:8b", providers={"ollama": provider})
    return replace(known, use=use)
