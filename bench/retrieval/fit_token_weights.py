"""Fits the weights of `pincite.chunkers.budget` to a tokenizer, and prints them and their errors.

    python bench/retrieval/fit_token_weights.py tokenizer.json FILE_OR_FOLDER...

Every text is cut into blocks of about 650 characters. Half of the blocks are fitted to, by
non-negative least squares with a pull towards a plain prior, half are held out for the errors,
which are printed for each argument; each gives at most 6,000 blocks.
JSON lines with a `text` field count as texts. Needs numpy, scipy and tokenizers.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from tokenizers import Tokenizer

from pincite.chunkers.budget import CAMEL, bigrams
from pincite.chunkers.token_weights import CLASSES, LEVELS, STEP

BLOCK_CHARS = 650
BLOCKS_PER_KIND = 6000
PULL = 3.0  # 0.3 to 3 differ by less than 0.002 in the held-out error
SUFFIXES = {".md", ".py", ".js", ".txt", ".rst", ".go", ".rs", ".java", ".ts", ".c", ".cpp"}


def texts(place: Path) -> list[str]:
    """All texts below a folder, or in one file."""
    if place.suffix == ".jsonl":
        return [json.loads(line)["text"] for line in place.open(encoding="utf-8")]
    if place.is_dir():
        files = sorted(each for each in place.rglob("*") if each.suffix in SUFFIXES)
        return [each.read_text("utf-8", "replace")[:400_000] for each in files]
    return [place.read_text("utf-8", "replace")]


def blocks(text: str) -> list[str]:
    """Whole lines up to about BLOCK_CHARS characters."""
    found, current = [], ""
    for line in text.splitlines(keepends=True):
        current += line[:2000]
        if len(current) >= BLOCK_CHARS:
            found.append(current)
            current = ""
    return [each for each in (*found, current) if len(each) > 40]


def prior() -> NDArray[np.float64]:
    """0.9 for whatever begins a word, 0.1 for what goes on, 1 for marks and ideographs."""
    table = np.full((CLASSES, CLASSES), 0.1)
    table[0, :] = 0.9
    table[:, [1, 30, 31]] = 1.0
    table[:, 0] = 0.0
    return np.concatenate([table.ravel(), [0.9]])


def main() -> None:
    """See the module's docstring."""
    tokenizer = Tokenizer.from_file(sys.argv[1])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    shuffle = random.Random(0).shuffle
    fitted, wanted, held_out = [], [], {}
    for name in sys.argv[2:]:
        found = [block for text in texts(Path(name)) for block in blocks(text)]
        shuffle(found)
        found = found[:BLOCKS_PER_KIND]
        rows = np.array([np.bincount(bigrams(b), minlength=CAMEL + 1) for b in found], float)
        encoded = tokenizer.encode_batch(found, add_special_tokens=False)
        counts = np.array([len(each.ids) for each in encoded], float)
        half = len(found) // 2
        # errors in per cent of a block, and no kind of text outweighs another
        weight = np.sqrt(BLOCKS_PER_KIND / (2 * half) / np.maximum(counts[:half], 1))
        weight = np.minimum(weight, np.sqrt(8 / np.maximum(counts[:half], 1)))
        fitted.append(rows[:half] * weight[:, None])
        wanted.append(counts[:half] * weight)
        held_out[name] = rows[half:], counts[half:]
    matrix, goal, start = np.vstack(fitted), np.concatenate(wanted), prior()
    square = matrix.T @ matrix + PULL * np.eye(len(start))
    root = np.linalg.cholesky(square).T
    target = np.linalg.solve(root.T, matrix.T @ goal + PULL * start)
    weights, _ = nnls(root, target, maxiter=50_000)
    levels = np.minimum(np.round(weights / STEP), len(LEVELS) - 1).astype(int)
    for row in levels[:CAMEL].reshape(CLASSES, CLASSES):
        print('    "' + "".join(LEVELS[level] for level in row) + '"')
    print(f"camel: {LEVELS[levels[CAMEL]]}")
    for name, (rows, counts) in held_out.items():
        ratio = counts / np.maximum(rows @ (levels * STEP), 1)
        print(
            f"{name}: blocks {len(counts)}, real/estimate mean {ratio.mean():.3f}"
            f" sd {ratio.std():.3f} p99 {np.quantile(ratio, 0.99):.3f}"
        )


if __name__ == "__main__":
    main()
