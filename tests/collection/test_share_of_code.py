"""The share of code in a collection decides how deep it is searched and how it is ranked."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pincite import AsyncPincite
from pincite.model import Scope

CODE = "def rotate_{0}(key):\n    return key + {0}\n"


def test_a_repository_with_much_data_is_searched_as_deep_as_code(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    for number in range(4):
        (shop / f"rotate_{number}.py").write_text(CODE.format(number), encoding="utf-8")

    async def check() -> None:
        found = {}
        async with AsyncPincite(tmp_path / "index") as engine:
            try:
                for number in range(6):  # of 4 files of code, as many others
                    await engine.index([shop], lexical=True)
                    (one,) = (await engine.deps(Scope())).collections
                    found[number] = (one.code, one.deep)
                    file = shop / f"prices_{number}.json"
                    file.write_text(f'{{"price": {number}}}', encoding="utf-8")
            finally:
                await engine.stop()
        all_code, half_code, data = (True, True), (False, True), (False, False)
        assert found == dict(enumerate((all_code, all_code, *(half_code,) * 3, data)))

    asyncio.run(check())
