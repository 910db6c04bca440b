"""Pincite's server goes into a client's configuration, and out of it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path, PureWindowsPath
from typing import Any

from pincite.errors import ConfigError, UsageError
from pincite.surfaces.clients import files, jsonc, toml_table
from pincite.surfaces.clients.files import File
from pincite.surfaces.clients.known import Client, Places, Where
from pincite.surfaces.clients.rules import with_rules, without_rules


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of a file: `after` stands in place of what it has, None removes it.
    `keeps` says that what it has now is kept beside it, `restores` that what was kept comes back,
    `below` which folder's folders that were made for it go with it.
    """

    file: File
    after: bytes | None
    keeps: bool = False
    restores: bool = False
    below: Path | None = None

    @property
    def is_one(self) -> bool:
        """Does it change anything?"""
        return self.after != self.file.raw

    @property
    def diff(self) -> str:
        """The lines that change."""
        before, after = (_lines(raw) for raw in (self.file.raw, self.after))
        name = str(self.file.path)
        return "".join(unified_diff(before, after, name, name, lineterm="\n"))


def server_entry(client: Client, command: Sequence[str]) -> dict[str, Any]:
    """How the client starts the server."""
    return {**client.extra, "command": command[0], "args": list(command[1:])}


def install(
    client: Client, places: Places, where: Where, name: str, command: Sequence[str], *, force: bool
) -> Change:
    """The client's file with our server in it. Nothing is written. Raises UsageError for a client
    that is not there or a server of this name that is another program's, unless `force` is given,
    ConfigError for a file that is broken, SourceError for one that cannot be read."""
    file = _read(_file_of(client, places, where), places, where, force=force)
    if where == "user" and not force:
        _require_client(client, places, file)
    held = _entry(client, file, name)
    if held is not None and not is_ours(held) and not force:
        raise UsageError(
            f"{file.path} has another server that is called {name!r}",
            hint="--name another, or --force to put this one in its place",
        )
    wanted = server_entry(client, command)
    merged = {**held, **wanted} if isinstance(held, Mapping) and is_ours(held) else wanted
    after = _with_entry(client, file, name, merged)
    return Change(file, after, keeps=file.raw is not None and held is None and after != file.raw)


def uninstall(client: Client, places: Places, where: Where, name: str, *, force: bool) -> Change:
    """The client's file without our server: byte for byte what it was where nothing else has been
    changed since. Nothing is written. Raises as `install`."""
    file = _read(_file_of(client, places, where), places, where, force=force)
    held = _entry(client, file, name)
    if held is None:
        return Change(file, file.raw)
    if not is_ours(held) and not force:
        raise UsageError(
            f"the server {name!r} in {file.path} is another program's", hint="--force to remove it"
        )
    before = files.kept(file)
    if before is not None and _is_all_ours(client, file, before, name, held):
        return Change(file, before, restores=True)
    empty = File(file.path, file.place, None)
    if before is None and file.raw == _with_entry(client, empty, name, held):
        below = places.project.resolve() if where == "project" else None
        return Change(file, None, below=below)
    return Change(file, _without_entry(client, file, before, name))


def install_rules(
    client: Client, places: Places, where: Where, *, force: bool = False
) -> Change | None:
    """The client's rules with ours, None if it reads none from a file. Nothing is written."""
    rules = client.rules(places, where)
    if rules is None:
        return None
    file = _read(rules.path, places, where, force=force)
    if rules.header and file.raw is not None and "<!-- pincite:begin" not in file.text:
        raise UsageError(f"{file.path} is there and not ours: nothing was written")
    return Change(file, with_rules(file.text, rules).encode())


def uninstall_rules(
    client: Client, places: Places, where: Where, *, force: bool = False
) -> Change | None:
    """The client's rules without ours, None if there are none. Nothing is written."""
    rules = client.rules(places, where)
    if rules is None:
        return None
    file = _read(rules.path, places, where, force=force)
    if file.raw is None:
        return None
    left = without_rules(file.text, rules)
    if left == file.text:
        return None
    below = places.project.resolve() if where == "project" else None
    if below is None and rules.header:
        below = file.place.parent.parent  # the folder of a skill has its name
    return Change(file, left.encode() or None, below=below)


def apply(change: Change) -> None:
    """Write what is to be. Raises SourceError; then the file is as it was."""
    if not change.is_one:
        return
    if change.after is None:
        files.delete(change.file, below=change.below)
        return
    if change.keeps:
        files.keep(change.file)
    files.write(change.file, change.after)
    if change.restores:
        files.forget(change.file)


def is_ours(entry: object) -> bool:
    """Does this entry start `pincite mcp`, itself or by way of uvx?"""
    if not isinstance(entry, Mapping):
        return False
    command, args = entry.get("command"), entry.get("args")
    if not isinstance(command, str) or not isinstance(args, list):
        return False
    program = PureWindowsPath(command).name.lower().removesuffix(".exe")
    if program == "pincite":
        return args[:1] == ["mcp"]
    at = args.index("pincite") if program in ("uvx", "uv") and "pincite" in args else -1
    return at >= 0 and args[at + 1 : at + 2] == ["mcp"]


