"""semble without a model, in a process and a Python of its own: words, its ranking, no network.

`python semble_worker.py`, with `semble` and nothing of Pincite. For each line of JSON on stdin,
`{"root": folder, "queries": [...], "results": 50}`, it indexes the folder and prints
`{"index_s": seconds, "query_ms": [...], "files": [[path, ...], ...]}`. It reads only code, and
pages too if the line has `"pages": true`. The first line that it prints is its version.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any


class NoModel:
    """Gives every text the same vector, so that nothing is closer than anything else."""

    dim = 1

    def encode(self, texts: Any, **_: Any) -> Any:
        """One row for each text."""
        import numpy as np

        count = 1 if isinstance(texts, str) else len(texts)
        rows = np.ones((count, 1), dtype=np.float32)
        return rows[0] if isinstance(texts, str) else rows


def main() -> None:
    """See the module's docstring."""
    from semble.index.create import (  # type: ignore[import-not-found]
        create_index_from_path,
    )
    from semble.index.index import SembleIndex  # type: ignore[import-not-found]
    from semble.types import ContentType  # type: ignore[import-not-found]

    print(metadata.version("semble"), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        root, model = Path(job["root"]), NoModel()
        pages = (ContentType.DOCS,) if job.get("pages") else ()
        content = (ContentType.CODE, *pages)
        started_s = time.perf_counter()
        made = create_index_from_path(root, model, content=content, display_root=root)
        index_s = time.perf_counter() - started_s
        words, vectors, chunks, manifest = made
        index = SembleIndex(
            model, words, vectors, chunks, "none", content=content, manifest=manifest
        )
        files, query_ms = [], []
        for query in job["queries"]:
            started_s = time.perf_counter()
            found = index.search(query, top_k=job["results"], alpha=0.0)
            query_ms.append((time.perf_counter() - started_s) * 1000)
            files.append([one.chunk.file_path for one in found])
        print(json.dumps({"index_s": index_s, "query_ms": query_ms, "files": files}), flush=True)


if __name__ == "__main__":
    main()
