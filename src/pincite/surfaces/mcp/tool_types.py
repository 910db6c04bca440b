"""Types of tools: a tool with its name, arguments and function, and the result of a call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

from pincite.surfaces.tools import arguments as tool_arguments

S = TypeVar("S", bound=msgspec.Struct)
Tags = dict[str, tool_arguments.TagValue]
DescribedTags = Annotated[Tags, Meta(description=tool_arguments.TAGS)]
#: Whether structured content is added to the text. A model reads the text: some clients give it
#: both, which costs twice, and others only the structured content.
Detail = Literal["text", "full"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool: a text for the model, structured content for programs or None, and
    data about the call. If the text is empty, the JSON of the structured content takes its
    place."""

    text: str
    structure: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tool(Generic[S]):
    """A tool. `takes` is the struct of its arguments, and `gives` the schema of its structured
    content, None if an answer may have none. `plain`: its clients support only one argument.
    `updates`: it removes and replaces entries of the index, and a second call changes nothing more;
    other tools only read. `open_world`: its text comes from a service."""

    name: str
    title: str
    description: str
    takes: type[S]
    gives: Mapping[str, Any] | None
    run: Callable[[S], Awaitable[ToolResult]]
    plain: bool = False
    updates: bool = False
    open_world: bool = False


def object_schema(of: type) -> dict[str, Any]:
    """Return a schema whose root is an object instead of a reference, as older clients require."""
    definitions = msgspec.json.schema(of)["$defs"]
    return {**definitions[of.__name__], "$defs": definitions}
