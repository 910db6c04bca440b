"""The lines in which reports and the catalog list files that were left out, or noted."""

from __future__ import annotations


def line_of(code: str, path: str, detail: str = "") -> str:
    """Return the line of a file: `code: path (detail)`."""
    return f"{code}: {path} ({detail})" if detail else f"{code}: {path}"


def path_of(line: str) -> str:
    """Return the path in a line."""
    path = line.partition(": ")[2]
    return path.rpartition(" (")[0] if path.endswith(")") and " (" in path else path


def lies_in(path: str, part: str) -> bool:
    """Is this path, or part, within a part of a source? A folder ends in a slash, "" is all."""
    return not part or path == part or (part.endswith("/") and path.startswith(part))
