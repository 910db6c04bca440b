"""The whole configuration of a search as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pincite.answering.config import AnswerConfig
from pincite.errors import ConfigError
from pincite.model import Corpus
from pincite.stages.blend import BlendConfig
from pincite.stages.context import ContextConfig
from pincite.stages.cover import CoverageConfig
from pincite.stages.dedup import DedupConfig
from pincite.stages.diversify import DiversifyConfig
from pincite.stages.expand import ExpandConfig
from pincite.stages.fuse import FuseConfig
from pincite.stages.gate import GateConfig
from pincite.stages.load import LoadConfig
from pincite.stages.merge import MergeConfig
from pincite.stages.next_pass import NextPassConfig
from pincite.stages.optimise import OptimiseConfig
from pincite.stages.pack import PackConfig
from pincite.stages.prepare import PrepareConfig
from pincite.stages.probe import ProbeConfig
from pincite.stages.rank_code import RankCodeConfig
from pincite.stages.rerank import MOST_JUDGED, RerankConfig
from pincite.stages.retrieve import RetrieveConfig
from pincite.stages.select import SelectConfig
from pincite.stages.smooth import SmoothConfig
from pincite.support.decodable import ready
from pincite.support.fields import field_names, replace
from pincite.support.wrong_values import blamed, check_numbers, closest_first, path_of, said_of


class Profile(msgspec.Struct, frozen=True):
    """All settings of a search, one section per stage. A profile that contradicts itself raises
    ConfigError when it is built."""

    corpus: Corpus = msgspec.field(default_factory=Corpus)
    prepare: PrepareConfig = msgspec.field(default_factory=PrepareConfig)
    expand: ExpandConfig = msgspec.field(default_factory=ExpandConfig)
    probe: ProbeConfig = msgspec.field(default_factory=ProbeConfig)
    retrieve: RetrieveConfig = msgspec.field(default_factory=RetrieveConfig)
    fuse: FuseConfig = msgspec.field(default_factory=FuseConfig)
    across: MergeConfig = msgspec.field(default_factory=MergeConfig)
    load: LoadConfig = msgspec.field(default_factory=LoadConfig)
    dedup: DedupConfig = msgspec.field(default_factory=DedupConfig)
    smooth: SmoothConfig = msgspec.field(default_factory=SmoothConfig)
    rank_code: RankCodeConfig = msgspec.field(default_factory=RankCodeConfig)
    rerank: RerankConfig = msgspec.field(default_factory=RerankConfig)
    blend: BlendConfig = msgspec.field(default_factory=BlendConfig)
    diversify: DiversifyConfig = msgspec.field(default_factory=DiversifyConfig)
    cover: CoverageConfig = msgspec.field(default_factory=CoverageConfig)
    gate: GateConfig = msgspec.field(default_factory=GateConfig)
    select: SelectConfig = msgspec.field(default_factory=SelectConfig)
    again: NextPassConfig = msgspec.field(default_factory=NextPassConfig)
    context: ContextConfig = msgspec.field(default_factory=ContextConfig)
    optimise: OptimiseConfig = msgspec.field(default_factory=OptimiseConfig)
    pack: PackConfig = msgspec.field(default_factory=PackConfig)
    answer: AnswerConfig = msgspec.field(default_factory=AnswerConfig)

    def showing(self, results: int) -> Profile:
        """Return this profile for `results` results. Each side then gets at least
        `retrieve.least_per_result` times as many hits, even if the profile sets fewer. A reranker
        that returns only the best few returns this many."""
        deep, wide = self.retrieve, self.across
        limits = (deep.dense_limit, deep.sparse_limit)
        if deep.per_result:
            limits = (results * deep.per_result,) * 2
        least = results * deep.least_per_result
        dense_limit, sparse_limit = (max(limit, least) for limit in limits)
        return replace(
            self,
            retrieve=replace(deep, dense_limit=dense_limit, sparse_limit=sparse_limit),
            across=replace(
                wide,
                depth=results * wide.per_result
                if wide.per_result
                else max(wide.depth, results if wide.depth else 0),
            ),
            load=replace(self.load, pool=max(self.load.pool, 2 * results)),
            rerank=_judging(self.rerank, results),
            select=replace(self.select, results=results),
        )

    def candidates(self, reranked: bool, code: bool = False) -> int:
        """Return the number of loaded candidates: the pool, or a part of it without a reranker.
        With `code`, it is at least the number that is ranked by files."""
        whole, enough = self.load.pool, round(self.load.pool * self.load.alone)
        wanted = whole if reranked else max(enough, self.select.results)
        wanted = max(wanted, self.diversify.fetch) if self.diversify.enabled else wanted
        return max(wanted, self.rank_code.pool) if code and self.rank_code.enabled else wanted

    def by_words(self, loaded: int) -> int:
        """Return how many of the best keyword hits are loaded in addition to `loaded` others, in
        collections that are at least half code."""
        return round(self.rank_code.by_words * loaded) if self.rank_code.enabled else 0

    @property
    def fusion(self) -> str:
        """The method that fuses rankings, in a few words."""
        engine = self.retrieve.engine_fusion
        within = self.fuse.method if engine == "none" else f"engine {engine}"
        return (
            within if self.across.method == "scores" else f"{within}, across {self.across.method}"
        )

    def __post_init__(self) -> None:
        check_numbers(self)
        if self.select.results > self.load.pool:
            raise ConfigError(
                f"select.results is {self.select.results}, but only load.pool ="
                f" {self.load.pool} candidates are loaded",
                hint="raise load.pool or lower select.results",
                keys=("select.results", "load.pool"),
            )
        if self.retrieve.engine_fusion != "none" and self.fuse.vector_weight != 0.5:
            raise ConfigError(
                f"fuse.vector_weight is {self.fuse.vector_weight}, but the store fuses without"
                " weights (retrieve.engine_fusion)",
                hint='set retrieve.engine_fusion = "none"',
                keys=("fuse.vector_weight", "retrieve.engine_fusion"),
            )
        if self.diversify.enabled and not self.load.vectors:
            raise ConfigError(
                "diversify.enabled is true, but load.vectors is false, and diversify compares"
                " vectors",
                hint="set load.vectors = true or diversify.enabled = false",
                keys=("diversify.enabled", "load.vectors"),
            )
        if self.diversify.enabled and self.diversify.fetch > self.load.pool:
            raise ConfigError(
                f"diversify.fetch is {self.diversify.fetch}, but only load.pool ="
                f" {self.load.pool} candidates are loaded",
                hint="raise load.pool or lower diversify.fetch",
                keys=("diversify.fetch", "load.pool"),
            )
        if self.smooth.weight > 0 and not self.load.vectors:
            raise ConfigError(
                "smooth.weight is above 0, but load.vectors is false and smoothing needs vectors",
                hint="set smooth.weight = 0 or load.vectors = true",
                keys=("smooth.weight", "load.vectors"),
            )


def _judging(config: RerankConfig, results: int) -> RerankConfig:
    if not config.top:
        return config
    top = max(config.top, results)
    return replace(config, top=top, pool=min(MOST_JUDGED, max(config.pool, top)))


#: The tables of `pincite.toml` that make the profile.
SECTIONS = Profile.__struct_fields__


def profile_from(table: Mapping[str, Any], origin: str, base: Profile | None = None) -> Profile:
    """Return `base` with the values of a nested table, such as that of a TOML file.

    Raises ConfigError for an unknown key or a wrong type. It names `origin` and the key.
    """
    merged = _merge(base or Profile(), table, origin, ())
    try:
        return msgspec.convert(merged, ready(Profile))
    except msgspec.ValidationError as error:
        raise ConfigError(f"{origin}: {said_of(error, Profile)}", at=path_of(error)) from error
    except ConfigError as error:
        keys, at = error.keys, error.at
        path, values, kind = _refused(merged, base or Profile(), ())
        if keys and "." not in keys[0]:  # of a table that does not know where it is
            keys = tuple(".".join((*path, key)) for key in keys)
        elif not keys and not at:
            at = (*path, *blamed(values, kind, error))
        raise ConfigError(
            f"{origin}: {error.message}", hint=error.hint, keys=keys, at=at
        ) from error


def _refused(
    table: Mapping[str, Any], base: Any, path: tuple[str, ...]
) -> tuple[tuple[str, ...], Mapping[str, Any], type]:
    """The path, the values and the type of the innermost table that its own type refuses."""
    for name in field_names(type(base)):
        inner = getattr(base, name)
        if field_names(type(inner)):
            try:
                msgspec.convert(table[name], ready(type(inner)))
            except ConfigError:
                return _refused(table[name], inner, (*path, name))
            except msgspec.ValidationError:
                continue  # wrong as well, and not what is looked for
    return path, table, type(base)


def _merge(
    base: object, table: Mapping[str, Any], origin: str, path: tuple[str, ...]
) -> dict[str, Any]:
    known = {name: getattr(base, name) for name in field_names(type(base))}
    for key, value in table.items():
        at = (*path, key)
        where = ".".join(at)
        if key not in known:
            names = closest_first(key, sorted(known))
            raise ConfigError(f"{origin}: unknown key {where!r}; known here: {names}", at=at)
        if field_names(type(known[key])) and not isinstance(value, Mapping):
            raise ConfigError(f"{origin}: {where!r} is a table, not {value!r}", at=at)
    return {
        name: _merge(value, table.get(name, {}), origin, (*path, name))
        if field_names(type(value))
        else table.get(name, value)
        for name, value in known.items()
    }
