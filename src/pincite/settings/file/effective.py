"""The effective configuration: the values of all layers, merged and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pincite.errors import ConfigError
from pincite.model import AttributeType
from pincite.profile import SECTIONS, Profile, profile_from
from pincite.settings.file.layers import BELOW, Layer, located, merged
from pincite.settings.file.tables import take_table
from pincite.settings.sections.attributes import take_attributes
from pincite.settings.sections.documents import DocumentSettings
from pincite.settings.sections.foreign import ForeignSettings, take_foreign_settings
from pincite.settings.sections.memory import MemorySettings, take_memory_settings
from pincite.settings.sections.models import ModelSettings, take_model_settings
from pincite.settings.sections.plain import PLAIN
from pincite.settings.sections.refresh import RefreshSettings
from pincite.settings.sections.retrieval_log import LogSettings
from pincite.settings.sections.sources import SourceConfig, sources_from
from pincite.settings.sections.stores import take_store_settings
from pincite.settings.sections.telemetry import LoggingSettings, TracingSettings
from pincite.settings.sections.workspace import WorkspaceSettings, take_workspace_settings
from pincite.stores.settings import StoreSettings
from pincite.support.wrong_values import closest_first


@dataclass(frozen=True, slots=True)
class System:
    """All values that a file can set. `Settings` has fields of the same names."""

    profile: Profile
    use: ModelSettings
    store: StoreSettings
    log: LogSettings
    refresh: RefreshSettings
    memory: MemorySettings
    documents: DocumentSettings
    sources: tuple[SourceConfig, ...]
    attributes: Mapping[str, AttributeType]
    foreign: Mapping[str, ForeignSettings]
    workspace: WorkspaceSettings
    tracing: TracingSettings
    logging: LoggingSettings


@dataclass(frozen=True, slots=True)
class Around:
    """The context for reading layers: the environment, the files for cached vectors and for rate
    limits, the folder that paths are relative to, and the collection of sources without one."""

    environ: Mapping[str, str]
    cache: Path | None
    rates: Path | None
    folder: Path
    collection: str


def read_system(layers: Sequence[Layer], origin: str, around: Around) -> System:
    """Return the values of all layers; earlier layers override later ones. `origin` is the name of
    the whole in messages.

    Raises ConfigError, with the place of the key, for unknown keys, wrong values and
    contradictions.
    """
    try:
        return _system(merged(layers), origin, around)
    except ConfigError as error:
        read = partial(_alone, around=around)
        raise located(error, layers, origin, default_of, read) from error


def default_of(key: str) -> object:
    """Return the default of a key of the profile, the store, the memory or the workspace."""
    section, _, rest = key.partition(".")
    whole = {"store": StoreSettings(), "memory": MemorySettings(), "workspace": WorkspaceSettings()}
    found: Any = whole.get(section) or getattr(Profile(), section)
    for name in rest.split("."):
        found = getattr(found, name)
    return found


def _alone(layer: Layer, around: Around) -> System:
    return _system(merged([layer]), str(layer.file or layer.origin), around)


def _system(table: dict[str, Any], origin: str, around: Around) -> System:
    store = take_store_settings(table, origin)
    foreign = take_foreign_settings(table, origin, store)
    use = take_model_settings(table, origin, around.environ, around.cache, around.rates)
    memory = take_memory_settings(table, origin)
    workspace = take_workspace_settings(table, origin, around.environ)
    plain = {name: take_table(table, name, kind, origin) for name, kind in PLAIN.items()}
    attributes = take_attributes(table, origin)
    given = table.pop("source", ())
    sources = sources_from(given, origin, around.folder, around.collection, attributes)
    _require_known(table, origin)
    return System(
        profile=profile_from(table, origin),
        use=use,
        store=store,
        memory=memory,
        workspace=workspace,
        sources=sources,
        attributes=attributes,
        foreign=foreign,
        **plain,
    )


def _require_known(table: Mapping[str, Any], origin: str) -> None:
    """Raise ConfigError for a table that is not one of the profile. All others have been removed
    from `table` by now."""
    unknown = next((name for name in table if name not in SECTIONS), None)
    if unknown is not None:
        from pincite.settings.file.keys import keys  # late: only needed for the error

        known = closest_first(unknown, sorted({*BELOW, *(key.path[0] for key in keys())}))
        said = f"{origin}: unknown key {unknown!r}; known here: {known}"
        raise ConfigError(said, at=(unknown,))