def _file_of(client: Client, places: Places, where: Where) -> Path:
    path = client.file(places, where)
    if path is None:
        raise UsageError(f"{client.title} has no configuration of projects", hint="--scope user")
    return path


def _read(path: Path, places: Places, where: Where, *, force: bool) -> File:
    """The file. One of a project, which others may have written, does not lead out of it."""
    file = files.read(path)
    if where == "project" and not force:
        top = places.project.resolve()
        if not file.place.is_relative_to(top):
            raise UsageError(
                f"{path} is a link out of {top}, to {file.place}: nothing was written",
                hint="--force to write there",
            )
    return file


def _require_client(client: Client, places: Places, file: File) -> None:
    folder = client.folder(places)
    if file.raw is None and not folder.is_dir():
        raise UsageError(
            f"{client.title} does not seem to be installed: there is neither {folder} nor"
            f" {file.path}",
            hint="--force to write the file all the same",
        )


def _parsed(client: Client, file: File) -> Any:
    text = file.text
    try:
        if client.toml:
            return toml_table.parse(text)
        return jsonc.parse(text).data if text.strip("\ufeff \t\r\n") else {}
    except jsonc.Malformed as error:
        raise _refused(file, error) from error


def _refused(file: File, error: jsonc.Malformed) -> ConfigError:
    return ConfigError(
        f"{file.path}, line {error.line}: {error.said}: nothing was written",
        hint="fix the file, and run the same command again",
    )


def _entry(client: Client, file: File, name: str) -> Any:
    """The server of this name, None if there is none."""
    data = _parsed(client, file)
    servers = data.get(client.root) if isinstance(data, Mapping) else None
    if servers is not None and not isinstance(servers, Mapping):
        raise ConfigError(
            f"{client.root} in {file.path} is {type(servers).__name__} and holds no servers:"
            " nothing was written",
            hint="fix the file, and run the same command again",
        )
    return servers.get(name) if isinstance(servers, Mapping) else None


def _with_entry(client: Client, file: File, name: str, entry: Mapping[str, Any]) -> bytes:
    """The file with this entry: it says that and what it said, and nothing else."""
    text, path = file.text, (client.root, name)
    try:
        if client.toml:
            after = toml_table.set_value(text, path, entry)
        elif not text.strip("\ufeff \t\r\n"):
            end = jsonc.newline_of(text)
            after = text.rstrip(" \t\r\n") + jsonc.set_value("{}" + end, path, entry)
        else:
            after = _set_parts(text, path, entry)
    except jsonc.Malformed as error:
        raise _refused(file, error) from error
    data = dict(_parsed(client, file))
    data[client.root] = {**data.get(client.root, {}), name: dict(entry)}
    _require_says(client, file, after, data)
    return after.encode()


def _set_parts(text: str, path: Sequence[str], entry: Mapping[str, Any]) -> str:
    """An entry that is there is changed part by part, so that comments in it stay."""
    node: jsonc.Node | None = jsonc.parse(text)
    for key in path:
        member = node.member(key) if node else None
        node = member.value if member else None
    if node is None or not node.is_object or not set(node.data) <= set(entry):
        return jsonc.set_value(text, path, entry)
    for key, value in entry.items():
        text = jsonc.set_value(text, (*path, key), value)
    return text


def _without_entry(client: Client, file: File, before: bytes | None, name: str) -> bytes:
    """The file without this entry, and without the object that was made for it."""
    data = dict(_parsed(client, file))
    data[client.root] = {key: held for key, held in data[client.root].items() if key != name}
    path: tuple[str, ...] = (client.root, name)
    was = _parsed(client, File(file.path, file.place, before)) if before is not None else {}
    if not data[client.root] and client.root not in was:
        del data[client.root]
        path = (client.root,)
    try:
        if client.toml:
            after = toml_table.remove(file.text, (client.root, name))
            data = toml_table.parse(after) if not data.get(client.root) else data
        else:
            after = jsonc.remove(file.text, path)
    except jsonc.Malformed as error:
        raise _refused(file, error) from error
    _require_says(client, file, after, data)
    return after.encode()


def _is_all_ours(
    client: Client, file: File, before: bytes, name: str, held: Mapping[str, Any]
) -> bool:
    """Is the file what was kept, with our entry and nothing else?"""
    old = File(file.path, file.place, before)
    try:
        return _entry(client, old, name) is None and file.raw == _with_entry(
            client, old, name, held
        )
    except (ConfigError, UsageError):
        return False


def _require_says(client: Client, file: File, text: str, data: Mapping[str, Any]) -> None:
    """Raises ConfigError where the text would not say this: then its writer met a form of the file
    that it does not understand."""
    after = File(file.path, file.place, text.encode())
    if _parsed(client, after) != data:
        raise ConfigError(
            f"{file.path} cannot be changed without touching the rest: nothing was written",
            hint=f"put the server {client.root} into it by hand (--dry-run shows the entry)",
        )


def _lines(raw: bytes | None) -> list[str]:
    text = (raw or b"").decode("utf-8", "replace")
    lines = text.splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
