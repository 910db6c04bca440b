"""The manifest of a cached model folder, and the check of its files against it.

A folder contains `model.onnx`, `tokenizer.json` and `manifest.json`, nothing else. The folder is
renamed into place after all three are written, so a folder with a manifest was once complete.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from pincite.errors import ModelUnavailable
from pincite.providers.bundled.known_models import PinnedFile
from pincite.support.decodable import ready

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1  #: raise it when the conversion or this file changes: old folders are then refetched
GRAPH, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "manifest.json"
INPUT, OUTPUT = "ids", "vector"  # names in the graph, see `onnx_bert`


class Manifest(msgspec.Struct, frozen=True):
    """The content of `manifest.json`. `graph` and `tokenizer` are the files of this folder;
    `weights_sha256` is the hash of the published weights that the graph was converted from,
    `source` their origin and `fetched_at` the time (ISO 8601, UTC). The prefixes go before every
    query and document."""

    format: int
    name: str
    precision: str
    dimensions: int
    max_pieces: int
    languages: tuple[str, ...]
    licence: str
    source: str
    fetched_at: str
    weights_sha256: str
    graph: PinnedFile
    tokenizer: PinnedFile
    query_prefix: str = ""
    document_prefix: str = ""

    @property
    def fingerprint(self) -> str:
        """Return `model/precision/start of the graph's SHA-256/pieces`."""
        return f"{self.name}/{self.precision}/{self.graph.sha256[:12]}/{self.max_pieces}"


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest. Raises ModelUnavailable if there is none or it is invalid."""
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=ready(Manifest))
    except (OSError, msgspec.MsgspecError) as error:
        raise ModelUnavailable(
            f"{path} cannot be read: {error}", hint="pincite models fetch"
        ) from error


def write_manifest(manifest: Manifest, folder: Path) -> None:
    """Write the manifest, indented so that people can read it."""
    (folder / MANIFEST).write_bytes(msgspec.json.format(msgspec.json.encode(manifest)))


def find_damage(manifest: Manifest, folder: Path, *, hashes: bool) -> str:
    """Return what is wrong with the files beside the manifest, or "".

    Sizes are always compared (microseconds); `hashes` also reads the files (about 20 ms).
    """
    for file in (manifest.graph, manifest.tokenizer):
        path = folder / file.name
        size = path.stat().st_size if path.is_file() else -1
        if size < 0:
            return f"{file.name} is missing"
        if size != file.size:
            return f"{file.name} has {size} bytes, not {file.size}"
        if hashes and (found := sha256_of(path)) != file.sha256:
            return f"{file.name} has SHA-256 {found}, not {file.sha256}"
    return ""


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
