"""A real BERT, small enough for tests: random weights, a toy vocabulary, and its arithmetic.

`forward` is written from the papers with numpy and shares nothing with the code under test.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

from pincite.providers.bundled.known_models import KnownModel, PinnedFile

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

HEADS, LAYERS, HIDDEN, WIDE, POSITIONS = 4, 2, 32, 64, 64
MAX_PIECES = 16
WHEEL_VERSION = "1.0"

Tensors = dict[str, "NDArray[np.float32]"]

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
VOCABULARY = (
    *SPECIAL,
    *("the", "agent", "retry", "policy", "session", "hello", "world", "漢", "字", "?", "!", "."),
    *LETTERS,
    *(f"##{letter}" for letter in LETTERS),
)


def make_tensors(seed: int = 7) -> Tensors:
    """Weights large enough that attention is not flat and small enough that GELU is not linear."""
    generator = np.random.default_rng(seed)

    def weights(*shape: int) -> NDArray[np.float32]:
        return generator.normal(0, 0.15, shape).astype(np.float32)

    def norm(name: str) -> Tensors:
        return {f"{name}.weight": 1 + weights(HIDDEN), f"{name}.bias": weights(HIDDEN)}

    def dense(name: str, wide: int, narrow: int) -> Tensors:
        return {f"{name}.weight": weights(wide, narrow), f"{name}.bias": weights(wide)}

    tensors: Tensors = {
        "embeddings.word_embeddings.weight": weights(len(VOCABULARY), HIDDEN),
        "embeddings.position_embeddings.weight": weights(POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": weights(2, HIDDEN),
    } | norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            tensors |= dense(f"{prefix}.attention.self.{part}", HIDDEN, HIDDEN)
        tensors |= dense(f"{prefix}.attention.output.dense", HIDDEN, HIDDEN)
        tensors |= norm(f"{prefix}.attention.output.LayerNorm")
        tensors |= dense(f"{prefix}.intermediate.dense", WIDE, HIDDEN)
        tensors |= dense(f"{prefix}.output.dense", HIDDEN, WIDE)
        tensors |= norm(f"{prefix}.output.LayerNorm")
    return tensors


def forward(tensors: Tensors, ids: list[int]) -> NDArray[np.float64]:
    """Mean of the last layer, normalised, in double precision."""
    mean = last_layer(tensors, ids, [0] * len(ids)).mean(0)
    return np.asarray(mean / np.linalg.norm(mean))


def gelu(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.vectorize(lambda v: v * (1 + math.erf(v / math.sqrt(2))) / 2)(x))


def last_layer(tensors: Tensors, ids: list[int], types: list[int]) -> NDArray[np.float64]:
    """The last layer (pieces, hidden), in double precision."""
    t = {name: value.astype(np.float64) for name, value in tensors.items()}

    def norm(name: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
        centred = x - x.mean(1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(1, keepdims=True) + 1e-12)
        return np.asarray(centred / deviation * t[f"{name}.weight"] + t[f"{name}.bias"])

    def dense(name: str, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(x @ t[f"{name}.weight"].T + t[f"{name}.bias"])

    embeddings = t["embeddings.word_embeddings.weight"][ids]
    embeddings = embeddings + t["embeddings.position_embeddings.weight"][: len(ids)]
    embeddings = embeddings + t["embeddings.token_type_embeddings.weight"][types]
    x = norm("embeddings.LayerNorm", embeddings)
    width = HIDDEN // HEADS
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        query, key, value = (
            dense(f"{prefix}.attention.self.{part}", x) for part in ("query", "key", "value")
        )
        heads = []
        for head in range(HEADS):
            part = slice(head * width, (head + 1) * width)
            scores = query[:, part] @ key[:, part].T / math.sqrt(width)
            shares = np.exp(scores - scores.max(1, keepdims=True))
            heads.append(shares / shares.sum(1, keepdims=True) @ value[:, part])
        attended = dense(f"{prefix}.attention.output.dense", np.concatenate(heads, axis=1))
        x = norm(f"{prefix}.attention.output.LayerNorm", attended + x)
        wide = gelu(dense(f"{prefix}.intermediate.dense", x))
        x = norm(f"{prefix}.output.LayerNorm", dense(f"{prefix}.output.dense", wide) + x)
    return x


def make_tokenizer() -> Tokenizer:
    """As published tokenizers are: lower case, word pieces, and an unwelcome cut and padding."""
    vocabulary = {piece: number for number, piece in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    return tokenizer


@dataclass(frozen=True)
class Published:
    """The folder in which a model's two files lie, and their catalog entry."""

    folder: Path
    model: KnownModel

    @property
    def catalog(self) -> dict[str, KnownModel]:
        return {self.model.name: self.model}


def publish(folder: Path, *, wheels: tuple[str, ...] = ()) -> Published:
    """Write model.safetensors and tokenizer.json to `folder`."""
    folder.mkdir(parents=True)
    save_file(make_tensors(), folder / "model.safetensors")
    make_tokenizer().save(str(folder / "tokenizer.json"))
    weights, tokenizer = (
        PinnedFile(name, len(content), hashlib.sha256(content).hexdigest())
        for name in ("model.safetensors", "tokenizer.json")
        for content in [(folder / name).read_bytes()]
    )
    model = KnownModel(
        name="tiny",
        repository="tests/tiny",
        commit="0123456789abcdef",
        wheels=wheels,
        weights=weights,
        tokenizer=tokenizer,
        heads=HEADS,
        dimensions=HIDDEN,
        max_pieces=MAX_PIECES,
        languages=("english",),
        licence="Apache-2.0",
    )
    return Published(folder, model)
