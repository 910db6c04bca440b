"""Choose and open the dense model of a collection."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from pincite.collection.members import member_name
from pincite.encoders.bundled import MODEL, open_encoder
from pincite.encoders.by_name import Models
from pincite.errors import ConfigError, ModelsUnwritable, ModelUnavailable, UsageError
from pincite.ingestion.batch import BATCH_CHUNKS
from pincite.ingestion.options import IndexOptions
from pincite.model import LEXICAL, Notice
from pincite.ports import CollectionInfo, DenseEncoder
from pincite.providers.names import LOCAL_PROVIDERS, parse_model
from pincite.settings.load import Settings
from pincite.settings.sections.models import BUNDLED

if TYPE_CHECKING:
    from pincite.providers.bundled.minilm import MiniLmEncoder

_MOST_CHUNKS = 2_048  # in a batch: 10 MB of text and vectors; an interrupted run repeats one


class Dense(msgspec.Struct, frozen=True):
    """An open dense model. `encoder` is None for a lexical collection. `name` is the model's name
    in the spec, "" for the bundled one. A batch has about `batch_chunks` chunks."""

    encoder: DenseEncoder | None = None
    name: str = ""
    batch_chunks: int = BATCH_CHUNKS


def require_local(model: str) -> None:
    """Raise UsageError for a model that may cost money, where only local ones are allowed."""
    if parse_model(model).provider not in LOCAL_PROVIDERS:
        raise UsageError(
            f"{model} may cost money; background indexing takes local models only",
            hint="run pincite index without --background",
        )


def choose_model(settings: Settings, info: CollectionInfo | None, options: IndexOptions) -> str:
    """Return the name of the model, `""` for the bundled one. It is the first that is set of: the
    options, the configuration of the collection, the model of the collection, the configuration of
    new collections. If the settings give other models a separate collection (`beside`), the
    configuration of new collections comes before the model of the collection."""
    use = settings.use
    chosen = options.model or use.collections.get(options.collection, "")
    if chosen:
        return "" if chosen == BUNDLED else str(parse_model(chosen))
    beside = settings.beside(options.collection)
    if info is not None and info.spec.dense is not None and not (beside and use.dense):
        return info.spec.model
    return use.dense


def collection_name(base: str, dense: Dense, infos: Iterable[CollectionInfo]) -> str:
    """Return the name for a new member of `base` with this model."""
    made_by = dense.encoder.fingerprint if dense.encoder else LEXICAL
    named = parse_model(dense.name) if dense.name else None
    model = (named.model or named.provider) if named else MODEL if dense.encoder else LEXICAL
    size = dense.encoder.dimensions if dense.encoder else 0
    ours = (base, None if made_by == LEXICAL else made_by)
    taken = {i.spec.name for i in infos if (i.spec.public_name, i.spec.dense) != ours}
    return member_name(base, model, size, made_by, taken)


@asynccontextmanager
async def open_dense(
    settings: Settings, models: Models, info: CollectionInfo | None, options: IndexOptions
) -> AsyncIterator[Dense]:
    """Yield the dense model to index with. The bundled one is closed at the end; another one
    belongs to `models`, and is closed with these. Raises UsageError for a model with a lexical
    collection, ConfigError, ProviderError and ModelUnavailable."""
    lexical = info is not None and info.spec.dense is None
    stays = lexical and not (options.upgrade or options.rebuild or options.beside)
    if options.model and (options.lexical or stays):
        raise UsageError(
            f"collection {options.collection!r} is lexical, but --model names {options.model}",
            hint="omit --lexical" if options.lexical else "add --upgrade",
        )
    if options.lexical or stays:
        yield Dense()
        return
    name = choose_model(settings, info, options)
    if not name:
        encoder = _bundled(settings, info, options)
        try:
            _require_dimensions(settings, encoder)
            yield Dense(encoder)
        finally:
            if encoder is not None:
                encoder.close()
        return
    same = info is not None and info.spec.model == name and not parse_model(name).dimensions
    size = info.spec.dimensions if info is not None and same else 0
    hosted = await models.dense(name, dimensions=size)
    _require_dimensions(settings, hosted)
    chunks = min(_MOST_CHUNKS, max(BATCH_CHUNKS, hosted.batch_items))
    yield Dense(hosted, hosted.name, chunks)


def _require_dimensions(settings: Settings, encoder: DenseEncoder | None) -> None:
    """Raise ConfigError if the model's dimensions are not those that the settings require."""
    wanted = settings.store.dimensions
    if encoder is None or wanted in (0, encoder.dimensions):
        return
    raise ConfigError(
        f"{encoder.fingerprint} makes vectors of {encoder.dimensions} dimensions, but"
        f" store.dimensions is {wanted}",
        hint=(
            f"choose a model of {wanted} dimensions ([models] dense or --model), or set"
            " store.dimensions = 0 for any"
        ),
        keys=("store.dimensions",),
    )


def _bundled(
    settings: Settings, info: CollectionInfo | None, options: IndexOptions
) -> MiniLmEncoder | None:
    """Return the bundled encoder, and download it if necessary. None, with a notice, if it is not
    available and the collection has no vectors yet."""
    from pincite.providers.bundled import cache  # late: lexical runs do not need it
    from pincite.providers.bundled.fetch import fetch
    from pincite.providers.bundled.origins import FetchOptions

    try:
        if cache.find(MODEL, settings.models) is None:
            fetching = FetchOptions(order=settings.origins, offline=settings.offline)
            fetch(MODEL, settings.models, options=fetching, progress=options.on_fetch)
        return open_encoder(settings.models, threads=settings.threads, load=False)
    except ModelsUnwritable as error:
        raise ModelsUnwritable(
            error.message, hint=f"{error.hint}, or index for keyword search only: --lexical"
        ) from error
    except ModelUnavailable as error:
        if (info is not None and info.spec.dense is not None) or options.upgrade:
            raise
        options.on_notice(
            Notice(
                "lexical_only",
                f"{error.message}; the index will support keyword search only. To add semantic"
                f" search later: pincite index --upgrade -c {options.collection}",
            )
        )
        return None
