"""Profiles that differ in named fields: the points of a sweep, and `--set` of a run.

A field is named by its path in the profile, such as `fuse.dense_weight`; the profile defines which
fields exist. In sweeps, fields of the chunker begin with `chunking.`.
"""

from __future__ import annotations

import itertools
import math
import random
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import structs

from pincite.chunkers import ChunkerConfig
from pincite.errors import ConfigError, UsageError
from pincite.evals.run.runner import fingerprint
from pincite.profile import Profile, profile_from
from pincite.support.decodable import ready

CHUNKING: Final = "chunking"
Axes = Mapping[str, "tuple[Any, ...] | Range"]


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, drawn uniformly; whole numbers if both ends are."""

    low: float
    high: float

    def draw(self, rng: random.Random) -> float:
        """Return a random number of the range; fractions are rounded to four digits."""
        if isinstance(self.low, int) and isinstance(self.high, int):
            return rng.randint(self.low, self.high)
        return round(rng.uniform(self.low, self.high), 4)


@dataclass(frozen=True, slots=True)
class Point:
    """A profile, the values in which it differs from the others, and an id that follows from the
    profile and the chunker. If `chunker` is None, the existing index is searched; otherwise the
    sources are indexed again with it."""

    id: str
    values: Mapping[str, Any]
    profile: Profile
    chunker: ChunkerConfig | None = None

    @property
    def label(self) -> str:
        """Return `fuse.k=2 load.pool=30`, or `as it is` for the base profile."""
        return " ".join(f"{name}={value}" for name, value in self.values.items()) or "as it is"


@dataclass(frozen=True, slots=True)
class Points:
    """Points in order, each profile once, and the invalid combinations with the reason."""

    points: tuple[Point, ...]
    refused: Mapping[str, str]


def parse_values(texts: Iterable[str]) -> dict[str, tuple[Any, ...] | Range]:
    """Return axes from `field=value,value` or `field=low..high`. Values are those of TOML; a bare
    word is a text. Raises UsageError."""
    axes: dict[str, tuple[Any, ...] | Range] = {}
    for text in texts:
        name, equals, right = text.partition("=")
        if not equals or not name.strip() or not right.strip():
            raise UsageError(f"{text!r} is not in the form field=value,value or field=low..high")
        low, dots, high = right.partition("..")
        if dots:
            ends = (_value(low), _value(high))
            if not all(isinstance(end, int | float) for end in ends) or ends[0] > ends[1]:
                raise UsageError(f"{text!r}: {right!r} is not a range of numbers")
            axes[name.strip()] = Range(*ends)
        else:
            axes[name.strip()] = tuple(_value(part) for part in _split(right))
    return axes


def with_values(base: Profile, values: Mapping[str, Any], origin: str = "--set") -> Profile:
    """Return the profile with other values. Raises ConfigError with the field."""
    table: dict[str, Any] = {}
    for name, value in values.items():
        *sections, last = name.split(".")
        place = table
        for section in sections:
            place = place.setdefault(section, {})
        place[last] = value
    return profile_from(table, origin, base)


def grid(base: Profile, axes: Axes) -> Points:
    """Return the base and all combinations. Raises UsageError for a range, which has no list of
    values, and ConfigError for an unknown field."""
    lists = []
    for name, values in axes.items():
        if isinstance(values, Range):
            raise UsageError(
                f"{name} has a range, but a grid takes values", hint="pincite eval sweep --random N"
            )
        lists.append([(name, value) for value in values])
    return _points(base, axes, map(dict, itertools.product(*lists)))


def draw(base: Profile, axes: Axes, count: int, seed: int) -> Points:
    """Return the base and `count` random combinations, or fewer if there are no more. The same seed
    gives the same points."""
    rng = random.Random(seed)
    size = math.prod(math.inf if isinstance(v, Range) else len(v) for v in axes.values())
    drawn: dict[str, dict[str, Any]] = {}
    for _ in range(100 * count):
        if len(drawn) >= min(count, size):
            break
        values = {
            name: axis.draw(rng) if isinstance(axis, Range) else rng.choice(axis)
            for name, axis in axes.items()
        }
        drawn[fingerprint(values)] = values
    return _points(base, axes, drawn.values())


def _points(base: Profile, axes: Axes, combinations: Iterable[dict[str, Any]]) -> Points:
    for name in axes:
        _require(base, name)
    chunker = ChunkerConfig() if any(map(_is_chunking, axes)) else None
    first = _point({}, base, chunker)
    points = {first.id: first}
    refused: dict[str, str] = {}
    for values in combinations:
        rest = {name: value for name, value in values.items() if not _is_chunking(name)}
        try:
            profile = with_values(base, rest, "sweep")
            point = _point(values, profile, _chunker(values) if chunker else None)
        except ConfigError as error:
            refused[" ".join(f"{k}={v}" for k, v in values.items())] = error.message
            continue
        points.setdefault(point.id, point)
    if len(points) == 1 and refused:
        label, reason = next(iter(refused.items()))
        raise ConfigError(f"no combination is valid; {label}: {reason}")
    return Points(tuple(points.values()), refused)


def _point(values: dict[str, Any], profile: Profile, chunker: ChunkerConfig | None) -> Point:
    key = fingerprint((profile, chunker.fingerprint) if chunker else profile)
    return Point(key, values, profile, chunker)


def _is_chunking(name: str) -> bool:
    return name.partition(".")[0] == CHUNKING


def _chunker(values: Mapping[str, Any]) -> ChunkerConfig:
    """Return the chunker of a combination. Raises ConfigError."""
    given = {n.partition(".")[2]: value for n, value in values.items() if _is_chunking(n)}
    try:
        return msgspec.convert(given, ready(ChunkerConfig))
    except msgspec.ValidationError as error:
        raise ConfigError(f"sweep: {CHUNKING}: {error}") from error


def _require(base: Profile, name: str) -> None:
    """Raise ConfigError unless the profile, or for `chunking` the chunker, has the field."""
    value: Any = structs.asdict(base) | {CHUNKING: ChunkerConfig()}
    for part in name.split("."):
        if isinstance(value, msgspec.Struct):
            value = structs.asdict(value)
        known = value if isinstance(value, dict) else {}
        if part not in known:
            raise ConfigError(
                f"the profile has no field {name!r}; known fields: {', '.join(known) or 'none'}"
            )
        value = known[part]
    if isinstance(value, ChunkerConfig):
        names = ", ".join(f"{name}.{field}" for field in value.__struct_fields__)
        raise ConfigError(f"{name!r} is a table; its fields: {names}")


def _value(text: str) -> Any:
    text = text.strip()
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _split(text: str) -> Sequence[str]:
    """Return the parts between commas that are outside of brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        else:
            depth += (character in "[{") - (character in "]}")
            if character == "," and not depth:
                parts.append("")
                continue
        parts[-1] += character
    return parts
