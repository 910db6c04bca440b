"""The cache of models, read: what is there, is it whole, remove it.

A model is a folder `root/NAME` (see `manifest`), or one of the same form in the installed package
`pincite-model`, which is looked at where `root` has none that is ready. Nothing here reads more
than a manifest unless it says so, and nothing of the package is imported.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pincite.errors import ModelUnavailable, UsageError
from pincite.providers.bundled.known_models import KNOWN_MODELS, KnownModel
from pincite.providers.bundled.manifest import FORMAT, find_damage, read_manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

ModelState = Literal["absent", "ready", "damaged"]

# As small and fast as int8 and within 0.2 points of nDCG@10, and its vectors are the same on all
# processors: int8 ones differ (cosine 0.992) between those with and without VNNI. Measured in
# docs/decisions/0002-bundled-model.md.
PRECISION: Literal["int7"] = "int7"

PACKAGE = "pincite_model"  #: the folder of the distribution `pincite-model`


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """A known model in a cache. `size` counts the bytes of its folder; `path` is None where
    there is none; `problem` says why it is damaged."""

    name: str
    state: ModelState
    size: int = 0
    path: Path | None = None
    source: str = ""
    problem: str = ""


def default_root() -> Path:
    """The folder `models` in the user's cache folder for Pincite."""
    import platformdirs

    return platformdirs.user_cache_path("pincite") / "models"


def list_models(
    root: Path, *, catalog: Mapping[str, KnownModel] = KNOWN_MODELS
) -> tuple[ModelStatus, ...]:
    """All known models by name. Compares sizes only; `verify` reads the files."""
    return tuple(status_of(model, root, hashes=False) for _, model in sorted(catalog.items()))


def verify(
    name: str, root: Path, *, catalog: Mapping[str, KnownModel] = KNOWN_MODELS
) -> ModelStatus:
    """Hash the files of a model again. Raises UsageError for an unknown name."""
    return status_of(known(name, catalog), root, hashes=True)


def find(name: str, root: Path, *, catalog: Mapping[str, KnownModel] = KNOWN_MODELS) -> Path | None:
    """The folder of a model that is ready, without reading more than its manifest.

    Raises UsageError for an unknown name.
    """
    status = status_of(known(name, catalog), root, hashes=False)
    return status.path if status.state == "ready" else None


def remove(name: str, root: Path, *, catalog: Mapping[str, KnownModel] = KNOWN_MODELS) -> int:
    """Delete a model of `root` and return the bytes freed, 0 if there was none. Encoders that have
    it open go on; what a package brought is for pip to remove. Raises UsageError for an unknown
    name, ModelUnavailable if it cannot be deleted.
    """
    status = _in_folder(known(name, catalog), root, hashes=False)
    if status.path is None:
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix=temporary_prefix(name), dir=root) as trash:
            status.path.rename(Path(trash) / name)
    except OSError as error:
        raise ModelUnavailable(f"{status.path} cannot be removed: {error}") from error
    return status.size


def known(name: str, catalog: Mapping[str, KnownModel]) -> KnownModel:
    """The entry of that name. Raises UsageError naming the known ones."""
    if name not in catalog:
        raise UsageError(
            f"there is no model {name!r}; known are {', '.join(sorted(catalog))}",
            hint="pincite models list",
        )
    return catalog[name]


def status_of(
    model: KnownModel, root: Path, *, hashes: bool, package: Path | None = None
) -> ModelStatus:
    """The state of a model; `hashes` reads its files (about 20 ms), otherwise sizes will do.

    `package` is the folder of models that a package brought; without one it is looked for.
    """
    own = _in_folder(model, root, hashes=hashes)
    if own.state == "ready" or (packaged := package or packaged_models()) is None:
        return own
    brought = _in_folder(model, packaged, hashes=hashes)
    return own if own.path and brought.state != "ready" else brought


def packaged_models() -> Path | None:
    """Where `pincite-model` has its models, None where it is not installed."""
    found = find_spec(PACKAGE)
    # A folder without code is a namespace, which anybody's working folder may hold.
    if found is None or not found.has_location or found.origin is None:
        return None
    return Path(found.origin).parent


def _in_folder(model: KnownModel, root: Path, *, hashes: bool) -> ModelStatus:
    folder = root / model.name
    try:
        size = sum(path.stat().st_size for path in folder.iterdir())
    except OSError:  # what is out of reach is not there; a fetch says why
        return ModelStatus(model.name, "absent")
    try:
        manifest = read_manifest(folder)
    except ModelUnavailable as error:
        return ModelStatus(model.name, "damaged", size, folder, problem=error.message)
    current = (FORMAT, PRECISION, model.weights.sha256)
    if (manifest.format, manifest.precision, manifest.weights_sha256) != current:
        problem = "made from other weights or by another version"
    else:
        problem = find_damage(manifest, folder, hashes=hashes)
    state: ModelState = "damaged" if problem else "ready"
    return ModelStatus(model.name, state, size, folder, manifest.source, problem)


def temporary_prefix(name: str) -> str:
    """How folders begin that a fetch or removal of this model works in."""
    return f".{name}.temporary-"
