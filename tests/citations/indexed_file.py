"""One file that is indexed, cited and changed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.get import get
from pincite.citations.passage import Passage
from tests.ingestion.office import Office
from tests.sources.helpers import commit


class Folder(Office):
    """One indexed file, of a folder or of a checkout."""

    def __init__(self, folder: Path, content: bytes, path: str = "a.txt", *, git: bool = False):
        super().__init__(folder)
        self.path = path
        self.put(path, content)
        sha = commit(self.folder / "docs") if git else ""
        self.run("docs")
        self.chunk = self.chunks()[0]
        assert not git or self.chunk.ref == sha
        self.cited = f"{self.chunk.repo}@{self.chunk.ref}:{path}"

    def check(self, citation: str, quote: str = "") -> ClaimCheck:
        return asyncio.run(check_claims(self.index, [Claim(citation, quote)], self.folder))[0]

    def get(self, locator: str) -> Passage:
        return asyncio.run(get(self.index, locator, 0, self.folder))
