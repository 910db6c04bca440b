"""Read the cache of models: list, verify and remove them.

A model is a folder `root/NAME` (see `manifest`), or a folder of the same form in the installed
package `pincite-model`. The package is used if `root` has no ready copy. Functions read nothing but
manifests unless they say so, and import nothing from the package.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from pincite.errors import ModelUnavailable, UsageError
from pincite.providers.bundled.known_models import KNOWN_MODELS, KnownModel
from pincite.providers.bundled.manifest import FORMAT, find_damage, read_manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

ModelState = Literal["absent", "ready", "damaged"]

# As small and fast as int8 and within 0.2 points of nDCG@10, with equal vectors on all processors.
# int8 vectors differ (cosine 0.992) between processors with and without VNNI. Measured in
# docs/decisions/0002-bundled-model.md.
PRECISION: Literal["int7"] = "int7"

PACKAGE = "pincite_model"  #: the folder of the distribution `pincite-model`


class ModelStatus(msgspec.Struct, frozen=True):
    """A known model in a cache. `size` is the bytes of its folder; `path` is None if there is no
    folder; `problem` says why it is damaged."""

    name: str
    state: ModelState
    size: int = 0
    path: Path | None = None
    source: str = ""
    problem: str = ""


def default_root() -> Path:
    """Return the folder `models` in the user's cache folder for Pincite."""
    import platformdirs

    return platformdirs.user_cache_path("pincite") / "models"


def list_models(
    root: Path, *, catalog: Mapping[str, KnownModel] = KNOWN_MODELS
) -> tuple[ModelStatus, ...]:
    """Return all known models by name. This compares sizes only; `verify` reads the files."""
    return tuple(status_of(model, root, hashes=False) for _, model in sorted(catalog.items()))


def verify(
    name: str, root: Path, *, catalog: Mapping[str, KnownModel] = KNOWN_MODELS
) -> ModelStatus:
    """Hash the files of a model again. Raises UsageError for an unknown name."""
    return status_of(known(name, catalog), root, hashes=True)


def find(name: str, root: Path, *, catalog: Mapping[str, KnownModel] = KNOWN_MODELS) -> Path | None:
    """Return the folder of a model that is ready, or None. Only its manifest is read.

    Raises UsageError for an unknown name.
    """
    status = status_of(known(name, catalog), root, hashes=False)
    return status.path if status.state == "ready" else None


def remove(name: str, root: Path, *, catalog: Mapping[str, KnownModel] = KNOWN_MODELS) -> int:
    """Delete a model from `root` and return the bytes freed, 0 if there was none. Open encoders
    keep working. A model that came with a package is left to pip. Raises UsageError for an unknown
    name, ModelUnavailable if it cannot be deleted."""
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
    """Return the entry with this name. Raises UsageError that lists the known names."""
    if name not in catalog:
        raise UsageError(
            f"no model is named {name!r}; known models: {', '.join(sorted(catalog))}",
            hint="pincite models",
        )
    return catalog[name]


def status_of(model: KnownModel, root: Path, *, hashes: bool) -> ModelStatus:
    """Return the state of a model. `hashes` reads its files (about 20 ms); otherwise only sizes are
    compared."""
    own = _in_folder(model, root, hashes=hashes)
    if own.state == "ready" or (packaged := packaged_models()) is None:
        return own
    brought = _in_folder(model, packaged, hashes=hashes)
    return own if own.path and brought.state != "ready" else brought


def packaged_models() -> Path | None:
    """Return the folder of models in `pincite-model`, or None if it is not installed."""
    found = find_spec(PACKAGE)
    # A folder without code is a namespace package, which any working directory may contain.
    if found is None or not found.has_location or found.origin is None:
        return None
    return Path(found.origin).parent


def _in_folder(model: KnownModel, root: Path, *, hashes: bool) -> ModelStatus:
    folder = root / model.name
    try:
        size = sum(path.stat().st_size for path in folder.iterdir())
    except OSError:  # an unreadable folder counts as absent; a fetch says why
        return ModelStatus(model.name, "absent")
    try:
        manifest = read_manifest(folder)
    except ModelUnavailable as error:
        return ModelStatus(model.name, "damaged", size, folder, problem=error.message)
    current = (FORMAT, PRECISION, model.weights.sha256)
    if (manifest.format, manifest.precision, manifest.weights_sha256) != current:
        problem = "it was made from other weights or by another version"
    else:
        problem = find_damage(manifest, folder, hashes=hashes)
    state: ModelState = "damaged" if problem else "ready"
    return ModelStatus(model.name, state, size, folder, manifest.source, problem)


def temporary_prefix(name: str) -> str:
    """Return the prefix of temporary folders that a fetch or removal of this model uses."""
    return f".{name}.temporary-"
