"""`[memory]`: storage and models of facts about users."""

from __future__ import annotations

from typing import Literal

import msgspec

from pincite.errors import ConfigError
from pincite.providers.names import parse_model
from pincite.settings.file.tables import take_table, told_where
from pincite.support.fields import replace

BUNDLED = "bundled"


class MemorySettings(msgspec.Struct, frozen=True):
    """The table `[memory]` of pincite.toml. `kind`: facts are stored in a SQLite file, by mem0, or
    not at all. `path`: the file, or the folder of mem0, relative to the index folder; empty for the
    default there. `dense`: the name of the model for semantic search of facts; empty for keyword
    search only, or, with mem0, for the bundled model. `infer`: with mem0, the language model of
    `[models]` decides which facts of a text are stored."""

    kind: Literal["sqlite", "mem0", "none"] = "sqlite"
    path: str = ""
    dense: str = ""
    infer: bool = False

    def __post_init__(self) -> None:
        if "\0" in self.path:
            raise ConfigError(f"memory.path is {self.path!r}, which is not a valid path")
        if self.infer and self.kind != "mem0":
            raise ConfigError(
                f'memory.infer is true, but memory.kind is "{self.kind}": only mem0 infers',
                hint='set kind = "mem0", or infer = false',
                keys=("memory.infer", "memory.kind"),
            )


def take_memory_settings(table: dict[str, object], origin: str) -> MemorySettings:
    """Remove `[memory]` from the table of `origin`, and return it. Raises ConfigError, with
    `origin` and the key, for an unknown key or a wrong value."""
    found = take_table(table, "memory", MemorySettings, origin)
    with told_where(origin):
        return replace(found, dense=_model(found.dense)) if found.dense else found


def _model(name: str) -> str:
    try:
        return name if name == BUNDLED else str(parse_model(name))
    except ConfigError as error:
        raise ConfigError(f"memory.dense: {error.message}", hint=error.hint) from error
