"""How to index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pincite.model import AnchorStyle, Notice
from pincite.settings.defaults import WAIT_S


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How to index. An empty `collection` is the settings' default one. `name`, `ref`, `url_rule`
    (one a line) and `anchors` describe the sources that are named, before their `[[source]]` and
    what is remembered of them; `lexical` leaves the dense model out, `upgrade` brings it into a
    lexical collection, `rebuild` begins with an empty one. `language` is a stemmer's name or
    `auto`. `model` names the dense model (`voyage:voyage-code-3`, `bundled`); empty: that of the
    collection, else the configured one. `sparse` names the sparse encoder of a new collection (see
    `pincite.encoders.sparse`). `beside` gives a model that the collection was not made with one of
    its own beside it. `attributes` are given to all sources of the run, over those of `[[source]]`
    and those that are remembered; None, an empty text or an empty list takes one away.
    `attribute_texts` are such in words, each `NAME=VALUE`: of the type that the collection has for
    the name, else of the one that they look like; a name that is there twice has a list.

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
    model: str = ""
    sparse: str = ""
    attributes: Mapping[str, object] = field(default_factory=dict)
    attribute_texts: tuple[str, ...] = ()
    wait_s: float = WAIT_S
    on_notice: Callable[[Notice], None] = lambda _: None
    on_fetch: Callable[[str, int, int], None] = lambda *_: None
