"""An open workspace within the bounds of one access."""

from __future__ import annotations

from functools import partial
from typing import Final

from pincite.answering.basis import nothing_indexed
from pincite.asking import SearchOptions, question_of
from pincite.deps import Admission
from pincite.engine.contexts import Contexts
from pincite.model import Attributes, EvidencePack
from pincite.ports import Files
from pincite.scope.choosing import Admit, Choice
from pincite.stages.pack import SCHEMA_VERSION
from pincite.support.fields import replace
from pincite.trace import Trace
from pincite.workspace.access.second_check import SecondCheck
from pincite.workspace.indexing import SOURCE
from pincite.workspace.model import Access
from pincite.workspace.replaced_texts import FilesOfWorkspaces
from pincite.workspace.workspace_engine import WorkspaceEngine

_NOTHING: Final = "no indexed document is accessible"


def document_of(path: str) -> str:
    """Return the id of the document with this path in the index."""
    return path.rpartition("/")[2]


class WithinAccess(Contexts):
    """A workspace within the bounds of an access."""

    def __init__(
        self,
        engine: WorkspaceEngine,
        check: SecondCheck,
        access: Access,
        bounds: Attributes,
        collections: tuple[str, ...],
        *,
        wide: bool = False,
    ) -> None:
        """With `wide`, the search checks the document of each hit in addition to the bounds."""
        self.bounds = bounds
        self.collections = collections
        self._engine, self._check = engine, check
        self._access = access
        self.wide, self.shown = wide, False  # `shown`: has a document passed `may_show`?

    @property
    def admission(self) -> Admit:
        """Return the check that a search applies to its candidates."""
        check, access = self._check, self._access
        choice = Choice(partial(check.chosen, access), partial(check.all_chosen, access))
        return Admission(self.admit, choice if self.wide else None, self._compared)

    def _compared(self, files: Files) -> Files:
        return FilesOfWorkspaces(files, partial(self._check.replaced, self._access))

    async def admit(self, ids: frozenset[str]) -> frozenset[str]:
        """Return the documents whose passages may be shown."""
        return await self._check.admitted(self._access, ids)

    async def may_show(self, path: str) -> bool:
        """Return whether text of the document with this path may be shown."""
        ids = frozenset({document_of(path)})
        if self.wide:  # no bound covers these, so nothing is an alarm
            ids = await self._check.chosen(self._access, ids)
        may = bool(ids) and ids == await self.admit(ids)
        self.shown = self.shown or may
        return may

    def narrowed(self, asked: SearchOptions) -> SearchOptions:
        """Return the options restricted to readable documents. Raise UsageError."""
        scope = replace(
            question_of(asked).scope,
            collections=self.collections,
            sources=(SOURCE,),
            bounds=self.bounds,
        )
        return replace(asked, scope=scope, where="")

    async def find(self, asked: SearchOptions, trace: Trace | None = None) -> EvidencePack:
        """Search as `AsyncPincite.find` does, within the bounds."""
        if not self.collections:
            question_of(asked)
            return nothing_indexed(asked.text, SCHEMA_VERSION, _NOTHING)
        return await self._engine.find(self.narrowed(asked), trace=trace, admit=self.admission)
