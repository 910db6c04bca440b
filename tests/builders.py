"""Small values for tests, with everything that does not matter filled in."""

from __future__ import annotations

from hashlib import blake2b

from pincite.model import Candidate, Chunk, Hit, Ranking, Signal, SignalKind, SignalName


def chunk(name: str = "a", *, text: str | None = None, **values: object) -> Chunk:
    """A chunk of `docs/<name>.md`, lines 1 to 2."""
    body = f"text of {name}\nand more" if text is None else text
    fields: dict[str, object] = {
        "id": blake2b(name.encode(), digest_size=16).hexdigest(),
        "repo": "acme/docs",
        "ref": "c0ffee",
        "path": f"docs/{name}.md",
        "source_type": "docs",
        "language": "markdown",
        "start": 0,
        "end": len(body),
        "start_line": 1,
        "end_line": 1 + body.count("\n"),
        "text": body,
        "content_hash": "0" * 64,
    }
    return Chunk(**(fields | values))  # type: ignore[arg-type]


def candidate(
    name: str = "a", score: float = 1.0, *, signal: SignalName = "fused", **values: object
) -> Candidate:
    """A candidate with one signal."""
    kind: SignalKind = "cosine" if signal == "dense" else "normalised"
    one = chunk(name, **values)  # type: ignore[arg-type]
    return Candidate("main", one, (Signal(signal, kind, score),))


def ranking(signal: SignalName, *hits: tuple[str, float], collection: str = "main") -> Ranking:
    """A ranking of named chunks, all found by the source itself."""
    kind: SignalKind = "cosine" if signal == "dense" else "bm25"
    found = tuple(Hit(chunk(name).id, score) for name, score in hits)
    return Ranking(collection, signal, kind, found, len(found))
