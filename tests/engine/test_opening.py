"""Both classes open what they are given alike, and say what is wrong with it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pincite import AsyncPincite, Claim, IndexNotFound, Pincite, UsageError
from pincite.settings.load import load_settings
from pincite.support.fields import replace
from pincite.testing.fakes import OverlapReranker

Opening = Callable[..., Path]


def opened_async(*given: Any, **named: Any) -> Path:
    return AsyncPincite(*given, **named).settings.index


def opened_sync(*given: Any, **named: Any) -> Path:
    with Pincite(*given, **named) as pincite:
        return pincite._engine.settings.index


both = pytest.mark.parametrize("opened", [opened_async, opened_sync])


@both
def test_an_index_is_a_path_settings_or_what_the_current_folder_says(
    opened: Opening, shop: Path
) -> None:
    place = shop / ".pincite"
    settings = load_settings({}, shop, place)
    for given in (".pincite", "./.pincite", Path(".pincite"), place, str(place), settings, None):
        assert opened(given) == place
    assert opened() == opened(index=".pincite") == place
    assert opened("elsewhere/.pincite") == shop / "elsewhere/.pincite"
    assert not (shop / "elsewhere").exists()


@both
def test_the_environment_names_the_index_where_the_program_does_not(
    opened: Opening, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINCITE_INDEX", str(shop / "other"))
    assert opened() == shop / "other"
    assert opened(".pincite") == shop / ".pincite"


@both
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("docs/keys.md", "docs/keys.md is a file, but an index is a folder"),
        (Path("docs/keys.md"), "is a file, but an index is a folder"),
        ("", "index is ''; it takes the path of an index folder or Settings"),
        (3, "index is 3; it takes the path of an index folder or Settings"),
        (b".pincite", "index is b'.pincite'"),
        (["a"], r"index is \['a'\]"),
        ("a\0b", "index is 'a"),
    ],
)
def test_what_is_no_index_is_wrong_usage(opened: Opening, given: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        opened(given)


@both
def test_settings_of_a_file_are_wrong_usage(opened: Opening, shop: Path) -> None:
    settings = replace(load_settings({}, shop), index=shop / "docs/keys.md")
    with pytest.raises(UsageError, match="is a file"):
        opened(settings)


@both
def test_a_reranker_is_an_object_and_no_name(opened: Opening) -> None:
    with pytest.raises(UsageError, match="reranker is 'cohere:x'; it takes an object") as caught:
        opened(reranker="cohere:x")
    assert "[models] rerank" in caught.value.hint
    with pytest.raises(TypeError):
        opened(".pincite", OverlapReranker())
    assert opened(reranker=OverlapReranker())


@both
def test_what_is_missing_in_a_reranker_is_named(opened: Opening) -> None:
    class Bare:
        async def rerank(self, *_: object, **__: object) -> None: ...

    class Wrong(Bare):
        fingerprint, kind, listwise, instructed = "", "percent", 1, None

        def rerank(self, *_: object, **__: object) -> None: ...  # type: ignore[override]

    attributes = r"fingerprint \(a text\), kind \(.*logit.*\), listwise \(.*\), instructed \(.*\)"
    with pytest.raises(UsageError, match=f"missing in it or of another type: {attributes}\n"):
        opened(reranker=Bare())
    with pytest.raises(UsageError, match=f"{attributes}, rerank \\(async def\\)\n"):
        opened(reranker=Wrong())
    with pytest.raises(UsageError, match="it takes an object"):
        opened(reranker=OverlapReranker)


@both
def test_a_folder_that_is_gone_is_said(opened: Opening, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    with pytest.raises(UsageError, match="the current folder no longer exists or cannot be read"):
        opened()
    os.chdir(tmp_path)


@both
def test_an_index_with_an_absolute_path_is_opened_in_a_folder_that_is_gone(
    opened: Opening, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    try:
        opened(tmp_path / ".pincite")
        with pytest.raises(UsageError, match="the current folder no longer exists"):
            opened(".pincite")
    finally:
        os.chdir(tmp_path)


def test_nothing_is_indexed_where_nobody_has_indexed(tmp_path: Path) -> None:
    with Pincite(tmp_path / ".pincite") as pincite, pytest.raises(IndexNotFound):
        pincite.search("a question")
    assert not (tmp_path / ".pincite").exists()


def test_a_closed_one_says_so_and_can_be_closed_again() -> None:
    pincite = Pincite(".pincite")
    pincite.close()
    pincite.close()
    with pytest.raises(UsageError, match="this Pincite is closed"):
        pincite.search("a question")


def test_both_answer_alike_with_the_names_of_the_command_line() -> None:
    asked: dict[str, Any] = {
        "limit": 3,
        "kinds": "code",
        "paths": "src/*",
        "not_paths": ["docs/*"],
        "where": "kind = 'code' and not path ^= docs",
        "collections": "main",
        "by": "keyword",
        "mode": "build",
        "context": "section",
    }

    async def search() -> Any:
        async with AsyncPincite(".pincite") as pincite:
            return await pincite.search("rotate a key", **asked)

    with Pincite(".pincite") as pincite:
        pack = pincite.search("rotate a key", **asked)
        assert [one.path for one in pack] == ["src/keys.py"]
        assert pack.plan.mode == "build"
        assert replace(asyncio.run(search()), timings_ms={}) == replace(pack, timings_ms={})
        every = pincite.search("rotate a key")
        assert {one.path for one in every} == {"docs/keys.md", "src/keys.py"}
        assert len(pincite.search("rotate a key", limit=1)) == 1
        with pytest.raises(UsageError, match="no collection is named 'other'"):
            pincite.search("rotate a key", collections="other")
        wrong: Any = {"trace": True, "profile": "evidence"}
        for name, value in wrong.items():
            with pytest.raises(UsageError, match=f"{name} is {value!r}; it takes a"):
                pincite.search("rotate a key", **{name: value})
        with pytest.raises(TypeError, match="path"):
            pincite.search("rotate a key", path="src/*")  # type: ignore[call-arg]


def test_claims_are_citations_ids_and_quotes_and_nothing_else_is_fresh() -> None:
    with Pincite(".pincite") as pincite:
        pack = pincite.search("rotate a key", kinds="docs")
        cited, known = pack[0].citation, f"#{pack[0].chunk_id}"
        given: list[Any] = [cited, known, Claim(cited, "no such words"), "", "#", " ", "#0", "x"]
        statuses = [one.status for one in pincite.check(given)]
        assert statuses == ["fresh", "fresh", "changed", *["unknown"] * 5]
        assert [one.status for one in pincite.check(cited)] == ["fresh"]
        wrong: Any
        for wrong in (3, None, [3], [b"a"], {"citation": 3}.values()):
            with pytest.raises(UsageError, match=r"^claims .* citations or Claims"):
                pincite.check(wrong)


def test_text_that_is_no_unicode_can_be_asked_everywhere() -> None:
    with Pincite(".pincite") as pincite:
        for name in ("paths", "not_paths", "sources"):
            pincite.search("rotate \udcff a key", **{name: "\udcff"})  # type: ignore[arg-type]
        pincite.search("rotate a key", ref="\udcff", where="path = '\udcff'")


@pytest.mark.parametrize("end", ["", "raise SystemExit(0)", "1 / 0"])
def test_a_program_that_closes_nothing_ends_all_the_same(shop: Path, end: str) -> None:
    program = (
        f"from pincite import Pincite\none = Pincite()\nprint(one.search('a key')[0].path)\n{end}"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=shop, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "docs/keys.md\n"
    assert [line for line in done.stderr.splitlines() if "Error" in line] == (
        ["ZeroDivisionError: division by zero"] if end == "1 / 0" else []
    )
