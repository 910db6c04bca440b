"""Read multilingual-e5-small from its data package: 4-bit weights and the vocabulary in one file.

The file begins with `E5S1`, then little-endian: version, the shape of the model, the vocabulary (a
unigram model: pieces and their scores), a map of characters that its normaliser changes, a
directory of tensors, and the tensors. Matrices are stored in blocks of 32 weights of a row: a
half-precision scale and 16 bytes. Byte j holds weight j in its low and weight j + 16 in its high
half, each plus 8.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from pincite.errors import ModelUnavailable

MAGIC: Final = b"E5S1"
_HEADER: Final = struct.Struct("<7ifi5iQ")
_BLOCK: Final = 32
_PACKED: Final = np.dtype([("scale", "<f2"), ("halves", "u1", (_BLOCK // 2,))])
_MOST: Final = 1_000_000  # pieces, tensors, characters: a larger count means a damaged file
Floats = NDArray[np.float32]

_LAYER: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMS: Final = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


@dataclass(frozen=True, slots=True)
class PackedModel:
    """A model read from a packed file. `tensors` have BERT's names; `tokenizer` is the content of a
    `tokenizer.json`."""

    tensors: dict[str, Floats]
    tokenizer: bytes


def read_packed(path: Path) -> PackedModel:
    """Return the weights in single precision and the tokenizer. Raises ModelUnavailable if the file
    has another format."""
    raw = path.read_bytes()
    try:
        if raw[:4] != MAGIC:
            raise ValueError(f"it begins with {raw[:4]!r}")
        return _Reader(raw).model()
    except (ValueError, OverflowError, struct.error, KeyError) as error:
        raise ModelUnavailable(f"{path} is not a packed E5 model: {error}") from error


class _Reader:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 8  # after magic and version

    def model(self) -> PackedModel:
        header = self._next(_HEADER)
        hidden, layers, vocabulary = header[0], header[1], header[4]
        pieces, _, _, _, unknown, size = header[9:]
        tokenizer = self._tokenizer(pieces, unknown, size)
        changed, changed_bytes = self._next(struct.Struct("<iI"))
        _check("changed characters", changed)
        self._at += changed_bytes
        tensors = dict(self._tensors(hidden, layers))
        if tensors["embeddings.word_embeddings.weight"].shape != (vocabulary, hidden):
            raise ValueError("its word embeddings have another shape than it says")
        return PackedModel(tensors, tokenizer)

    def _next(self, layout: struct.Struct) -> tuple[Any, ...]:
        values = layout.unpack_from(self._raw, self._at)
        self._at += layout.size
        return values

    def _array(self, dtype: str, count: int) -> NDArray[Any]:
        found = np.frombuffer(self._raw, dtype, count, self._at)
        self._at += found.nbytes
        return found

    def _tokenizer(self, count: int, unknown: int, size: int) -> bytes:
        _check("pieces", count)
        offsets = self._array("<u4", count + 1).tolist()
        scores = self._array("<f4", count).tolist()
        text = self._raw[self._at : self._at + size]
        self._at += size
        spans = pairwise(offsets)
        pieces = [text[start:end].decode() for start, end in spans]
        return tokenizer_json(list(zip(pieces, scores, strict=True)), unknown)

    def _tensors(self, hidden: int, layers: int) -> list[tuple[str, Floats]]:
        (count,) = self._next(struct.Struct("<i"))
        _check("tensors", count)
        held: dict[str, Floats] = {}
        for _ in range(count):
            (length,) = self._next(struct.Struct("<H"))
            name = self._raw[self._at : self._at + length].decode()
            self._at += length
            packed, values, offset, _ = self._next(struct.Struct("<BIQQ"))
            held[name] = _values(self._raw, packed, values, offset)
        return [
            ("embeddings.word_embeddings.weight", held["emb.word"].reshape(-1, hidden)),
            ("embeddings.position_embeddings.weight", held["emb.pos"].reshape(-1, hidden)),
            ("embeddings.token_type_embeddings.weight", held["emb.type"].reshape(-1, hidden)),
            ("embeddings.LayerNorm.weight", held["emb.ln.w"]),
            ("embeddings.LayerNorm.bias", held["emb.ln.b"]),
            *(one for layer in range(layers) for one in _layer(held, layer)),
        ]


def tokenizer_json(vocabulary: list[tuple[str, float]], unknown: int) -> bytes:
    """Return a `tokenizer.json` of a SentencePiece unigram model with XLM-R's normaliser and marks.
    NMT and NFKC treat the characters that the packed file's normaliser changes in the same way,
    except two (U+FF5E and U+1F23B)."""
    marks = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    ids = {piece: number for number, (piece, _) in enumerate(vocabulary)}
    added = [
        {
            "id": ids[mark],
            "content": mark,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for mark in marks
        if mark in ids
    ]
    begin, end = ({"SpecialToken": {"id": mark, "type_id": 0}} for mark in ("<s>", "</s>"))
    special = {m: {"id": m, "ids": [ids[m]], "tokens": [m]} for m in ("<s>", "</s>")}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return msgspec.json.encode(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": {
                "type": "Sequence",
                "normalizers": [
                    {"type": "Nmt"},
                    {"type": "NFKC"},
                    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
                ],
            },
            "pre_tokenizer": space,
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [begin, text, end],
                "pair": [begin, text, end, {"Sequence": {"id": "B", "type_id": 0}}, end],
                "special_tokens": special,
            },
            "decoder": space,
            "model": {
                "type": "Unigram",
                "unk_id": unknown,
                "vocab": vocabulary,
                "byte_fallback": False,
            },
        }
    )


def _layer(held: dict[str, Floats], layer: int) -> list[tuple[str, Floats]]:
    found = []
    for short, name in _LAYER.items():
        bias = held[f"l{layer}.{short}.b"]
        weight = held[f"l{layer}.{short}.w"].reshape(bias.size, -1)
        found += [(f"encoder.layer.{layer}.{name}.weight", weight)]
        found += [(f"encoder.layer.{layer}.{name}.bias", bias)]
    for short, name in _NORMS.items():
        found += [(f"encoder.layer.{layer}.{name}.weight", held[f"l{layer}.{short}.w"])]
        found += [(f"encoder.layer.{layer}.{name}.bias", held[f"l{layer}.{short}.b"])]
    return found


def _values(raw: bytes, packed: int, count: int, offset: int) -> Floats:
    """Return `count` numbers: single precision, or blocks of four bits."""
    if packed not in (0, 1):
        raise ValueError(f"a tensor is of the unknown type {packed}")
    if packed == 0:
        return _finite(np.frombuffer(raw, "<f4", count, offset).astype(np.float32, copy=False))
    blocks = np.frombuffer(raw, _PACKED, count // _BLOCK, offset)
    halves = blocks["halves"]
    whole = np.concatenate([halves & 0x0F, halves >> 4], axis=1).astype(np.float32) - 8
    scales = _finite(blocks["scale"].astype(np.float32))
    values: Floats = (whole * scales[:, None]).reshape(-1)
    return values


def _finite(values: Floats) -> Floats:
    if not np.isfinite(values).all():
        raise ValueError("a weight is not a number")
    return values


def _check(what: str, count: int) -> None:
    if not 0 < count <= _MOST:
        raise ValueError(f"it says that it has {count} {what}")
