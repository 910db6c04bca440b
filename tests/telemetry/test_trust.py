"""A file that was found may not send questions away."""

from __future__ import annotations

from pathlib import Path

from pincite.settings.file.layers import read_layers
from pincite.settings.file.trust import claims_of


def test_texts_in_spans_take_trust_and_spans_without_them_do_not(tmp_path: Path) -> None:
    config = tmp_path / "pincite.toml"
    config.write_text("[tracing]\nenabled = true\ntexts = false\n")
    assert claims_of(read_layers(config)) == ()
    config.write_text("[tracing]\ntexts = true\n")
    (claim,) = claims_of(read_layers(config))
    assert claim.key == "tracing.texts"
