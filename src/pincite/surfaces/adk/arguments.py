"""The arguments of the tools: their descriptions for the model, and their checks."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from pincite.model import SourceType, TaskMode
from pincite.surfaces.extra import needs_extra
from pincite.surfaces.tools.arguments import WHERE

with needs_extra("adk", "google.adk", "pydantic"):
    from pydantic import Field


_MOST = 50
Query = Annotated[
    str,
    Field(
        description="The developer's question or task, with the exact names of functions, classes,"
        " options or errors where you know them."
    ),
]
Mode = Annotated[
    TaskMode,
    Field(description="What the evidence is for; it steers the ranking."),
]
Results = Annotated[
    Annotated[int, Field(ge=1, le=_MOST)] | None,
    Field(description=f"Passages to return at most, 1 to {_MOST}; as many as fit if left out."),
]
AdkResults = Annotated[
    int, Field(ge=1, le=_MOST, description=f"Passages to return at most, 1 to {_MOST}.")
]
Kinds = Annotated[
    list[SourceType] | None, Field(description="Only files of these kinds; all if left out.")
]
Where = Annotated[str, Field(description=WHERE)]
Paths = Annotated[
    list[str] | None,
    Field(description="Only these files, folders or globs, such as src/*.py; all if left out."),
]
Tags = Annotated[
    list[str] | None,
    Field(
        description="Attributes that a passage must have, each as NAME=VALUE; several of one name"
        " mean any of them."
    ),
]


class AdkArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of both tools. They need these checks: the framework passes on the arguments of its
    model unchecked."""

    query: Annotated[str, Meta(min_length=1)]
    task_mode: TaskMode = "build"
    max_results_final: Annotated[int, Meta(ge=1, le=_MOST)] | None = None
    tags: tuple[str, ...] | None = None


class Arguments(AdkArguments, frozen=True, forbid_unknown_fields=True):
    """Additional arguments of the general tool."""

    kinds: tuple[SourceType, ...] | None = None
    paths: tuple[str, ...] | None = None
    where: Annotated[str, Meta(max_length=2_000)] = ""
