"""PDF files, written object by object."""

from __future__ import annotations

import zlib
from collections.abc import Mapping


def built(objects: Mapping[int, str | bytes], root: int = 1) -> bytes:
    """A PDF of these objects, with its table of references."""
    written, places = b"%PDF-1.7\n", {}
    for number, body in objects.items():
        places[number] = len(written)
        raw = body.encode("latin-1") if isinstance(body, str) else body
        written += b"%d 0 obj\n%s\nendobj\n" % (number, raw)
    size = max(objects) + 1
    table = b"".join(
        b"%010d 00000 n \n" % places[n] if n in places else b"0000000000 65535 f \n"
        for n in range(size)
    )
    start = len(written)
    trailer = b"trailer << /Size %d /Root %d 0 R >>" % (size, root)
    return written + b"xref\n0 %d\n%s%s\nstartxref\n%d\n%%%%EOF" % (size, table, trailer, start)


def stream(content: str | bytes, entries: str = "", packed: bool = False) -> bytes:
    raw = content.encode("latin-1") if isinstance(content, str) else content
    if packed:
        raw, entries = zlib.compress(raw), f"{entries} /Filter /FlateDecode"
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(raw), entries.encode(), raw)
