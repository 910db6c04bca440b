"""Vectors that no search asks, because they are not complete or were kept: not lost by the way."""

from __future__ import annotations

from pincite.testing.contract_server import ContractServer
from tests.surfaces.cli.models.embedding import wait_until_embedded
from tests.surfaces.cli.models.in_process import run, said
from tests.surfaces.cli.models.two_models import (
    OPENAI,
    VOYAGE,
    WITH_OPENAI,
    paths,
    search,
    shop,
    start,
)
from tests.surfaces.conftest import Cli

__all__ = ["shop"]


def test_vectors_that_are_being_filled_in_or_were_kept_are_not_begun_anew(
    server: ContractServer, shop: Cli
) -> None:
    beside = ("index", "-c", "docs", "--model", OPENAI, "--beside")
    again = ("reembed", "docs", "--to", OPENAI)
    running = start(shop, *again, "--rate", "2")
    wait_until_embedded(server, 2)
    running.kill()
    running.communicate(timeout=600)
    there = run(shop, "collections")
    shop.write("docs/new.md", "# New\n\nA turnstile of brass rotates.\n")
    run(shop, *beside, code=2)
    assert f"{WITH_OPENAI} has vectors of {OPENAI} for docs and is not complete" in said()
    assert f"to finish it: pincite {' '.join(again)};" in said()
    assert f"to discard it: pincite collections drop {WITH_OPENAI};" in said()
    shown = said().partition("to index as before: pincite ")[2].split()
    assert run(shop, "collections") == there
    run(shop, *shown)  # as the hint says
    run(shop, *again, "--keep")
    assert len(paths(search(shop), WITH_OPENAI)) == 6
    run(shop, "index", "-c", "docs", "--model", VOYAGE, code=2)
    assert "docs has vectors of voyage:voyage-4@256 for docs and was kept" in said()
    assert f"to go back to it: pincite reembed docs --to {VOYAGE}" in said()
    run(shop, "collections", "drop", WITH_OPENAI, "--yes")
    assert len(paths(search(shop), "docs")) == 6


def test_what_was_kept_can_be_given_up(server: ContractServer, shop: Cli) -> None:
    run(shop, "reembed", "docs", "--to", OPENAI, "--keep")
    run(shop, "reembed", "docs", "--to", VOYAGE, "--keep")
    shop.write("docs/new.md", "# New\n\nA turnstile of brass rotates.\n")
    beside = ("index", "-c", "docs", "--model", OPENAI, "--beside")
    run(shop, *beside, code=2)
    run(shop, "collections", "drop", WITH_OPENAI, "--yes")
    run(shop, *beside)
    assert paths(search(shop), WITH_OPENAI) == ["new.md"]


def test_the_model_that_it_has_already_changes_nothing(server: ContractServer, shop: Cli) -> None:
    before = run(shop, "collections", "--json")
    for _ in range(2):
        run(shop, "reembed", "docs", "--to", VOYAGE)
        assert "docs already uses voyage:voyage-4@256: nothing to do" in said()
    assert run(shop, "collections", "--json") == before
    assert "a part of" not in run(shop, "collections")
    assert "a part of" not in run(shop, "status")
