"""Find the metadata of uploaded documents by rules and, if the settings say so, by a language
model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from pincite.errors import ProviderError
from pincite.ports import LLM
from pincite.settings.sections.workspace import WorkspaceSettings
from pincite.workspace.files.uploads import UploadedText
from pincite.workspace.indexing import metadata_of
from pincite.workspace.metadata.by_llm import Described, ModelLimits, with_model
from pincite.workspace.model import Document

_AT_ONCE: Final = 4  # guess
log = logging.getLogger("pincite.workspace")


async def metadata_of_all(
    given: Sequence[tuple[Document, UploadedText]],
    settings: WorkspaceSettings,
    open_llm: Callable[[], Awaitable[LLM]],
) -> list[dict[str, str]]:
    """Return the metadata of each document, in order. A few requests to the model run at once.
    Without a model the result is that of the rules. Raise ConfigError."""
    turns = asyncio.Semaphore(_AT_ONCE)

    async def one(document: Document, text: UploadedText) -> dict[str, str]:
        async with turns:
            return await _found(document, text, settings, open_llm)

    return await asyncio.gather(*(one(*each) for each in given))


async def _found(
    document: Document,
    text: UploadedText,
    settings: WorkspaceSettings,
    open_llm: Callable[[], Awaitable[LLM]],
) -> dict[str, str]:
    rules = metadata_of(document, text)
    if settings.metadata != "model":
        return rules
    limits = ModelLimits(
        settings.metadata_chars, settings.metadata_timeout_s, settings.metadata_tokens
    )
    described = Described(
        *(document.filename, text.text, document.content_hash, rules, document.metadata)
    )
    try:
        llm = await open_llm()
    except ProviderError as error:
        log.warning("metadata by rules alone: %s", type(error).__name__)
        return rules
    return await with_model(described, llm, limits)
