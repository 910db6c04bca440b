"""How to index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, TypedDict, get_args

from pincite.errors import UsageError
from pincite.model import AnchorStyle, Notice
from pincite.settings.defaults import WAIT_S
from pincite.support.arguments import (
    require_choice,
    require_kind,
    require_known,
    texts_of,
)

_FLAGS: Final = ("lexical", "upgrade", "rebuild", "beside", "background", "mask_secrets", "retry")
_TEXTS: Final = ("collection", "name", "ref", "url_rule", "language", "model", "sparse")
_MAY_BE_NONE: Final = ("name", "ref", "url_rule", "anchors", "mask_secrets")


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How to index. An empty `collection` is the settings' default one. `name`, `ref`, `url_rule`
    (one a line) and `anchors` describe the sources that are named, before their `[[source]]` and
    what is remembered of them; `lexical` leaves the dense model out, `upgrade` brings it into a
    lexical collection, `rebuild` begins with an empty one. `language` is a stemmer's name or
    `auto`. `model` names the dense model (`voyage:voyage-code-3`, `bundled`); empty: that of the
    collection, else the configured one. `sparse` names the sparse encoder of a new collection (see
    `pincite.encoders.sparse`). `beside` gives a model that the collection was not made with one of
    its own beside it. With `background` the run ends when all can be searched by word, and another
    process makes the vectors. `attributes` are given to all sources of the run, over those of
    `[[source]]` and those that are remembered; None, an empty text or an empty list takes one away.
    `attribute_texts` are such in words, each `NAME=VALUE`: of the type that the collection has for
    the name, else of the one that they look like; a name that is there twice has a list.
    `mask_secrets` says whether what looks like a secret is replaced by stars before anything else
    sees a file; None: as before. `ocr` says whether pages of PDFs that are pictures are read;
    None: as settings say, else as before. `retry` tries files again from which no text could be
    extracted.

    `wait_s`: for how many seconds to wait for others who write to the collection."""

    collection: str = ""
    name: str | None = None
    ref: str | None = None
    url_rule: str | None = None
    anchors: AnchorStyle | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
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


class IndexKeywords(TypedDict, total=False):
    """The fields of `IndexOptions` as keywords. A text in place of several globs is one of them."""

    collection: str
    name: str | None
    ref: str | None
    url_rule: str | None
    anchors: AnchorStyle | None
    include: str | Iterable[str]
    exclude: str | Iterable[str]
    language: str
    lexical: bool
    upgrade: bool
    rebuild: bool
    beside: bool
    background: bool
    model: str
    sparse: str
    attributes: Mapping[str, object]
    attribute_texts: str | Iterable[str]
    mask_secrets: bool | None
    ocr: bool | None
    retry: bool
    wait_s: float
    on_notice: Callable[[Notice], None]
    on_fetch: Callable[[str, int, int], None]


class RecordKeywords(TypedDict, total=False):
    """The fields of `IndexOptions` that mean something for records, as keywords."""

    language: str
    lexical: bool
    upgrade: bool
    beside: bool
    model: str
    sparse: str
    wait_s: float
    on_notice: Callable[[Notice], None]
    on_fetch: Callable[[str, int, int], None]


#: What describes files and their sources, in the order of `IndexOptions`.
_OF_FILES: Final = tuple(
    "name ref url_rule anchors include exclude background attributes attribute_texts"
    " mask_secrets ocr retry".split()
)


def record_options(options: IndexOptions | None, keywords: Mapping[str, Any]) -> IndexOptions:
    """As `index_options`, for records. Raises UsageError also for what describes files."""
    require_known("upsert", keywords, list(RecordKeywords.__annotations__))
    chosen = index_options(options, keywords)
    for name in _OF_FILES:
        if getattr(chosen, name):
            raise UsageError(
                f"upsert takes no {name}= in its options, which describes files",
                hint="give each record its `attributes`" if "attribute" in name else "",
            )
    return chosen


def index_options(options: IndexOptions | None, keywords: Mapping[str, Any]) -> IndexOptions:
    """The options of a caller, as a whole or one by one, checked. Raises UsageError for both, for
    an unknown keyword, and for a value of the wrong kind."""
    if options is not None and keywords:
        one = next(iter(keywords))
        raise UsageError(
            f"options= and {one}= were both given, and IndexOptions has {one}, too",
            hint=f"IndexOptions(..., {one}=...) alone, or keywords alone",
        )
    require_known("index", keywords, [each.name for each in fields(IndexOptions)])
    given = IndexOptions(**keywords) if options is None else options
    require_kind("options", given, IndexOptions, "IndexOptions")
    for name in (*_FLAGS, *_TEXTS):
        value = getattr(given, name)
        if value is None and name in _MAY_BE_NONE:
            continue
        if name in _FLAGS:
            require_kind(name, value, bool, "True or False")
        else:
            require_kind(name, value, str, "a text")
    require_kind("attributes", given.attributes, Mapping, "names and values")
    if given.anchors is not None:
        require_choice("anchors", given.anchors, get_args(AnchorStyle))
    if given.ocr is not None:
        require_kind("ocr", given.ocr, bool, "True or False")
    require_kind("wait_s", given.wait_s, (int, float), "seconds")
    if not given.wait_s >= 0:  # or no number at all
        raise UsageError(f"wait_s is {given.wait_s}; it takes seconds, 0 for not at all")
    return replace(
        given,
        include=texts_of("include", given.include),
        exclude=texts_of("exclude", given.exclude),
        attribute_texts=texts_of("attribute_texts", given.attribute_texts),
    )
