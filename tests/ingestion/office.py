"""A folder of files whose text is extracted."""

from __future__ import annotations

import os

from tests.ingestion.desk import Desk


class Office(Desk):
    """A folder of files of all kinds."""

    def put(self, path: str, raw: bytes) -> None:
        place = self.folder / "docs" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(raw)
        stamp = next(self.clock)
        os.utime(place, ns=(stamp, stamp))
