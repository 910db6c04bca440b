"""A file that was found may not send questions away."""

from __future__ import annotations

from pathlib import Path

from pincite.settings.file.layers import read_layers
from pincite.settings.file.trust import claims_of


def test_spans_take_trust_and_so_do_texts_in_them(tmp_path: Path) -> None:
    config = tmp_path / "pincite.toml"
    config.write_text("[tracing]\nenabled = false\ntexts = false\n")
    assert claims_of(read_layers(config)) == ()
    config.write_text("[tracing]\nenabled = true\ntexts = true\n")
    assert [claim.key for claim in claims_of(read_layers(config))] == [
        "tracing.enabled", "tracing.texts",
    ]  # fmt: skip
