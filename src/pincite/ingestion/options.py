"""Options of an indexing run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack, get_args

from pincite.errors import UsageError
from pincite.model import AnchorStyle, Notice
from pincite.providers.sparse.languages import named_language
from pincite.settings.defaults import WAIT_S
from pincite.sources.file_type_patterns import checked_file_types
from pincite.support.arguments import (
    require_choice,
    require_function,
    require_kind,
    require_known,
    texts_of,
)
from pincite.support.fields import replace

#: By type of a field: the accepted Python type, with its name in errors.
_TAKEN: Final = {"bool": (bool, "True or False"), "str": (str, "a text")}


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Options of an indexing run. An empty `collection` is the default one of the settings.

    `name`, `ref`, `url_rule` (one per line), `anchors`, `include` and `exclude` describe the named
    sources; they override their `[[source]]` and remembered values. `file_types` are added to
    theirs: types by pattern, or texts `PATTERN=TYPE`. An empty type removes one, an empty text all
    before it. `lexical` leaves the dense
    model out, `upgrade` adds it to a lexical collection, `rebuild` starts with an empty one.
    `language` is a language's name, its ISO 639-1 code, or `auto`. `model` names the dense model
    (`voyage:voyage-code-3`, `bundled`); if empty, it is that of the collection, else the configured
    one. `sparse` names the sparse encoder of a new collection (see `pincite.encoders.sparse`).
    `beside` gives another model a separate collection beside the existing one. With `background`,
    the run ends when keyword search covers everything, and another process makes the vectors.

    `attributes` apply to all sources of the run, over those of `[[source]]` and remembered ones;
    None, an empty text or an empty list removes one. `attribute_texts` are attributes as text, each
    `NAME=VALUE`. The type is that of the collection for the name, else it is inferred from the
    text; a repeated name has a list.

    `mask_secrets`: replace likely secrets in files by stars before anything else is done with the
    text; None: as before. `ocr`: read the text of PDF pages that are pictures; None: as in the
    settings, else as before. `retry` tries files again from which no text could be extracted.
    `wait_s` is the number of seconds to wait for other writers of the collection. `on_notice` gets
    notices for the user; `on_fetch` gets the progress of downloads: a description, and the bytes so
    far and in total.
    """

    collection: str = ""
    name: str | None = None
    ref: str | None = None
    url_rule: str | None = None
    anchors: AnchorStyle | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    file_types: tuple[str, ...] = ()
    language: str = "auto"
    lexical: bool = False
    upgrade: bool = False
    rebuild: bool = False
    beside: bool = False
    background: bool = False
    model: str = ""
    sparse: str = ""
    attributes: Mapping[str, object] = field(default_factory=dict)
    attribute_texts: tuple[str, ...] = ()
    mask_secrets: bool | None = None
    ocr: bool | None = None
    retry: bool = False
    wait_s: float = WAIT_S
    on_notice: Callable[[Notice], None] = lambda _: None
    on_fetch: Callable[[str, int, int], None] = lambda *_: None

    if TYPE_CHECKING:  # callers may also pass lists and single texts; runs convert them to tuples

        def __init__(self, **given: Unpack[IndexKeywords]) -> None: ...


class RecordKeywords(TypedDict, total=False):
    """The fields of `IndexOptions` that apply to records, as keywords."""

    language: str
    lexical: bool
    upgrade: bool
    beside: bool
    model: str
    sparse: str
    wait_s: float
    on_notice: Callable[[Notice], None]
    on_fetch: Callable[[str, int, int], None]


class IndexKeywords(RecordKeywords, total=False):
    """The fields of `IndexOptions` as keywords. A single text counts as a list of one glob."""

    collection: str
    name: str | None
    ref: str | None
    url_rule: str | None
    anchors: AnchorStyle | None
    include: str | Iterable[str]
    exclude: str | Iterable[str]
    file_types: Mapping[str, str] | str | Iterable[str]
    rebuild: bool
    background: bool
    attributes: Mapping[str, object]
    attribute_texts: str | Iterable[str]
    mask_secrets: bool | None
    ocr: bool | None
    retry: bool


