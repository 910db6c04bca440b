"""A packed E5 file with the small real model of `tiny_bert`, written by the page of its format."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import numpy as np

from pincite.providers.bundled.known_models import KnownModel, PinnedFile
from pincite.support.fields import replace
from tests.providers.bundled.tiny_bert import HEADS, HIDDEN, LAYERS, WIDE, Tensors, make_tensors

MARKS = ("<s>", "<pad>", "</s>", "<unk>")
PIECES = (*MARKS, "▁", "▁the", "▁agent", "s", "▁re", "try", "a", "漢", "字", "▁query", ":", "e")
POSITIONS = 64
NAME, FILE = "tiny-e5", "tiny-q4.bin"
_SHORT = {
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "attention.output.LayerNorm": "aln",
    "output.LayerNorm": "oln",
}


def four_bits(values: np.ndarray) -> tuple[bytes, np.ndarray]:
    """Blocks of 32 weights as they are packed, and what they say."""
    packed, said = b"", []
    for block in values.reshape(-1, 32):
        scale = np.float16(max(np.abs(block).max() / 7, 1e-4))
        whole = np.clip(np.rint(block / np.float32(scale)), -8, 7).astype(np.int8)
        halves = (whole + 8).astype(np.uint8)
        packed += scale.tobytes() + (halves[:16] | (halves[16:] << 4)).tobytes()
        said.append(whole.astype(np.float32) * np.float32(scale))
    return packed, np.concatenate(said).reshape(values.shape)


def pack(tensors: Tensors) -> tuple[bytes, Tensors]:
    """The file, and the tensors that are in it after rounding."""
    entries, said = [], dict(tensors)
    for name, values in tensors.items():
        short, parts = _short(name), name.split(".")
        matrix = parts[-1] == "weight" and ("LayerNorm" not in name) and values.ndim == 2
        if matrix and "position" not in name and "token_type" not in name:
            raw, said[name] = four_bits(values)
            entries.append((short, 1, values.size, raw))
        else:
            entries.append((short, 0, values.size, values.astype("<f4").tobytes()))
    text = [piece.encode() for piece in PIECES]
    offsets = np.cumsum([0, *map(len, text)]).astype("<u4")
    scores = -np.arange(len(PIECES), dtype="<f4")
    head = struct.pack(
        *("<4s I 7i f i 5i Q".replace(" ", ""), b"E5S1", 1, HIDDEN, LAYERS, HEADS, WIDE),
        *(len(PIECES), POSITIONS, 2, 1e-12, 32, len(PIECES), 0, 2, 1, 3, int(offsets[-1])),
    )
    changed = struct.pack("<IBI", 0xFF21, 1, ord("A"))
    head += offsets.tobytes() + scores.tobytes() + b"".join(text)
    head += struct.pack("<iI", 1, len(changed)) + changed
    size = len(head) + 4 + sum(2 + len(short) + 21 for short, *_ in entries)
    directory, body = struct.pack("<i", len(entries)), b""
    for short, kind, count, raw in entries:
        label = short.encode()
        directory += struct.pack("<H", len(label)) + label
        directory += struct.pack("<BIQQ", kind, count, size + len(body), len(raw))
        body += raw
    return head + directory + body, said


def tensors_of_pieces() -> Tensors:
    """Those of `tiny_bert`, with an embedding for each of `PIECES`."""
    tensors = make_tensors()
    words = tensors["embeddings.word_embeddings.weight"][: len(PIECES)]
    return {**tensors, "embeddings.word_embeddings.weight": words}


def publish(folder: Path) -> tuple[KnownModel, Tensors]:
    """The file in a folder, and what it is known as."""
    folder.mkdir(parents=True, exist_ok=True)
    raw, said = pack(tensors_of_pieces())
    (folder / FILE).write_bytes(raw)
    weights = PinnedFile(FILE, len(raw), hashlib.sha256(raw).hexdigest())
    return replace(_KNOWN, weights=weights), said


def _short(name: str) -> str:
    known = {
        "embeddings.word_embeddings.weight": "emb.word",
        "embeddings.position_embeddings.weight": "emb.pos",
        "embeddings.token_type_embeddings.weight": "emb.type",
        "embeddings.LayerNorm.weight": "emb.ln.w",
        "embeddings.LayerNorm.bias": "emb.ln.b",
    }
    if name in known:
        return known[name]
    _, _, layer, rest = name.split(".", 3)
    middle, _, last = rest.rpartition(".")
    return f"l{layer}.{_SHORT[middle]}.{last[0]}"


_KNOWN = KnownModel(
    name=NAME,
    repository="",
    commit="",
    wheels=(),
    weights=PinnedFile(FILE, 0, ""),
    tokenizer=None,
    heads=HEADS,
    dimensions=HIDDEN,
    max_pieces=POSITIONS,
    languages=(),
    licence="MIT",
    query_prefix="query: ",
    document_prefix="passage: ",
)
