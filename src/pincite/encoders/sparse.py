"""Open the sparse encoder of a collection by the name in its spec.

`bm25` is Pincite's own (empty in a spec), `qdrant-bm25` that of the engine. `local:FOLDER` and
`local:OWNER/NAME` are SPLADE models, `PROVIDER:MODEL` a model of a provider.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pincite.encoders.fingerprint import require_fingerprint
from pincite.model import CollectionSpec
from pincite.providers.sparse.bm25 import Bm25Encoder

if TYPE_CHECKING:
    from pincite.encoders.by_name import Models
    from pincite.ports import SparseEncoder

OWN: Final = "bm25"
ENGINE: Final = "qdrant-bm25"
_LOCAL: Final = "local:"


def name_of(given: str) -> str:
    """Return the name for a spec: empty for Pincite's own, a folder by its absolute path."""
    folder = Path(given.removeprefix(_LOCAL)).expanduser()
    if given.startswith(_LOCAL) and folder.is_dir():
        return f"{_LOCAL}{folder.absolute()}"
    return "" if given == OWN else given


async def open_sparse(
    models: Models, name: str, language: str, made_with: str = ""
) -> SparseEncoder:
    """Return the sparse encoder of that name; `made_with` as for `Models`. Raises ConfigError,
    ModelUnavailable and ProviderError."""
    if not name:
        return Bm25Encoder(language)
    if name == ENGINE:
        from pincite.providers.sparse.engine_bm25 import EngineBm25Encoder

        return EngineBm25Encoder(language)
    return await models.sparse(name, made_with=made_with)


async def sparse_of(models: Models, spec: CollectionSpec) -> SparseEncoder:
    """Return the encoder that a collection was made with. Raises FingerprintMismatch if it has
    changed, and the errors of `open_sparse`."""
    encoder = await open_sparse(models, spec.sparse_model, spec.language, spec.sparse)
    flags = f" --sparse {spec.sparse_model}" if spec.sparse_model else ""
    require_fingerprint(spec.name, "analyser", spec.sparse, encoder.fingerprint, flags)
    return encoder
