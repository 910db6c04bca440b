"""Consent to automatic updates that may cost money or change a server."""

from __future__ import annotations

from pincite.ports import CollectionInfo
from pincite.providers.names import LOCAL_PROVIDERS
from pincite.settings.load import Settings


def needs_consent(settings: Settings, info: CollectionInfo, *, remote: bool) -> str:
    """Return why a collection is not refreshed without its user's consent; "" if it is refreshed.
    `remote` is the consent to use models and stores on servers."""
    if remote:
        return ""
    ways = "pincite index, or [refresh] remote = true"
    model = info.spec.model
    if model and model.partition(":")[0] not in LOCAL_PROVIDERS:
        return f"its model {model} may cost money, so it needs your consent ({ways})"
    if settings.store.url:
        return f"its points are on the server {settings.store.place} ({ways})"
    return ""
