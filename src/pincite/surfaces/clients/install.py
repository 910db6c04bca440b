"""Add Pincite's server to a client's configuration, and remove it again."""

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
    """A planned change of a file. `after` is the new content, None to delete the file. `keeps`: the
    current content is stored in a backup. `restores`: `after` is the content of the backup, which
    is deleted. `below` is the folder in which folders that become empty are deleted."""

    file: File
    after: bytes | None
    keeps: bool = False
    restores: bool = False
    below: Path | None = None

    @property
    def is_one(self) -> bool:
        """Return whether anything changes."""
        return self.after != self.file.raw

    @property
    def diff(self) -> str:
        """Return the changed lines."""
        before, after = (_lines(raw) for raw in (self.file.raw, self.after))
        name = str(self.file.path)
        return "".join(unified_diff(before, after, name, name, lineterm="\n"))


def server_entry(client: Client, command: Sequence[str]) -> dict[str, Any]:
    """Return the entry for the client's configuration that starts the server."""
    return {**client.extra, "command": command[0], "args": list(command[1:])}


def install(
    client: Client, places: Places, where: Where, name: str, command: Sequence[str], *, force: bool
) -> Change:
    """Return the change that adds our server to the client's file. Nothing is written. Raises
    UsageError if the client is not installed, or if another server has this name, unless `force`;
    ConfigError for an invalid file, SourceError for one that cannot be read."""
    file = _read(_file_of(client, places, where), places, where, force=force)
    if where == "user" and not force:
        _require_client(client, places, file)
    held = _entry(client, file, name)
    if held is not None and not is_ours(held) and not force:
        raise UsageError(
            f"{file.path} already has another server named {name!r}",
            hint="use --name for another name, or --force to replace it",
        )
    wanted = server_entry(client, command)
    merged = {**held, **wanted} if isinstance(held, Mapping) and is_ours(held) else wanted
    after = _with_entry(client, file, name, merged)
    return Change(file, after, keeps=file.raw is not None and held is None and after != file.raw)


def uninstall(client: Client, places: Places, where: Where, name: str, *, force: bool) -> Change:
    """Return the change that removes our server from the client's file. If nothing else has
    changed, this restores the earlier file byte for byte. Nothing is written. Raises the errors of
    `install`."""
    file = _read(_file_of(client, places, where), places, where, force=force)
    held = _entry(client, file, name)
    if held is None:
        return Change(file, file.raw)
    if not is_ours(held) and not force:
        raise UsageError(
            f"the server {name!r} in {file.path} belongs to another program",
            hint="--force to remove it",
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
    """Return the change that adds our rules to the client's file of rules, None if it has no such
    file. Nothing is written. Raises UsageError, SourceError."""
    rules = client.rules(places, where)
    if rules is None:
        return None
    file = _read(rules.path, places, where, force=force)
    if rules.header and file.raw is not None and "<!-- pincite:begin" not in file.text:
        raise UsageError(f"{file.path} exists and was not written by Pincite: nothing was written")
    return Change(file, with_rules(file.text, rules).encode())


def uninstall_rules(
    client: Client, places: Places, where: Where, *, force: bool = False
) -> Change | None:
    """Return the change that removes our rules, None if there are none. Nothing is written. Raises
    UsageError, SourceError."""
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
    """Write a change. Raises SourceError, and then leaves the file unchanged."""
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
    """Return whether this entry starts `pincite mcp`, directly or through uvx."""
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
        raise UsageError(f"{client.title} has no project configuration", hint="--scope user")
    return path


def _read(path: Path, places: Places, where: Where, *, force: bool) -> File:
    """Read the file. Raises UsageError if a file of a project is a link that leads out of it, as
    the project may be from somebody else."""
    file = files.read(path)
    if where == "project" and not force:
        top = places.project.resolve()
        if not file.place.is_relative_to(top):
            raise UsageError(
                f"{path} is a link to {file.place}, outside of {top}: nothing was written",
                hint="--force to write there",
            )
    return file


def _require_client(client: Client, places: Places, file: File) -> None:
    folder = client.folder(places)
    if file.raw is None and not folder.is_dir():
        raise UsageError(
            f"{client.title} does not seem to be installed: neither {folder} nor {file.path}"
            " exists",
            hint="--force to write the file anyway",
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
        hint="fix the file, then run the same command again",
    )


def _entry(client: Client, file: File, name: str) -> Any:
    """Return the entry with this name, None if there is none."""
    data = _parsed(client, file)
    servers = data.get(client.root) if isinstance(data, Mapping) else None
    if servers is not None and not isinstance(servers, Mapping):
        raise ConfigError(
            f"{client.root} in {file.path} is a {type(servers).__name__}, not a table of"
            " servers: nothing was written",
            hint="fix the file, then run the same command again",
        )
    return servers.get(name) if isinstance(servers, Mapping) else None


def _with_entry(client: Client, file: File, name: str, entry: Mapping[str, Any]) -> bytes:
    """Return the file with this entry added and everything else unchanged."""
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
    """Return the text with the entry. An existing entry is changed value by value, which keeps its
    comments."""
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
    """Return the file without this entry, and without the object that was created for it."""
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
    """Return whether the file is the content of the backup with only our entry added."""
    old = File(file.path, file.place, before)
    try:
        return _entry(client, old, name) is None and file.raw == _with_entry(
            client, old, name, held
        )
    except (ConfigError, UsageError):
        return False


def _require_says(client: Client, file: File, text: str, data: Mapping[str, Any]) -> None:
    """Raise ConfigError unless the text has this content. Otherwise, the file has a form that the
    editing code does not support."""
    after = File(file.path, file.place, text.encode())
    if _parsed(client, after) != data:
        raise ConfigError(
            f"{file.path} cannot be changed without touching other settings: nothing was written",
            hint=f"add the server {client.root} by hand (--dry-run shows the entry)",
        )


def _lines(raw: bytes | None) -> list[str]:
    text = (raw or b"").decode("utf-8", "replace")
    lines = text.splitlines(keepends=True)
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]
