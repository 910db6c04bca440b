"""Many citations at once: equal ones are checked once, and progress is told."""

from __future__ import annotations

from pathlib import Path

from pincite import Claim, Pincite
from pincite.support.fields import replace

LINES = 2_000


def test_equal_items_and_claims_count_once(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# Walrus\n\n" + "the walrus dreams again\n" * LINES)
    done: list[tuple[int, int]] = []

    def told(count: int, total: int) -> None:
        done.append((count, total))

    with Pincite(tmp_path / ".pincite") as engine:
        engine.index(folder, lexical=True)
        pack = engine.search("walrus dreams", limit=2)
        first, second = pack.evidence[:2]
        items = tuple(
            replace(second if number == 7 else first, number=number) for number in range(1, 20_001)
        )
        found = engine.verify(replace(pack, evidence=items), progress=told)
        assert [one.number for one in found] == [one.number for one in items]
        assert [one.citation for one in found] == [one.citation for one in items]
        assert {one.status for one in found} == {"fresh"}
        assert done == [(0, 2), (1, 2)]
        done.clear()
        claims = [Claim(f"notes/a.md:{number + 3}", "he walrus") for number in range(3)] * 2
        assert {one.status for one in engine.check(claims, progress=told)} == {"changed"}
        assert done == [(0, 3), (1, 3), (2, 3)]
