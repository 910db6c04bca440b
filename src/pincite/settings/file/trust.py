"""Trust in a `pincite.toml` that was found, not named: list the settings that need consent.

A file beside an index may be from somebody else, as in a checkout. Its settings for ranking are
harmless. Settings that reach outside of its folder are not: models and servers, to which texts and
keys are sent, files elsewhere, and texts that instruct a model or that it reads outside of
quotations. A file with such settings is used only if a person has trusted it. Then a hash is stored
of its text, of the files that it extends, and of its prompts. If one of these changes, the file
must be trusted again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from pincite.errors import UntrustedConfig
from pincite.settings.file.layers import PROMPTS, Layer, merged, prompts_in, shown
from pincite.sources.git_ignored import GitIgnored
from pincite.sources.kinds import SHOWN_HIDDEN_FOLDERS
from pincite.support.terminal import one_line
from pincite.support.trusted_files import trusted_digest

_MOST_NAMED: Final = 8  # claims in a message
_NO_PROMPTS: Final = "-"  # in a digest: the file names a folder without prompts
_SENT: Final = "a model that texts are sent to, or that is read from files"
_OPENS: Final = "a library that opens a database in the index folder"
_OUTSIDE: Final = "a path outside of the folder"
_HIDDEN: Final = "hidden files are read, which often contain keys"
_SINGLE: Final = "a single file, which is read even if git ignores it"
_IGNORED: Final = "files that git ignores are read, which often contain keys"
_UNJUDGED: Final = "git may ignore it: the ignore files are too large, or the sources too many"
_OURS: Final = re.compile(r"(?:bundled(?::[a-z0-9-]+)?)?")  # models that come with Pincite
#: Keys that need trust whatever their value; `*` is any name.
_ALWAYS: Final = {
    ("store", "url"): "a server",
    ("store", "key_file"): "a file with a key",
    ("collections", "*", "qdrant"): "a collection on a server",
    ("collections", "*", "url"): "a server",
    ("collections", "*", "key_file"): "a file with a key",
    ("providers", "*"): "a provider",
    ("workspace", "database"): "where users and their keys are kept",
    ("workspace", "operator"): "a server",
    ("workspace", "owner"): "a server",
    ("workspace", "files"): "where uploaded files are kept",
    ("workspace", "s3"): "a server that uploaded files are sent to",
    ("workspace", "oidc"): "who may sign in",
    ("memory", "path"): "where facts about users are kept",
    PROMPTS: "instructions for a model",
    ("answer", "sentence"): "words that answers show as Pincite's own",
    ("rerank", "instruction"): "instructions for a model",
    ("rerank", "corpus"): "words in instructions for a model",
    ("corpus", "*"): "words in instructions for a model",
    ("tracing", "enabled"): "times and counts are sent to a collector",
    ("tracing", "texts"): "questions are sent to a collector",
    ("source", "*", "descriptions"): "words that models read outside of quotations",
}
_MODELS: Final = (
    *((("models", name)) for name in ("dense", "rerank", "llm", "vision")),
    ("memory", "dense"),
    ("collections", "*", "dense"),
    ("collections", "*", "model"),
)
_SERVERS: Final = ("qdrant", "chroma")


class Claim(NamedTuple):
    """A setting that needs trust: its key, its value as TOML, the reason, and, for a path, the
    resolved path."""

    key: str
    value: str
    why: str
    real: str = ""


def claims_of(layers: Sequence[Layer]) -> tuple[Claim, ...]:
    """Return the settings that need trust in a file and in the files that it extends, sorted by
    key."""
    files = [layer for layer in layers if layer.file is not None]
    if not files or files[0].file is None:
        return ()
    folder = files[0].file.parent
    table = merged(files)
    found = [*_claims(table, folder), *_server_of(layers)]
    found += [
        Claim("extends", shown(str(layer.file)), "a file outside of the folder")
        for layer in files[1:]
        if layer.file is not None and not _inside(layer.file, folder)
    ]
    return tuple(sorted(dict.fromkeys(found)))


def _server_of(layers: Sequence[Layer]) -> Iterator[Claim]:
    """Yield the kind of store if it needs trust, also if only the extended preset sets it: the
    address of the server may come from the environment."""
    known = [layer for layer in layers if layer.file is not None or layer.preset]
    store = merged(known).get("store")
    kind = _of(store, "kind")
    if kind == "chroma" and not _of(store, "url"):
        yield Claim("store.kind", shown(kind), _OPENS)
    elif kind in _SERVERS:
        yield Claim("store.kind", shown(kind), "a server")


def _claims(table: Mapping[str, Any], folder: Path) -> Iterator[Claim]:
    for path, why in _ALWAYS.items():
        for key, value in _at(table, path):
            if value not in ("", {}, [], False):
                yield Claim(key, shown(value), why)
    for path in _MODELS:
        for key, value in _at(table, path):
            if not _OURS.fullmatch(str(value)):
                yield Claim(key, shown(value), _SENT)
    for key, value in _at(table, ("rerank", "tokenizer")):
        if isinstance(value, str) and value and not _inside(Path(value), folder):
            yield Claim(key, shown(value), _OUTSIDE, _real(folder, value))
    yield from _claims_of_sources(table, folder)
    if _of(table.get("memory"), "kind") == "mem0":
        yield Claim("memory.kind", '"mem0"', "a library that sends texts to models")


def _claims_of_sources(table: Mapping[str, Any], folder: Path) -> Iterator[Claim]:
    """Yield the paths of sources that lead out of the folder or that git ignores, and the file
    types of sources whose path has a hidden name, such as `.env`, or is a single file. Hidden and
    ignored files often contain keys, and a run over the folder around them does not read them."""
    top = folder.resolve()
    ignored = GitIgnored(top)
    for key, source in _at(table, ("source", "*")):
        given, path = _of(source, "file_types"), _of(source, "path")
        if not isinstance(path, str) or not path:
            continue
        real = Path(_real(folder, path))
        answer = ignored.has(real)
        if path.startswith("~") or not real.is_relative_to(top):
            yield Claim(f"{key}.path", shown(path), _OUTSIDE, str(real))
        elif answer is not False:
            why = _IGNORED if answer else _UNJUDGED
            yield Claim(f"{key}.path", shown(path), why, str(real))
        if given and any(map(_has_hidden_name, ((folder / path, folder), (real, top)))):
            yield Claim(f"{key}.file_types", shown(given), _HIDDEN)
        elif given and not answer and real.is_file():
            yield Claim(f"{key}.file_types", shown(given), _SINGLE)


def _has_hidden_name(at: tuple[Path, Path]) -> bool:
    place, folder = at
    parts = place.relative_to(folder).parts if place.is_relative_to(folder) else ()
    return any(part[0] == "." and part not in SHOWN_HIDDEN_FOLDERS for part in parts)


def _of(table: object, name: str) -> object:
    return table.get(name) if isinstance(table, Mapping) else None


def _at(table: object, path: Sequence[str], done: str = "") -> Iterator[tuple[str, object]]:
    """Yield the values at a path, each after its dotted name. Entries of lists count from 1."""
    if not path:
        yield done, table
        return
    first, rest = path[0], path[1:]
    inside: list[tuple[str, object]] = []
    if isinstance(table, Mapping):
        named = [(first, table[first])] if first in table else []
        inside = [*table.items()] if first == "*" else named
    elif isinstance(table, list) and first == "*":
        inside = [(str(number), one) for number, one in enumerate(table, 1)]
    for name, value in inside:
        yield from _at(value, rest, f"{done}.{name}" if done else str(name))


def _inside(path: Path, folder: Path) -> bool:
    """Return whether a path is in the folder, after resolving links."""
    if str(path).startswith("~"):
        return False
    try:
        return (folder / path).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def digest_of(layers: Sequence[Layer], claims: Sequence[Claim]) -> str:
    """Return the digest that is stored for a trusted file: a hash of the texts that were read, and
    of resolved paths. The files themselves may have changed since. If the file names a folder of
    prompts, their hashes follow, by name."""
    digest = hashlib.sha256()
    for layer in layers:
        if layer.file is not None:
            for part in (str(layer.file), layer.text):
                raw = part.encode(errors="surrogateescape")
                digest.update(len(raw).to_bytes(8, "big") + raw)
    for claim in claims:
        digest.update(f"{claim.key}\0{claim.real}\0".encode(errors="surrogateescape"))
    prompts = prompts_in(layers)
    named = [f"{name}={of}" for name, of in prompts.hashes().items()]
    return " ".join((digest.hexdigest(), *(named or [_NO_PROMPTS] * bool(prompts.folder))))


def _changed_prompts(known: str, digest: str) -> Mapping[str, Sequence[str]]:
    """Return the names of the prompts that were added, changed and removed, under these words."""
    old, new = (
        dict(one.split("=", 1) for one in text.split(" ") if "=" in one) for text in (known, digest)
    )
    changed = {
        "added": sorted(new.keys() - old.keys()),
        "changed": sorted(name for name in old.keys() & new.keys() if old[name] != new[name]),
        "removed": sorted(old.keys() - new.keys()),
    }
    return {how: names for how, names in changed.items() if names}


def _real(folder: Path, value: str) -> str:
    with suppress(OSError, RuntimeError, ValueError):
        return str((folder / value).resolve())
    return value


def require_trust(layers: Sequence[Layer], config: Path | None) -> None:
    """Raise UntrustedConfig if a file has settings that need trust, and is not trusted."""
    if config is None:
        return
    claims = claims_of(layers)
    if not claims:
        return
    digest = digest_of(layers, claims)
    known = trusted_digest(config)
    if known == digest:
        return
    named = [f"{one.key} = {one.value} ({one.why})" for one in claims[:_MOST_NAMED]]
    if len(claims) > _MOST_NAMED:
        named.append(f"and {len(claims) - _MOST_NAMED} more")
    state, do, why = _asked(layers, config, known, digest)
    if why:
        why = f"{_ALWAYS[PROMPTS]}; {why}"
        claims = tuple(one._replace(why=why) if _is_prompts(one) else one for one in claims)
    raise UntrustedConfig(
        one_line(f"{state} {'; '.join(named)}"),
        hint=f"{do}: pincite trust {one_line(str(config))}",
        config=str(config),
        digest=digest,
        claims=claims,
    )


def _asked(
    layers: Sequence[Layer], config: Path, known: str | None, digest: str
) -> tuple[str, str, str]:
    """Return the reason why trust is needed, what to do first, and the changed prompts; all as
    parts of messages."""
    do = "read the file, then"
    if not known:
        return f"{config} is not trusted, and it sets", do, ""
    prompts = prompts_in(layers)
    same = known.split(" ")[0] == digest.split(" ")[0]
    if prompts.folder and " " not in known:  # stored by a version that ignored prompts
        changed = "" if same else "it has changed, or "
        state = f"{config} must be trusted again: {changed}trust covers its prompts now. It sets"
        return state, f"read {'its' if same else 'the file and its'} prompts, then", ""
    found = _changed_prompts(known, digest)
    if not same or not found:
        return f"{config} has changed since it was trusted, and it sets", do, ""
    told = [
        f"{', '.join(str(prompts.file(name)) for name in names)}"
        f" {'was' if len(names) == 1 else 'were'} {how}"
        for how, names in found.items()
    ]
    to_read = [name for how, names in found.items() if how != "removed" for name in names]
    those = "that prompt" if len(to_read or found["removed"]) == 1 else "those prompts"
    do = f"read {those}, then" if to_read else f"restore {those}, or"
    return (
        f"{' and '.join(told)} since {config} was trusted, which sets",
        do,
        "; ".join(f"{how}: {', '.join(names)}" for how, names in found.items()),
    )


def _is_prompts(claim: Claim) -> bool:
    return claim.key == ".".join(PROMPTS)
