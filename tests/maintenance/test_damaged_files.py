"""A file that is half written or damaged does not vanish: its text stays, and all say why."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.engine import AsyncPincite
from pincite.errors import SourceError
from tests.daemon.refresh.refreshed import engine_of, run, write
from tests.readers.office_files import docx

REASON = "it cannot be opened as a zip file"


async def got(engine: AsyncPincite, locator: str) -> str:
    """The text, or the error."""
    try:
        return (await engine.get(locator)).text
    except SourceError as error:
        return error.message


def test_a_half_written_file_is_found_again_when_it_is_whole_and_is_explained_until_then() -> None:
    async def check(folder: Path) -> None:
        whole = docx("A zeppelin above the harbour.")
        write(folder, "docs/a.md", "# A\n\nThe fox.\n")
        page = folder / "docs" / "odd.docx"
        page.write_bytes(whole)
        async with engine_of(folder, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            before = await engine.search("zeppelin")
            (found,) = before.evidence
            page.write_bytes(whole[: len(whole) // 2])
            (trouble,) = (await engine.refresh()).troubles
            assert "the text read before stays in the index" in trouble.message
            pack = await engine.search("zeppelin")
            (left_out,) = pack.omitted
            assert left_out.why == "stale"
            assert f"its file has changed and cannot be read: {REASON}" in left_out.detail
            assert pack.absent_terms.index == ()
            assert any(REASON in one.message for one in pack.warnings)
            assert f"odd.docx cannot be read: {REASON}" in await got(engine, "odd.docx")
            (claim,) = await engine.check(found.citation)
            (item,) = await engine.verify(before)
            assert (claim.status, item.status) == ("unknown", "unknown")
            assert REASON in claim.detail
            assert REASON in item.detail
            (again,) = (await engine.refresh()).troubles
            assert again.message.startswith(f"odd.docx of docs cannot be read: {REASON}")
            page.write_bytes(whole)
            assert (await engine.refresh()).troubles == ()
            assert (await engine.search("zeppelin")).evidence[0].citation == found.citation
            ((source,),) = [info.sources for info in await engine.collections()]
            assert source.skipped == {}

    run(check)


def test_an_empty_office_file_is_not_read_rather_than_without_text() -> None:
    async def check(folder: Path) -> None:
        page = folder / "docs" / "odd.docx"
        write(folder, "docs/a.md", "# A\n\nThe fox.\n")
        page.write_bytes(docx("A zeppelin."))
        async with engine_of(folder, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            page.write_bytes(b"")
            await engine.refresh()
            said = "was not read: the file has nothing in it"
            with pytest.raises(SourceError, match=said) as caught:
                await engine.get("odd.docx")
            assert caught.value.hint == ""  # `pincite index` would drop the text that is kept
            (claim,) = await engine.check("docs:odd.docx#page=1")
            assert claim.status == "unknown"
            assert "the file has nothing in it" in claim.detail

    run(check)
