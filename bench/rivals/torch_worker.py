"""Sentence-transformers on torch in fp32, in a process and a Python of its own.

`python torch_worker.py MODEL_FOLDER THREADS`, with `torch` and `sentence-transformers` and nothing
of Pincite. For each line of JSON on stdin, `{"texts": [...], "batch": 8, "save": "" | "x.npy"}`,
it encodes the texts (sorted by length, as that library does) and prints the seconds.
"""

from __future__ import annotations

import json
import sys
import time

MAX_PIECES = 256


def main(folder: str, threads: str) -> None:
    """See the module's docstring."""
    import numpy as np
    import sentence_transformers  # type: ignore[import-not-found]
    import torch  # type: ignore[import-not-found]

    torch.set_num_threads(int(threads))
    model = sentence_transformers.SentenceTransformer(folder, device="cpu")
    model.max_seq_length = MAX_PIECES
    versions = f"torch {torch.__version__}, sentence-transformers"
    print(f"{versions} {sentence_transformers.__version__}", flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        started_s = time.perf_counter()
        vectors = model.encode(
            job["texts"],
            batch_size=job["batch"],
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        spent_s = time.perf_counter() - started_s
        if job["save"]:
            np.save(job["save"], vectors)
        print(spent_s, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
