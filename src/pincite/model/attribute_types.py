"""Types of attributes and of their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

AttributeType = Literal["keyword", "keywords", "integer", "float", "boolean", "date"]
AttributeValue: TypeAlias = str | int | float | bool | tuple[str, ...]
Attributes: TypeAlias = Mapping[str, AttributeValue]
