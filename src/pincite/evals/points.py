"""Profiles that differ in named fields: the points of a sweep, and `--set` of a run.

A field is named by its path in the profile, such as `fuse.dense_weight`; which fields there are is
for the profile to say.
"""

from __future__ import annotations

import itertools
import math
import random
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from pincite.errors import ConfigError, UsageError
from pincite.evals.running import fingerprint
from pincite.profile import Profile, profile_from

Axes = Mapping[str, "tuple[Any, ...] | Range"]


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, drawn evenly; whole ones if both ends are."""

    low: float
    high: float

    def draw(self, rng: random.Random) -> float:
        """One of them; fractions are rounded to four digits."""
        if isinstance(self.low, int) and isinstance(self.high, int):
            return rng.randint(self.low, self.high)
        return round(rng.uniform(self.low, self.high), 4)


@dataclass(frozen=True, slots=True)
class Point:
    """A profile, what sets it apart from the others, and a short name that follows from both."""

    id: str
    values: Mapping[str, Any]
    profile: Profile

    @property
    def label(self) -> str:
        """`fuse.k=2 load.pool=30`; `as it is` for the profile that all begin with."""
        return " ".join(f"{name}={value}" for name, value in self.values.items()) or "as it is"


@dataclass(frozen=True, slots=True)
class Points:
    """Points in order, each profile once, and combinations that contradict themselves with the
    reason."""

    points: tuple[Point, ...]
    refused: Mapping[str, str]


def parse_values(texts: Iterable[str]) -> dict[str, tuple[Any, ...] | Range]:
    """Axes from `field=value,value` or `field=low..high`. Values are as in TOML; a bare word is a
    text. Raises UsageError."""
    axes: dict[str, tuple[Any, ...] | Range] = {}
    for text in texts:
        name, equals, right = text.partition("=")
        if not equals or not name.strip() or not right.strip():
            raise UsageError(f"{text!r} is not of the form field=value,value or field=low..high")
        low, dots, high = right.partition("..")
        if dots:
            ends = (_value(low), _value(high))
            if not all(isinstance(end, int | float) for end in ends) or ends[0] > ends[1]:
                raise UsageError(f"{text!r}: {right!r} is no range of numbers")
            axes[name.strip()] = Range(*ends)
        else:
            axes[name.strip()] = tuple(_value(part) for part in _split(right))
    return axes


def with_values(base: Profile, values: Mapping[str, Any], origin: str = "--set") -> Profile:
    """The profile with other values. Raises ConfigError naming the field."""
    table: dict[str, Any] = {}
    for name, value in values.items():
        *sections, last = name.split(".")
        place = table
        for section in sections:
            place = place.setdefault(section, {})
        place[last] = value
    return profile_from(table, origin, base)


def grid(base: Profile, axes: Axes) -> Points:
    """The base and all combinations. Raises UsageError for a range, which has no end of values,
    and ConfigError for a field that is none."""
    lists = []
    for name, values in axes.items():
        if isinstance(values, Range):
            raise UsageError(
                f"{name} has a range, and a grid needs values", hint="pincite eval sweep --random N"
            )
        lists.append([(name, value) for value in values])
    return _points(base, axes, map(dict, itertools.product(*lists)))


def draw(base: Profile, axes: Axes, count: int, seed: int) -> Points:
    """The base and `count` random combinations, fewer if there are no more. Same seed, same
    points."""
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
    points = {fingerprint(base): Point(fingerprint(base), {}, base)}
    refused: dict[str, str] = {}
    for values in combinations:
        try:
            profile = with_values(base, values, "sweep")
        except ConfigError as error:
            refused[" ".join(f"{k}={v}" for k, v in values.items())] = error.message
            continue
        key = fingerprint(profile)
        points.setdefault(key, Point(key, values, profile))
    if len(points) == 1 and refused:
        label, reason = next(iter(refused.items()))
        raise ConfigError(f"no combination is possible; {label}: {reason}")
    return Points(tuple(points.values()), refused)


def _require(base: Profile, name: str) -> None:
    """Raises ConfigError unless the profile has the field."""
    value: Any = base
    for part in name.split("."):
        known = [f.name for f in fields(value)] if is_dataclass(value) else []
        if part not in known:
            raise ConfigError(
                f"the profile has no field {name!r}; known here: {', '.join(known) or 'none'}"
            )
        value = getattr(value, part)


def _value(text: str) -> Any:
    text = text.strip()
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _split(text: str) -> Sequence[str]:
    """At commas that are outside of brackets and quotes."""
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
