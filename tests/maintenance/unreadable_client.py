"""What becomes of files and folders that cannot be read for a while, where the daemon is no
exception from permissions. `test_refresh_troubles` starts this."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from pincite.engine import AsyncPincite
from tests.daemon.refresh.refreshed import contents, engine_of, settles, write


async def troubled(engine: AsyncPincite) -> bool:
    pack = await engine.search("fox")
    return any(one.code == "not_refreshed" for one in pack.warnings)


async def left_out(engine: AsyncPincite) -> tuple[str, ...]:
    (info,) = await engine.client().collections()
    return info.sources[0].skipped_paths


async def check_file(folder: Path) -> None:
    """An indexed file that changes while it cannot be read stays, and comes back by itself."""
    async with engine_of(folder) as engine:
        await engine.index(folder / "docs", lexical=True)
        before = await contents(engine)
        page, new = folder / "docs/p1.md", write(folder, "docs/new.md", "# New\n\nThe owl.\n")
        page.chmod(0)
        new.chmod(0)
        page.chmod(0o600)
        page.write_text("# Page 1\n\nThe fox and the wombat.\n")
        page.chmod(0)
        await settles(lambda: troubled(engine))
        assert await contents(engine) == before
        page.chmod(0o600)
        new.chmod(0o600)

        async def indexed() -> bool:
            found = await contents(engine)
            return found["p1.md"] != before["p1.md"] and "new.md" in found

        await settles(indexed)

        async def fine() -> bool:
            return not await troubled(engine) and not await left_out(engine)

        await settles(fine)


async def check_folder(folder: Path) -> None:
    """A folder is listed as unreadable only as long as it is."""
    async with engine_of(folder) as engine:
        write(folder, "docs/sub/a.md", "# A\n\nThe fox.\n")
        await engine.index(folder / "docs", lexical=True)
        (folder / "docs/sub").chmod(0)
        write(folder, "docs/p1.md", "# Page 1\n\nThe fox and the wombat.\n")
        await settles(lambda: troubled(engine))
        assert await left_out(engine) == ("unreadable: sub/ (Permission denied)",)
        before = await contents(engine)
        (folder / "docs/sub").chmod(0o700)
        write(folder, "docs/sub/a.md", "# A\n\nThe fox and the quokka.\n")

        async def fine() -> bool:
            indexed = (await contents(engine))["sub/a.md"] != before["sub/a.md"]
            return indexed and not await troubled(engine) and not await left_out(engine)

        await settles(fine)


if __name__ == "__main__":
    asyncio.run({"file": check_file, "folder": check_folder}[sys.argv[1]](Path(sys.argv[2])))
