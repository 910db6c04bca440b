"""Records that are read, cited and checked."""

from __future__ import annotations

from pincite.citations.check_item import Checked
from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.get import get
from pincite.citations.passage import Passage
from pincite.citations.verify import verify
from pincite.model import EvidencePack, Scope
from pincite.model.citation import cite
from tests.records.desk import Desk, run

TEXT = "First line.\nThe printer is on fire.\nCall the brigade.\nLast line."


class Shelf(Desk):
    """Records that can be read and checked."""

    def cited(self, path: str) -> str:
        (chunk,) = [one for one in run(self.chunks()) if one.path == path]
        return cite(chunk)

    def get(self, locator: str, context: int = 0) -> Passage:
        return run(get(self.index, locator, context, self.root))

    def check(self, citation: str, quote: str = "") -> ClaimCheck:
        return run(check_claims(self.index, [Claim(citation, quote)], self.root))[0]

    def verify(self, pack: EvidencePack) -> Checked:
        return run(verify(self.index, pack, folder=self.root))[0]


def pack_of(shelf: Shelf) -> EvidencePack:
    from pincite.ports import Searchable
    from pincite.providers.sparse.bm25 import Bm25Encoder
    from tests.small_search import ask

    (info,) = run(shelf.index.collections())
    one = Searchable(info.spec, shelf.index, Bm25Encoder())
    return ask("printer fire", one, scope=Scope())
