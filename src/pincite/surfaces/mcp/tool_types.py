"""A tool: its name, its arguments, what it does and what it gives."""

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
#: A model reads the text. What programs read as well costs it twice, or hides the text from it.
Detail = Literal["text", "full"]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives: a text for the model, what programs read beside it, None for nothing, and
    what is about the call rather than the answer. Without a text it is that of the structure."""

    text: str
    structure: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tool(Generic[S]):
    """A tool. Clients of a `plain` one know one argument. `gives` is the schema of its structured
    content, None where an answer may have none. One that `updates` removes and replaces entries of
    the index, and a second call changes nothing more; the others only read. One that is
    `open_world` takes its text from a service."""

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
    """A schema whose root is an object and no reference, as older clients need it."""
    definitions = msgspec.json.schema(of)["$defs"]
    return {**definitions[of.__name__], "$defs": definitions}
