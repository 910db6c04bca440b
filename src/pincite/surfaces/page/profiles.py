"""The profiles that the page offers, and what each of them lacks here."""

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
    """Whether questions can be embedded, results be reranked, and a language model be asked.
    Servers of models are not called, so one that does not answer counts as available."""

    vectors: bool
    reranker: bool
    llm: bool


def available(use: ModelSettings, dense: Collection[str]) -> Available:
    """Return what these settings and collections offer. `dense` has the dense model of each
    collection, empty for one without vectors; no collection at all lacks nothing yet."""
    embeds = any(one and _usable(use, "dense", one) for one in dense)
    return Available(
        embeds or not dense,
        bool(use.rerank) and _usable(use, "rerank", use.rerank),
        bool(use.llm) and _usable(use, "llm", use.llm),
    )


def _usable(use: ModelSettings, kind: Literal["dense", "rerank", "llm"], name: str) -> bool:
    """Does the model have the key that its provider requires?"""
    if is_bundled(name):
        return True
    try:
        provider = find_provider(parse_model(name).provider, kind)
        return not provider.needs_key or use.key_of(provider) is not None
    except ConfigError:
        return False


def lacking(profile: Profile, there: Available) -> tuple[str, ...]:
    """Return what the profile asks for and is not available, in words."""
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
    """Does every search with the profile end with an error? Others give results, and say in their
    warnings what they lacked."""
    only_vectors = profile.retrieve.mode == "vector" and not profile.probe.enabled
    asks_llm = profile.gate.answerable == "llm"
    return (only_vectors and not there.vectors) or (asks_llm and not there.llm)


def profile_views(settings: Settings, dense: Collection[str], chosen: str) -> Mapping[str, Any]:
    """Return the presets with what each lacks, and the same of the default profile, which is the
    preset `chosen` or, if that is empty, the configured one."""
    there = available(settings.use, dense)

    def view(name: str) -> dict[str, Any]:
        try:
            profile = settings.preset(name) if name else settings.profile
        except ConfigError:  # its values contradict those of the file
            return {"name": name, "lacks": ("settings that fit it",), "fails": True}
        return {"name": name, "lacks": lacking(profile, there), "fails": fails(profile, there)}

    return {"preset": view(chosen), "presets": [view(name) for name in preset_names()]}
