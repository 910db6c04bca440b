"""Write a preset as a `pincite.toml` with all keys, and compare two configurations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from pincite.presets import GENERAL, preset_table, preset_text
from pincite.settings.defaults import DEFAULT_COLLECTION
from pincite.settings.file.effective import Around, read_system
from pincite.settings.file.keys import REQUIRED, TABLE, Key, in_force, keys
from pincite.settings.file.layers import merged, named_layers
from pincite.settings.file.toml_file import KeyPath, statements
from pincite.settings.file.toml_text import assignment, dotted, inline

_WIDTH = 98  # of a comment
_HEAD = """\
# This file has every key with its value, and overrides `--preset`. To keep only your changes, and
# get the other values from later versions:
#
# extends = "{name}"
"""
_NAMED = """\
# The rest is for collections, providers and sources that you name: remove the #.
"""


def preset_file(name: str) -> str:
    """Return a complete configuration file for a preset: each key with its meaning, its value, the
    reason for the value, and the value of `general` if it differs. Raises ConfigError."""
    table = preset_table(name)
    values, usual = in_force(table), in_force(preset_table(GENERAL))
    about, reasons = _comments(preset_text(name))
    parts = ["\n".join((*about, "#", _HEAD.format(name=name).rstrip()))]
    plain = [key for key in keys() if key.named]
    for where, group in groupby(plain, lambda key: key.table):
        parts.append("\n".join(_table(where, list(group), table, values, usual, reasons)))
    parts.append(_NAMED.rstrip())
    named = [key for key in keys() if not key.named]
    for (where, foreign), group in groupby(named, lambda key: (key.table, key.foreign)):
        parts.append("\n".join(_template(where, foreign, list(group))))
    return "\n\n".join(parts) + "\n"


def named_table(name: str, folder: Path) -> dict[str, Any]:
    """Return the merged and checked table of a preset, or of a file in `folder` with everything
    that it extends. Raises ConfigError."""
    layers = named_layers(name, folder)
    read_system(layers, name, Around({}, None, None, folder, DEFAULT_COLLECTION))
    return merged(layers)


def differences(
    one: Mapping[str, Any], other: Mapping[str, Any]
) -> dict[KeyPath, tuple[object, object]]:
    """Return the keys whose values differ between two valid tables, with both values; None for a
    missing one. Sources are left out: they do not affect how anything is indexed or searched."""
    mine, theirs = in_force(one), in_force(other)
    found = {}
    for path in dict.fromkeys((*mine, *theirs)):
        first, second = _plain(mine.get(path)), _plain(theirs.get(path))
        alone = path not in mine or path not in theirs
        table = one if path in mine else other
        if path[0] == "source" or first == second or (alone and not _is_set(table, path)):
            continue
        found[path] = (first, second)
    return found


def _is_set(table: Any, path: KeyPath) -> bool:
    """Return whether the table itself sets the key, and not to an empty table."""
    for name in path:
        if not isinstance(table, Mapping) or name not in table:
            return False
        table = table[name]
    return bool(table != {})


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _table(
    where: KeyPath,
    group: Sequence[Key],
    table: Mapping[str, Any],
    values: Mapping[KeyPath, object],
    usual: Mapping[KeyPath, object],
    reasons: Mapping[KeyPath, Sequence[str]],
) -> Iterator[str]:
    yield from reasons.get(where, ())
    yield f"[{dotted(where)}]"
    for key in sorted(group, key=lambda one: one.type == TABLE):
        if key.type == TABLE:
            yield ""
            yield from _comment(key.meaning)
            yield f"[{dotted(key.path)}]"
            inner = _at(table, key.path)
            for name, value in inner.items():
                yield from reasons.get((*key.path, name), ())
                yield assignment(name, value)
            continue
        value = values[key.path]
        yield from _comment(f"{key.meaning} ({key.type})" if '"' in key.type else key.meaning)
        if value != usual[key.path]:
            yield from _comment(f"general: {inline(usual[key.path])}")
        yield from reasons.get(key.path, ())
        yield assignment(key.path[-1], value)


def _template(where: KeyPath, foreign: bool, group: Sequence[Key]) -> Iterator[str]:
    """Yield a named table as comments."""
    header = "[[source]]" if where == ("source",) else f"[{dotted(where)}]"
    yield f"# {header}" + ("  # of another program" if foreign else "")
    for key in group:
        value = "..." if key.default is REQUIRED else key.default
        line = f"{key.path[-1]} = {_example(key) if value is None else inline(value)}"
        yield f"# {line}  # {key.meaning}" + (" (needed)" if key.default is REQUIRED else "")


def _example(key: Key) -> str:
    """Return an example value for a key without a default."""
    if key.type.startswith("list"):
        return "[]"
    if '"' in key.type:
        return key.type.split(", ")[0]
    return {TABLE: "{}", "number": "0.0", "true or false": "true"}.get(key.type, '""')


def _comment(text: str) -> Iterator[str]:
    line = "#"
    for word in text.split():
        if len(line) + 1 + len(word) > _WIDTH and line != "#":
            yield line
            line = "#"
        line = f"{line} {word}"
    yield line


def _comments(text: str) -> tuple[list[str], dict[KeyPath, list[str]]]:
    """Return the comments at the top of a preset's file, and those above each key and header."""
    about: list[str] = []
    above: dict[KeyPath, list[str]] = {}
    held: list[str] = []
    for _, paths, line in statements(text):
        if line.startswith("#"):
            held.append(line)
            continue
        if held and not about:
            about = held
        else:
            above.update({path: held for path in paths if held})
        held = []
    return about or held, above


def _at(table: Mapping[str, Any], path: KeyPath) -> Mapping[str, Any]:
    for name in path:
        table = table.get(name, {})
    return table
