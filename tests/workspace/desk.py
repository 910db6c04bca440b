"""A workspace of two users with a team, and the same file in three spaces."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pincite.settings.load import load_settings
from pincite.workspace import Access, Document
from pincite.workspace.workspace import Workspace
from tests.quick_folder import quick_folder
from tests.workspace.memory import Memory, page, uuid

ANNA, BERT = uuid(1), uuid(2)
HERS, HIS, TEAM = uuid(11), uuid(12), uuid(13)
SAME = "The turnstile of the quetzal rotates every night."


@dataclass
class Desk:
    """A workspace with one document in each of three spaces."""

    workspace: Workspace
    memory: Memory
    hers: Document
    his: Document
    team: Document

    async def found(
        self, access: Access, text: str = "turnstile quetzal", **more: object
    ) -> set[str]:
        """The ids of the documents that a search shows."""
        pack = await self.workspace.search(access, text, **more)  # type: ignore[arg-type]
        return {item.path.rpartition("/")[2] for item in (*pack.evidence, *pack.closest)}


@asynccontextmanager
async def opened_desk(store: str = "edge") -> AsyncIterator[Desk]:
    """A workspace, indexed by word."""
    with quick_folder() as folder:
        (folder / "pincite.toml").write_text(f'[store]\nkind = "{store}"\n')
        settings = load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, folder)
        memory = Memory({HERS: {ANNA}, HIS: {BERT}, TEAM: {ANNA, BERT}})
        async with Workspace(settings, memory, lexical=True) as workspace:  # type: ignore[arg-type]
            made = Desk(
                workspace,
                memory,
                memory.add(21, HERS, ANNA),
                memory.add(22, HIS, BERT),
                memory.add(23, TEAM, BERT, source_ids=("mail",), given={"category": "report"}),
            )
            for one in (made.hers, made.his):
                await workspace.index_document(one, page(SAME))
            await workspace.index_document(made.team, page(f"{SAME} So does that of the team."))
            yield made
            await workspace._engine.stop()
