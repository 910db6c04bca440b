"""The profiles that the page offers, and the models that each of them lacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pincite.errors import ConfigError
from pincite.presets import preset_names
from pincite.profile import Profile
from pincite.providers.names import parse_model
from pincite.providers.registry import find_provider
from pincite.settings.load import Settings
from pincite.settings.sections.models import ModelSettings, is_bundled


@dataclass(frozen=True, slots=True)
class Available:
    """The kinds of models that are configured and have the necessary keys. Their servers are not
    called, so a server that does not answer counts as available."""

    vectors: bool
    reranker: bool
    llm: bool


def available(use: ModelSettings, dense: Collection[str]) -> Available:
    """Return the available models. `dense` has the dense model of each collection, "" for one
    without vectors. Without any collection, vectors count as available."""
    embeds = any(one and _usable(use, "dense", one) for one in dense)
    return Available(
        embeds or not dense,
        bool(use.rerank) and _usable(use, "rerank", use.rerank),
        bool(use.llm) and _usable(use, "llm", use.llm),
    )


def _usable(use: ModelSettings, kind: Literal["dense", "rerank", "llm"], name: str) -> bool:
    """Return whether the provider of a model is known, and has its key if it needs one."""
    if is_bundled(name):
        return True
    try:
        provider = find_provider(parse_model(name).provider, kind)
        return not provider.needs_key or use.key_of(provider) is not None
    except ConfigError:
        return False


def lacking(profile: Profile, there: Available) -> tuple[str, ...]:
    """Return the kinds of models that a profile uses and that are not available, in words."""
    asks_vectors = profile.retrieve.mode == "vector" or profile.probe.enabled
    asks_reranker = profile.rerank.use != "never" and (
        profile.rerank.use == "expected"
        or profile.gate.signal == "reranked"
        or profile.blend.method == "tiers"
    )
    asks_llm = profile.expand.by == "llm" or profile.gate.answerable == "llm"
    wanted = (
        ("vectors", asks_vectors and not there.vectors),
        ("a reranker", asks_reranker and not there.reranker),
        ("a language model", asks_llm and not there.llm),
    )
    return tuple(words for words, missing in wanted if missing)


def fails(profile: Profile, there: Available) -> bool:
    """Return whether every search with the profile would fail. Other searches return results, with
    warnings about missing models."""
    only_vectors = profile.retrieve.mode == "vector" and not profile.probe.enabled
    asks_llm = profile.gate.answerable == "llm"
    return (only_vectors and not there.vectors) or (asks_llm and not there.llm)


def profile_views(settings: Settings, dense: Collection[str], chosen: str) -> Mapping[str, Any]:
    """Return views of all presets (`presets`), and of the default profile (`preset`): the preset
    `chosen`, or the configured profile if that is "". Each has the names of what it lacks, and
    whether it fails."""
    there = available(settings.use, dense)

    def view(name: str) -> dict[str, Any]:
        try:
            profile = settings.preset(name) if name else settings.profile
        except ConfigError:  # the preset contradicts values of the file
            return {"name": name, "lacks": ("settings that fit it",), "fails": True}
        return {"name": name, "lacks": lacking(profile, there), "fails": fails(profile, there)}

    return {"preset": view(chosen), "presets": [view(name) for name in preset_names()]}
