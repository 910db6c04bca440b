"""A checkout that is indexed, and whose files change after that."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.engine import AsyncPincite
from pincite.ingestion.options import IndexOptions
from pincite.settings.load import load_settings
from tests.quick_folder import quick_folder
from tests.sources.helpers import commit

FILE = "a walrus sleeps on ice\nand dreams of fish\n"
PAGE = f"# Animals\n\nSome are large.\n\n## Giraffes\n\n{'They eat the trees. ' * 60}\n\n" + (
    f"## Walruses\n\n{'They sleep on ice. ' * 60}\n"
)
RULE = r"docs/(.*)\.md=>https://acme.example/\1/"


class Repository:
    """A checkout that was indexed at its first commit."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "acme"
        self.settings = load_settings({"PINCITE_IDLE_S": "60"}, folder)
        self.write("walrus.txt", FILE)
        self.write("docs/page.md", PAGE)
        self.sha = commit(self.place)
        self.citation = f"acme@{self.sha}:walrus.txt#L1-L2"

    def write(self, path: str, text: str) -> None:
        (self.place / path).parent.mkdir(parents=True, exist_ok=True)
        (self.place / path).write_text(text)

    def index(self, **attributes: str) -> None:
        async def session() -> None:
            async with AsyncPincite(self.settings) as engine:
                options = IndexOptions(lexical=True, url_rule=RULE, attributes=attributes)
                await engine.index([self.place], options=options)

        asyncio.run(session())

    def check(self, citation: str = "", quote: str = "") -> ClaimCheck:
        async def session() -> ClaimCheck:
            async with AsyncPincite(self.settings) as engine:
                (found,) = await engine.check([Claim(citation or self.citation, quote)])
                return found

        return asyncio.run(session())


@pytest.fixture
def repository() -> Iterator[Repository]:
    with quick_folder() as folder:
        made = Repository(folder)

        async def stop() -> None:
            async with AsyncPincite(made.settings) as engine:
                await engine.stop()

        made.index()
        yield made
        asyncio.run(stop())
