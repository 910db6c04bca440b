"""`index` takes one location or several, and its options one by one or as a whole."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from pincite import AsyncPincite, IndexOptions, Pincite, UsageError
from pincite.errors import CollectionsFailed, SourceError, SourcesMissing
from pincite.ingestion.options import IndexKeywords, RecordKeywords, index_options, record_options
from pincite.ingestion.report import IngestReport, Progress
from tests.sources.helpers import git


@pytest.fixture
def pincite(tmp_path: Path) -> Iterator[Pincite]:
    with Pincite(tmp_path / "index") as opened:
        yield opened
        if (tmp_path / "index").exists():
            opened.stop()


def test_a_location_is_a_text_a_path_or_several_of_them(pincite: Pincite) -> None:
    given: list[tuple[Any, list[int]]] = [
        ("docs", [2]),
        (Path("docs"), [2]),
        (["docs"], [2]),
        ((Path("docs"), "src/keys.py"), [2, 1]),
        (iter(["docs", "src"]), [2, 1]),
    ]
    for number, (locations, documents) in enumerate(given):
        reports = pincite.index(locations, collection=f"c{number}", lexical=True)
        assert [report.new for report in reports] == documents
    again = pincite.index(collection="c0")
    assert [report.unchanged for report in again] == [2]
    assert [report.unchanged for report in pincite.index([], collection="c0")] == [2]


def test_without_a_location_every_collection_is_updated(tmp_path: Path) -> None:
    for name in ("ca", "cb"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"# A\n\nAn axolotl of {name}.\n")

    async def check() -> None:
        async with AsyncPincite(tmp_path / "index") as pincite:
            for name in ("ca", "cb"):
                await pincite.index(tmp_path / name, collection=name, lexical=True)
            reports = await pincite.index()
            assert [(one.collection, one.unchanged) for one in reports] == [("ca", 1), ("cb", 1)]
            for options in ({"mask_secrets": False}, {"attributes": {"access": "everyone"}}):
                with pytest.raises(UsageError, match=r"there are 2 collections, and .* of all"):
                    await pincite.index(**options)

    asyncio.run(check())
    (tmp_path / "ca").rename(tmp_path / "moved")
    with Pincite(tmp_path / "index") as pincite:
        with pytest.raises(CollectionsFailed, match=r"1 of 2 collections .* ca: ") as caught:
            pincite.index()
        assert isinstance(caught.value.errors["ca"], SourceError)
        assert [one.collection for one in caught.value.reports] == ["cb"]
        with pytest.raises(SourceError):
            pincite.index(collection="ca")
        pincite.stop()


def test_sources_that_are_missing_do_not_stop_the_others(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.md").write_text(f"# {name}\n\nAn axolotl of {name}.\n")
    settings = tmp_path / "pincite.toml"
    settings.write_text(f'[[source]]\npath = "{tmp_path}/b"\n')
    with Pincite(tmp_path / "index") as pincite:
        pincite.index([tmp_path / name for name in "abc"], lexical=True)
        (tmp_path / "a").rename(tmp_path / "away")
        (tmp_path / "b").rename(tmp_path / "elsewhere")
        (tmp_path / "c" / "new.md").write_text("A newt.\n")
        with pytest.raises(SourcesMissing, match=r"2 of 3 sources could not be updated: ") as seen:
            pincite.index()
        assert sorted(seen.value.errors) == ["a", "b"]
        for name, error in seen.value.errors.items():
            assert f"collections forget {name}" in (error.hint or "")
        assert [(one.source, one.new) for one in seen.value.reports] == [("c", 1)]
        (info,) = pincite.collections()
        assert (info.documents, len(info.sources)) == (4, 3)
        for options in (IndexOptions(upgrade=True), IndexOptions(rebuild=True)):
            with pytest.raises(SourceError):  # these replace every document
                pincite.index(options=options)
        (tmp_path / "c").rename(tmp_path / "nowhere")
        with pytest.raises(SourcesMissing, match="3 of 3") as seen:
            pincite.index()
        assert seen.value.reports == ()
        pincite.stop()


def test_missing_sources_are_named_once_and_missing_parts_stop_no_other(tmp_path: Path) -> None:
    for place in ("x/docs", "y/docs", "project/docs", "project/src"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "text.md").write_text(f"# {place}\n\nAn axolotl.\n")
    git(tmp_path / "project", "init", "--quiet")
    (tmp_path / "pincite.toml").write_text(
        f'[[source]]\npath = "{tmp_path}/x/docs"\nname = "handbook"\n'
        f'[[source]]\npath = "{tmp_path}/y/docs"\nname = "manual"\n'
    )
    with Pincite(tmp_path / "index") as pincite:
        (tmp_path / "x").rename(tmp_path / "away")
        (tmp_path / "y").rename(tmp_path / "elsewhere")
        with pytest.raises(SourcesMissing) as seen:
            pincite.index()
        assert sorted(seen.value.errors) == ["handbook", "manual"]
        (tmp_path / "away").rename(tmp_path / "x")
        (tmp_path / "elsewhere").rename(tmp_path / "y")
        pincite.index([tmp_path / "project/docs", tmp_path / "project/src"], lexical=True)
        pincite.index()
        for place in ("x", "y", "project/docs"):
            (tmp_path / place).rename(tmp_path / f"{place}-away")
        (tmp_path / "project/src/text.md").write_text("A newt.\n")
        with pytest.raises(SourcesMissing) as seen:
            pincite.index()
        assert sorted(seen.value.errors) == ["handbook", "manual", "project"]
        assert [(one.source, one.changed) for one in seen.value.reports] == [("project", 1)]
        pincite.stop()


def test_options_are_keywords_or_one_value_and_mean_the_same(pincite: Pincite) -> None:
    one = IndexOptions(collection="a", name="acme", include=("*.py",), lexical=True)
    pincite.index(".", options=one)
    pincite.index(".", collection="b", name="acme", include="*.py", lexical=True)
    found = {info.spec.name: info for info in pincite.collections()}
    assert [found[name].documents for name in "ab"] == [1, 1]
    assert [found[name].sources[0].source.name for name in "ab"] == ["acme", "acme"]


@pytest.mark.parametrize(
    ("locations", "said"),
    [
        (3, "locations is 3; it takes one or several paths"),
        (b"docs", "locations is b'docs'"),
        (["docs", None], "locations has None in it; it takes paths"),
        ("", "locations has an empty text in it"),
        (["docs", "a\0b"], "which is not a valid path"),
        (Path("a\0b"), "which is not a valid path"),
        (None, "locations is None"),
    ],
)
def test_what_is_no_location_is_wrong_usage_and_nothing_is_made(
    pincite: Pincite, tmp_path: Path, locations: Any, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        pincite.index(locations, lexical=True)
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        (
            {"lexicl": True},
            "index does not take 'lexicl'; known names: collection, name, .*lexical",
        ),
        ({"lexical": "yes"}, "lexical is 'yes'; it takes True or False"),
        ({"collection": 3}, "collection is 3; it takes a text"),
        ({"collection": None}, "collection is None"),
        ({"ref": 3}, "ref is 3; it takes a text"),
        ({"ocr": "yes"}, "ocr is 'yes'; it takes True or False"),
        ({"mask_secrets": 1}, "mask_secrets is 1; it takes True or False"),
        ({"anchors": "gitlab"}, "anchors is 'gitlab'; it takes one of 'mkdocs', 'github', 'none'"),
        ({"include": 3}, "include is 3; it takes one or several texts"),
        ({"file_types": 3}, "file_types is 3; it takes one or several texts"),
        ({"file_types": {"*.tmpl": None}}, r"file_types\['\*.tmpl'\] is None; it takes a text"),
        ({"file_types": {"*.tmpl": "htmll"}}, r"file type 'htmll' of '\*.tmpl' is unknown"),
        ({"file_types": ["*.tmpl"]}, r"file type '\*.tmpl' lacks a pattern or a type"),
        ({"wait_s": -1}, "wait_s is -1; it takes seconds"),
        ({"wait_s": float("nan")}, "wait_s is nan"),
        ({"wait_s": "5"}, "wait_s is '5'"),
        (
            {"options": IndexOptions(), "lexical": True},
            "options= and lexical= exclude each other",
        ),
        ({"options": {"lexical": True}}, "options is {'lexical': True}; it takes IndexOptions"),
        ({"options": IndexOptions(include=3)}, "include is 3"),  # type: ignore[arg-type]
    ],
)
def test_wrong_options_are_wrong_usage(
    pincite: Pincite, tmp_path: Path, keywords: Any, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        pincite.index("docs", **keywords)
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"exclude": "drafts/"}, "--exclude describes"),
        ({"exclude": ""}, "--exclude describes"),
        ({"include": ["*.md"], "collection": "main"}, "--include describes"),
        ({"name": "acme"}, "--name describes"),
        ({"ref": "v1"}, "--ref describes"),
        ({"url_rule": "(.*)=>https://x.org/"}, "--url-rule describes"),
        ({"anchors": "github"}, "--anchors describes"),
        ({"file_types": {"*.tmpl": "html"}}, "--file-type describes"),
    ],
)
def test_options_of_sources_without_a_source_are_wrong_usage(
    pincite: Pincite, keywords: Any, said: str
) -> None:
    pincite.index("docs", lexical=True, collection="main")
    with pytest.raises(UsageError, match=said) as caught:
        pincite.index(**keywords)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("pincite index PATH --")


def test_every_option_is_a_keyword_and_explained_where_it_is_taken() -> None:
    keywords = get_type_hints(IndexKeywords, {"Callable": Callable})
    assert set(keywords) == {each.name for each in fields(IndexOptions)}
    doc = Pincite.index.__doc__ or ""
    assert [name for name in keywords if f"`{name}`" not in doc] == []
    assert index_options(None, {}) == IndexOptions()


def test_what_describes_files_is_no_option_of_records() -> None:
    keywords = get_type_hints(RecordKeywords, {"Callable": Callable})
    theirs = get_type_hints(IndexKeywords, {"Callable": Callable})
    assert {name: theirs[name] for name in keywords} == keywords
    doc = Pincite.upsert.__doc__ or ""
    assert [name for name in keywords if f"`{name}`" not in doc] == []
    assert record_options(IndexOptions(lexical=True), {}) == record_options(None, {"lexical": True})
    for name in ("name", "include", "attributes"):
        with pytest.raises(UsageError, match=f"upsert does not take '{name}'"):
            record_options(None, {name: {"course": "ml"}})
    given = {"attributes": {"course": "ml"}, "ref": "v1", "ocr": True, "rebuild": True}
    for name, value in given.items():
        with pytest.raises(UsageError, match=f"{name}= is an option for indexing"):
            record_options(IndexOptions(**{name: value}), {})  # type: ignore[arg-type]
    assert record_options(IndexOptions(collection="notes"), {}).collection == "notes"


def test_the_time_of_a_first_run_has_the_reading_of_its_sample(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.md").write_text(f"# Page {name}\n\nThe scanner is slow.\n")
    read: list[tuple[int, int, str]] = []

    def progress(one: Progress) -> None:
        if one.stage == "read":
            read.append((one.done, one.total, one.path))
            time.sleep(0.3)

    async def index() -> tuple[IngestReport, ...]:
        async with AsyncPincite(tmp_path / ".pincite") as pincite:
            places = [tmp_path / "a", tmp_path / "b"]
            try:
                return await pincite.index(places, lexical=True, progress=progress)
            finally:
                await pincite.stop()

    started_s = time.monotonic()
    first, second = asyncio.run(index())
    assert read == [(0, 2, "page.md"), (1, 2, "page.md")]
    assert first.duration_s >= 0.6
    assert first.duration_s + second.duration_s <= time.monotonic() - started_s