#: The options that describe files and sources, or apply only to runs over all sources.
_OF_INDEX: Final = tuple(
    each.name
    for each in fields(IndexOptions)
    if each.name not in (*RecordKeywords.__annotations__, "collection")
)


#: The options that describe the named sources of a run, and are remembered for them.
_OF_NAMED: Final = ("name", "ref", "url_rule", "anchors", "include", "exclude", "file_types")


def require_named(options: IndexOptions) -> None:
    """Raise UsageError for options that describe named sources, for a run without such sources."""
    for name in _OF_NAMED:
        if getattr(options, name):
            option = f"--{name.removesuffix('s' * (name == 'file_types')).replace('_', '-')}"
            raise UsageError(
                f"{option} describes the sources that a run names, and this run names none",
                hint=f"pincite index PATH {option} ...; or a [[source]] table in pincite.toml",
            )


def record_options(options: IndexOptions | None, keywords: Mapping[str, Any]) -> IndexOptions:
    """Return options as `index_options` does, for records. Also raises UsageError for options that
    apply only to the indexing of files."""
    require_known("upsert", keywords, list(RecordKeywords.__annotations__))
    chosen = index_options(options, keywords)
    for name in _OF_INDEX:
        if getattr(chosen, name):
            hint = "give each record its own `attributes`" if "attribute" in name else ""
            if name == "rebuild":  # it would leave the stored records out
                hint = "pincite collections rebuild NAME"
            raise UsageError(
                f"{name}= is an option for indexing; upsert does not take it", hint=hint
            )
    return chosen


def _file_types(given: object) -> tuple[str, ...]:
    if not isinstance(given, Mapping):
        return texts_of("file_types", given)
    for pattern, name in given.items():
        require_kind("file_types", pattern, str, "texts")
        require_kind(f"file_types[{pattern!r}]", name, str, "a text")
    return tuple(f"{pattern}={name}" for pattern, name in given.items())


def index_options(options: IndexOptions | None, keywords: Mapping[str, Any]) -> IndexOptions:
    """Return the checked options of a caller, given as a whole or as keywords. Raises UsageError
    for both together, for an unknown keyword, for a value of a wrong type, and for options that
    exclude each other."""
    if options is not None and keywords:
        one = next(iter(keywords))
        raise UsageError(
            f"options= and {one}= exclude each other: IndexOptions has {one} as well",
            hint=f"give IndexOptions(..., {one}=...) alone, or keywords alone",
        )
    require_known("index", keywords, [each.name for each in fields(IndexOptions)])
    given = IndexOptions(**keywords) if options is None else options
    require_kind("options", given, IndexOptions, "IndexOptions")
    for each in fields(IndexOptions):
        kind, _, optional = str(each.type).partition(" | ")
        value = getattr(given, each.name)
        if kind in _TAKEN and not (optional and value is None):
            require_kind(each.name, value, *_TAKEN[kind])
    require_kind("attributes", given.attributes, Mapping, "names and values")
    if given.anchors is not None:
        require_choice("anchors", given.anchors, get_args(AnchorStyle))
    for name in ("on_notice", "on_fetch"):
        require_function(name, getattr(given, name))
    require_kind("wait_s", given.wait_s, (int, float), "seconds")
    if given.lexical and given.upgrade:
        raise UsageError(
            "lexical and upgrade exclude each other: upgrade adds the dense model that lexical"
            " leaves out",
            hint="give one of them",
        )
    if not given.wait_s >= 0:  # or not a number
        raise UsageError(f"wait_s is {given.wait_s}; it takes seconds, or 0 for no wait")
    return replace(
        given,
        language=named_language(given.language),
        include=texts_of("include", given.include),
        exclude=texts_of("exclude", given.exclude),
        file_types=checked_file_types(_file_types(given.file_types)),
        attribute_texts=texts_of("attribute_texts", given.attribute_texts),
    )
