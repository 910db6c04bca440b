"""How much memory and disk a cluster needs: prints the table of README.md.

    dense   = chunks * dimensions * 4 bytes
    graph   = chunks * 32 links * 4 bytes           (m = 16, twice that on the lowest level)
    sparse  = chunks * 60 terms * 8 bytes           (an index and a weight)
    payload = chunks * 1,200 bytes                  (text, path, lines, headings)

    memory  = replicas * 1.5 * (dense + graph + sparse)
    disk    = replicas * 2 * (dense + graph + sparse + payload)

1.5 leaves room for what optimising builds beside what is searched, 2 for the copy that it writes.
With int8 quantisation a quarter of `dense` stays in memory and the disk holds five quarters; with
vectors on disk none of it stays, and searches read from there.
"""

from __future__ import annotations

LINKS, TERMS, PAYLOAD_BYTES = 32, 60, 1_200
MEMORY_SPARE, DISK_SPARE = 1.5, 2.0
CHUNKS = (100_000, 1_000_000, 10_000_000)
DIMENSIONS = (384, 1_024)
KINDS = {"in memory": (1.0, 1.0), "int8": (0.25, 1.25), "on disk": (0.0, 1.0)}


def size_gb(chunks: int, dimensions: int, kind: str, replicas: int) -> tuple[float, float]:
    """Memory and disk of all nodes together, in GB of 10^9 bytes."""
    kept, stored = KINDS[kind]
    dense = chunks * dimensions * 4
    beside = chunks * (LINKS * 4 + TERMS * 8)
    memory = replicas * MEMORY_SPARE * (kept * dense + beside)
    disk = replicas * DISK_SPARE * (stored * dense + beside + chunks * PAYLOAD_BYTES)
    return memory / 1e9, disk / 1e9


def table(replicas: int = 2, numbers: tuple[int, ...] = CHUNKS) -> str:
    """The table in Markdown, for so many chunks each."""
    lines = [
        "| chunks | dimensions | vectors | memory, GB | disk, GB |",
        "|---:|---:|---|---:|---:|",
    ]
    for chunks in numbers:
        for dimensions in DIMENSIONS:
            for kind in KINDS:
                memory, disk = size_gb(chunks, dimensions, kind, replicas)
                cells = f"{chunks:,} | {dimensions:,} | {kind} | {memory:,.1f} | {disk:,.1f}"
                lines.append(f"| {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
