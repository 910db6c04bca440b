"""Two collections that read the same file differently: each claim is about its own."""

from __future__ import annotations

from pathlib import Path

from pincite import Pincite
from pincite.citations.compare_claim import Claim
from pincite.settings.load import load_settings

KEY = "ghp_0123456789abcdefghijABCDEFGHIJ"


def test_the_verdict_on_a_claim_does_not_depend_on_the_other_claims(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    text = f"# Gateway\n\nThe gateway takes {KEY} as key.\n"
    variables = {"PINCITE_IDLE_S": "60", "PINCITE_REFRESH": "manual"}
    with Pincite(load_settings(variables, tmp_path)) as pincite:
        ids = []
        for name, masked in (("masked", True), ("plain", False)):
            (tmp_path / "docs" / "gateway.md").write_text(text)
            text = f"Once more.\n\n{text}"
            pincite.index(
                tmp_path / "docs",
                name="docs",
                collection=name,
                lexical=True,
                mask_secrets=masked,
            )
            found = pincite.search("gateway key", collections=[name])[0]
            assert (KEY in found.text) is not masked
            ids.append(Claim(f"#{found.chunk_id}"))
        assert len(set(ids)) == 2
        assert [one.status for one in pincite.check(ids)] == ["moved", "fresh"]
        assert [one.status for one in pincite.check(ids[::-1])] == ["fresh", "moved"]
        pincite.stop()
