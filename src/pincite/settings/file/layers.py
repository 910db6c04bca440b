"""Layers of settings: their origins, their order, and their merged values.

`pincite.toml` may extend a preset (`extends = "evidence"`, or `preset = "evidence"`) or another
file (`extends = "../team.toml"`), which may extend a further one. Tables are merged key by key,
except `prepare.expansions`; all other values replace those below. Paths are relative to their file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from pincite.answering.prompt_files import PromptFolder, read_prompts
from pincite.errors import ConfigError
from pincite.presets import GENERAL, preset_names, preset_table, unknown_preset
from pincite.settings.file.toml_file import line_in, lines_of, parse, read_file
from pincite.settings.index_folder import CONFIG_FILE as CONFIG_FILE

#: The order of precedence, the strongest first. A test compares it with docs/configuration.md.
PRECEDENCE: Final = (
    "an option of the command",
    "an environment variable",
    "`pincite.toml`",
    "the file that it extends, then the one that this extends, and so on",
    "the preset that the last of them extends, or that `--preset` puts in its place",
    "the default",
)
DEFAULT: Final = "default"
PROMPTS: Final = ("answer", "prompts")
#: `https://name:password@host`
_CREDENTIALS = re.compile(r"(?<=://)[^/\s\"@]*@")
_LONGEST = 10  # files in a chain of `extends`
#: Keys that name the preset or file that a file extends.
BELOW: Final = ("extends", "preset")
#: Tables that are replaced as a whole, so that rephrasings of a preset do not remain.
_WHOLE = (("prepare", "expansions"),)
#: Paths of keys whose value is a file path; `*` is any name.
_PATHS = (
    ("store", "key_file"),
    ("collections", "*", "key_file"),
    ("providers", "*", "key_file"),
    ("providers", "*", "tokenizer"),
    ("rerank", "tokenizer"),
    ("source", "*", "path"),
    PROMPTS,
)
#: Those of them that must not lead out of the folder of their file: their texts are sent to a
#: model, and a file from elsewhere must not name files of the user.
_WITHIN = (PROMPTS,)


@dataclass(frozen=True)
class Layer:
    """The values of one origin. `origin` is its name in messages. A file has `file`, `text` and
    `prompts`; a preset has its name in `preset`."""

    origin: str
    table: Mapping[str, Any]
    file: Path | None = None
    text: str = field(default="", repr=False)
    preset: str = ""
    prompts: PromptFolder = field(default_factory=PromptFolder, repr=False)

    @cached_property
    def lines(self) -> Mapping[tuple[str, ...], int]:
        """Return the lines of keys, without those that cannot be determined."""
        return lines_of(self.text)

    def has(self, path: Sequence[str]) -> bool:
        """Return whether the layer sets this key, or another value instead of its table."""
        inner: Any = self.table
        for part in path:
            if isinstance(inner, list) and part.isdecimal() and int(part) <= len(inner):
                inner = inner[int(part) - 1]
            elif not isinstance(inner, Mapping):
                return True
            elif part in inner:
                inner = inner[part]
            else:
                return False
        return True

    def line(self, path: Sequence[str]) -> int | None:
        """Return the line of a key, or of the first key in a table, or of a value that contains the
        key; None if unknown."""
        return line_in(self.lines, path)

    def place(self, path: Sequence[str]) -> str:
        """Return the origin of the layer, with the line of the key if it is known."""
        return self._at_line(self.origin, path)

    def file_place(self, path: Sequence[str]) -> str:
        """Return the place of the key with the full path of the file."""
        return self._at_line(str(self.file or self.origin), path)

    def _at_line(self, name: str, path: Sequence[str]) -> str:
        number = self.line(path)
        return f"{name}:{number}" if number else name


def preset_layer(name: object, origin: str = "") -> Layer:
    """Return the layer of a preset. Raises ConfigError that names `origin`."""
    if not isinstance(name, str) or name not in preset_names():
        said = f"{origin}: {unknown_preset(name)}" if origin else unknown_preset(name)
        hint = 'extends takes the path of a file, such as extends = "./team.toml"' if origin else ""
        raise ConfigError(said, hint=hint)
    return Layer(f"preset {name}", preset_table(name), preset=name)


def read_layers(path: Path) -> tuple[Layer, ...]:
    """Return the layers of a file, of the files that it extends, and of the preset below them, the
    strongest first. Raises ConfigError."""
    layers: list[Layer] = []
    called = str(path)
    while True:
        if any(_same(path, layer.file) for layer in layers):
            chain = " -> ".join(str(layer.file) for layer in layers)
            raise ConfigError(f"files extend each other in a circle: {chain} -> {path}")
        if len(layers) == _LONGEST:
            raise ConfigError(
                f"{layers[0].file}: more than {_LONGEST} files extend each other, up to {path}"
            )
        text = read_file(path)
        table = parse(text, str(path))
        below = {key: table.pop(key) for key in BELOW if key in table}
        table = _with_absolute_paths(table, path)
        layers.append(Layer(called, table, path, text, prompts=_prompts(table)))
        if len(below) > 1:
            (first, one), (second, other) = below.items()
            raise ConfigError(
                f"{first} = {shown(one)} ({layers[-1].place((first,))}) and {second} ="
                f" {shown(other)} ({layers[-1].place((second,))}) exclude each other: a file"
                " extends one thing",
                hint=f"remove {second}, the older way to extend a preset",
                keys=BELOW,
            )
        key, given = next(iter(below.items()), ("preset", GENERAL))
        if key == "preset" or given in preset_names() or not _is_path(given):
            return (*layers, preset_layer(given, _where(path, key, given)))
        path = _found(path.parent, given, _where(path, key, given))
        called = f"extends {given}"


def named_layers(name: str, folder: Path) -> tuple[Layer, ...]:
    """Return the layers of a preset, or of a file in `folder`. Raises ConfigError."""
    if name in preset_names() or not _is_path(name):
        return (preset_layer(name),)
    return read_layers(_found(folder, name, name))


def merged(layers: Iterable[Layer]) -> dict[str, Any]:
    """Return one table of all layers; earlier layers override later ones."""
    table: dict[str, Any] = {}
    for layer in reversed(tuple(layers)):
        table = _over(table, layer.table)
    return table


def value_at(table: Mapping[str, Any], path: Sequence[str], default: object = None) -> object:
    """Return the value at a path, or the default."""
    inner: Any = table
    for part in path:
        if not isinstance(inner, Mapping) or part not in inner:
            return default
        inner = inner[part]
    return inner


def place_of(layers: Iterable[Layer], path: Sequence[str]) -> str:
    """Return the place that sets the effective value of a key, or "default"."""
    layer = layer_of(layers, path)
    return DEFAULT if layer is None else layer.place(path)


def layer_of(layers: Iterable[Layer], path: Sequence[str]) -> Layer | None:
    """Return the layer that sets the effective value of a key; None for the default."""
    return next((layer for layer in layers if layer.has(path)), None)


def prompts_in(layers: Iterable[Layer]) -> PromptFolder:
    """Return the effective prompts."""
    layer = layer_of(layers, PROMPTS)
    return PromptFolder() if layer is None else layer.prompts


def with_preset(layers: Sequence[Layer], name: str) -> tuple[Layer, ...]:
    """Return the layers with another preset below them. Raises ConfigError."""
    return (*(layer for layer in layers if not layer.preset), preset_layer(name))


def located(
    error: ConfigError,
    layers: Sequence[Layer],
    origin: str,
    default: Callable[[str], object],
    read: Callable[[Layer], object],
) -> ConfigError:
    """Return an error of merged layers with the places of its keys: the value and place of each key
    that contradicts another, or the place of a wrong key; otherwise the error of the single layer
    that has the same one. `origin` is the name of the whole in the message, `default` returns the
    default of a key, and `read` reads one layer."""
    message = error.message.removeprefix(f"{origin}: ")
    if error.keys:
        table = merged(layers)
        told = " and ".join(
            f"{key} = {shown(value_at(table, path, default(key)))} ({place_of(layers, path)})"
            for key, path in ((key, key.split(".")) for key in error.keys)
        )
        return ConfigError(f"{told}: {message}", hint=error.hint, keys=error.keys)
    if error.at and (layer := layer_of(layers, error.at)) is not None:
        said = f"{layer.file_place(error.at)}: {message}"
        return ConfigError(said, hint=error.hint, at=error.at)
    if sum(layer.file is not None for layer in layers) > 1:
        for layer in layers:
            try:
                read(layer)
            except ConfigError as its_own:
                if its_own.message.replace(str(layer.file), origin) == error.message:
                    return its_own
    return error


def shown(value: object) -> str:
    """Return a value as TOML, without passwords in addresses, with at most 200 characters."""
    from pincite.settings.file.toml_text import inline

    text = _CREDENTIALS.sub("...@", inline(value))
    return text if len(text) <= 200 else f"{text[:200]}..."


def _over(
    below: Mapping[str, Any], above: Mapping[str, Any], path: tuple[str, ...] = ()
) -> dict[str, Any]:
    table = dict(below)
    for key, value in above.items():
        here, known = (*path, key), table.get(key)
        if isinstance(value, Mapping):
            kept = known if isinstance(known, Mapping) and here not in _WHOLE else {}
            table[key] = _over(kept, value, here)
        else:
            table[key] = value
    return table


def _prompts(table: Mapping[str, Any]) -> PromptFolder:
    """Return the prompts of a file. They are read with the file, because trust covers both."""
    folder = value_at(table, PROMPTS)
    return read_prompts(folder) if isinstance(folder, str) else PromptFolder()


def _is_path(given: object) -> bool:
    return isinstance(given, str) and (
        given.endswith(".toml") or given.startswith("~") or "/" in given
    )


def _where(path: Path, key: str, given: object) -> str:
    return str(path) if key == "preset" else f"{path}: extends = {shown(given)}"


def _found(folder: Path, given: str, said: str) -> Path:
    """Return the named file, with the resolved path of its folder. Raises ConfigError."""
    try:
        path = folder / Path(given).expanduser()
        if path.is_file():
            return path.parent.resolve() / path.name
        there = path.exists()
    except (OSError, RuntimeError, ValueError) as error:  # too long, an unknown user, a NUL
        raise ConfigError(f"{said}: {error}") from error
    raise ConfigError(f"{said}: " + (f"{path} is not a file" if there else f"no file {path}"))


def _same(path: Path, other: Path | None) -> bool:
    return other is not None and path.exists() and path.samefile(other)


def _with_absolute_paths(table: dict[str, Any], path: Path) -> dict[str, Any]:
    for keys in _PATHS:
        _make_absolute(table, keys, path)
    for keys in _WITHIN:
        _check_within(value_at(table, keys), keys, path)
    return table


def _check_within(given: object, keys: Sequence[str], path: Path) -> None:
    """Raise ConfigError if a folder is outside of the folder of the file, after resolving links."""
    if not isinstance(given, str) or not given:
        return
    try:
        inside = Path(given).resolve().is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigError(f"{path}: {'.'.join(keys)} = {shown(given)}: {error}") from error
    if not inside:
        raise ConfigError(
            f"{path}: {'.'.join(keys)} = {shown(given)} is outside of {path.parent}",
            hint="name a folder next to the file, or a folder in it",
        )


def _make_absolute(table: Any, keys: Sequence[str], path: Path) -> None:
    first, *rest = keys
    inside: list[tuple[Any, Any]]
    if isinstance(table, list):
        inside = list(enumerate(table)) if first == "*" else []
    elif isinstance(table, dict):
        inside = list(table.items()) if first == "*" else [(first, table.get(first))]
    else:
        return
    for key, value in inside:
        if rest:
            _make_absolute(value, rest, path)
        elif isinstance(value, str) and value:
            try:
                table[key] = str((path.parent / Path(value).expanduser()).absolute())
            except RuntimeError as error:
                raise ConfigError(f"{path}: {'.'.join(keys)} = {shown(value)}: {error}") from error
