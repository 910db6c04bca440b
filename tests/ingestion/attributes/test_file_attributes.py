"""Attributes of files: where they come from, who wins, and what changes when they do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pincite.errors import ConfigError, InvalidAttribute, UsageError
from pincite.readers.front_matter import FrontMatter
from tests.ingestion.attributes.front_matter import PAGE, front
from tests.ingestion.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_front_matter_counts_before_the_source_and_stays_cited_text(desk: Desk) -> None:
    desk.write("docs/a.md", front("course: ml\ntitle: Its own\nyear: 2026"))
    desk.write("docs/b.md", PAGE)
    desk.run("docs", course="stats", term="autumn")
    assert desk.attributes() == {
        "a.md": {"course": "ml", "term": "autumn", "year": 2026},
        "b.md": {"course": "stats", "term": "autumn"},
    }
    text = (desk.folder / "docs/a.md").read_text()
    for chunk in desk.chunks():
        if chunk.path == "a.md":
            assert chunk.title == "Its own"
            assert chunk.text == text[chunk.start : chunk.end]
    assert any("course: ml" in chunk.text for chunk in desk.chunks())
    assert desk.spec().attributes == {"course": "keyword", "term": "keyword", "year": "integer"}


def test_lists_with_numbers_and_null_are_lists_of_texts(desk: Desk) -> None:
    desk.write("docs/a.md", front("tags: [2024, draft]\nyears: [2023, 2024]\nsome: [a, null]"))
    (report,) = desk.run("docs")
    assert report.noted == {}
    assert desk.attributes()["a.md"] == {
        "tags": ("2024", "draft"),
        "years": ("2023", "2024"),
        "some": ("a",),
    }


def test_files_of_an_earlier_version_get_their_attributes_with_the_next_run(desk: Desk) -> None:
    desk.write("docs/a.md", front("course: ml\ntitle: Its own"))
    with pytest.MonkeyPatch.context() as before:
        before.setattr("pincite.ingestion.sources.revisions._TEXT_RULES", {})
        before.setattr("pincite.ingestion.read.front_matter_of", lambda _text: FrontMatter())
        desk.run("docs")
        assert desk.attributes() == {"a.md": {}}
    desk.run("docs")
    assert desk.attributes() == {"a.md": {"course": "ml"}}


def test_each_new_name_is_told_once(desk: Desk) -> None:
    for name in ("a", "b", "c"):
        desk.write(f"docs/{name}.md", front("year: 2026"))
    desk.run("docs", course="ml")
    desk.run("docs")
    assert desk.said("attribute_new") == [
        "attribute `course` has the type keyword (first given to the source docs);"
        " to choose another type, declare it in [attributes]",
        "attribute `year` has the type integer (first seen in a.md);"
        " to choose another type, declare it in [attributes]",
    ]


def test_a_declared_type_decides_and_is_not_told(desk: Desk) -> None:
    desk.write("pincite.toml", '[attributes]\nyear = "keyword"\nshare = "float"\n')
    desk.write("docs/a.md", front("year: '2026'\nshare: 1"))
    desk.write("docs/b.md", front("year: 2026"))
    (report,) = desk.run("docs")
    assert desk.attributes() == {"a.md": {"year": "2026", "share": 1.0}, "b.md": {}}
    assert report.noted_paths == [
        "attribute_invalid: b.md (year: 2026 is not a keyword; keywords are texts)"
    ]
    assert desk.said("attribute_new") == []


def test_what_cannot_be_is_noted_and_the_rest_is_indexed(desk: Desk) -> None:
    desk.write("docs/a.md", front("course: ml"))
    desk.write("docs/b.md", front("course: 3\nurl: x\nside-bar: x\nmode: dark"))
    desk.write("docs/c.md", front("course: [ml"))
    desk.write("docs/d.md", front(f"course: {'x' * 5000}"))
    (report,) = desk.run("docs")
    assert report.noted == {
        "attribute_invalid": 2,
        "attribute_reserved": 1,
        "front_matter_invalid": 1,
    }
    assert "attribute_invalid: b.md (course: 3 is not a keyword; keywords are texts)" in (
        report.noted_paths
    )
    assert desk.attributes()["b.md"] == {"mode": "dark"}
    assert desk.attributes()["c.md"] == {}
    assert desk.run("docs")[0].noted == report.noted


def test_a_file_of_strangers_cannot_bring_in_names_without_end(desk: Desk) -> None:
    for number in range(12):
        block = "\n".join(f"k{number}_{n}: x" for n in range(40))
        desk.write(f"docs/{number:02}.md", front(block))
    (report,) = desk.run("docs")
    assert len(desk.spec().attributes) == 256
    assert report.noted["attribute_too_many"] >= 10
    desk.write("docs/00.md", front("\n".join(f"k00_{n}: x" for n in range(400))))
    desk.run("docs")
    assert all(len(held) <= 64 for held in desk.attributes().values())


def test_options_win_over_the_file_and_that_over_what_is_remembered(desk: Desk) -> None:
    desk.write("docs/a.md", PAGE)
    desk.run("docs", course="a", term="a", mode="a")
    desk.write("pincite.toml", "[[source]]\npath = 'docs'\nattributes = { course='b', term='b' }\n")
    desk.run("docs", course="c")
    assert desk.attributes() == {"a.md": {"course": "c", "term": "b", "mode": "a"}}
    desk.run()
    assert desk.attributes() == {"a.md": {"course": "b", "term": "b", "mode": "a"}}
    assert desk.sources()["docs"].attributes == {"course": "b", "term": "b", "mode": "a"}


def test_words_of_a_command_become_values_of_the_known_type(desk: Desk) -> None:
    desk.write("pincite.toml", '[attributes]\nroom = "keyword"\ntopics = "keywords"\n')
    desk.write("docs/a.md", PAGE)
    texts = (
        "room=007",
        "topics=nets",
        "year=2026",
        "open=true",
        "due=2026-11-22",
        "share=0.5",
        "who=Ada",
        "who=Alan, too",
        "code=007",
        "note=a=b",
    )
    desk.run("docs", texts=texts)
    assert desk.attributes()["a.md"] == {
        "room": "007",
        "topics": ("nets",),
        "year": 2026,
        "open": True,
        "due": "2026-11-22",
        "share": 0.5,
        "who": ("Ada", "Alan, too"),
        "code": "007",
        "note": "a=b",
    }
    desk.run("docs", texts=("year=", "who=Eve", "room=12"))
    held = desk.attributes()["a.md"]
    assert "year" not in held
    assert (held["who"], held["room"]) == (("Eve",), "12")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("course",), "has no value"),
        (("path=x",), "'path' is reserved by Pincite"),
        (("=x",), "is not a valid attribute name"),
        (("year=soon",), "--set year: 'soon' is not a valid integer"),
        (("year=1", "year=2"), "it is given 2 times, but its type is integer"),
        ((f"course={'x' * 5000}",), "5,000 characters is too long"),
    ],
)
def test_words_that_say_nothing_are_refused_and_nothing_changes(
    desk: Desk, texts: tuple[str, ...], message: str
) -> None:
    desk.write("docs/a.md", PAGE)
    desk.run("docs", year=2026)
    with pytest.raises(UsageError) as caught:
        desk.run("docs", texts=texts)
    assert message in caught.value.message
    assert desk.attributes() == {"a.md": {"year": 2026}}


def test_a_value_of_the_wrong_type_names_the_source_and_the_field(desk: Desk) -> None:
    desk.write("docs/a.md", PAGE)
    desk.run("docs", year=2026)
    with pytest.raises(
        InvalidAttribute, match="source 'docs': attribute 'year': 'x' is not a valid integer"
    ):
        desk.run("docs", year="x")


def test_other_values_are_written_without_reading_a_file_again(desk: Desk) -> None:
    desk.write("docs/a.md", front("course: own"))
    desk.write("docs/b.md", PAGE)
    desk.run("docs", course="a", year=1)
    before = desk.records()
    (report,) = desk.run("docs", course="b", year=None)
    assert (report.rewritten, report.unchanged, report.chunks) == (2, 2, 0)
    assert desk.attributes() == {"a.md": {"course": "own"}, "b.md": {"course": "b"}}
    assert {r.revision for r in before.values()} == {r.revision for r in desk.records().values()}
    assert desk.run("docs")[0].rewritten == 0


def test_a_rewriting_that_is_cut_off_goes_on_with_the_next_run(desk: Desk) -> None:
    for name in "abcd":
        desk.write(f"docs/{name}.md", PAGE)
    desk.run("docs", course="old")
    desk.index.left = 2
    with pytest.raises(KeyboardInterrupt):
        desk.run("docs", course="new")
    assert sorted(str(v["course"]) for v in desk.attributes().values()) == ["new"] * 2 + ["old"] * 2
    desk.index.left = 99
    (report,) = desk.run()
    assert report.rewritten == 2
    assert {str(v["course"]) for v in desk.attributes().values()} == {"new"}


def test_front_matter_that_goes_takes_its_attributes_along(desk: Desk) -> None:
    desk.write("docs/a.md", front("course: own"))
    desk.run("docs", course="a")
    desk.write("docs/a.md", PAGE)
    desk.run("docs")
    assert desk.attributes() == {"a.md": {"course": "a"}}


def test_front_matter_can_be_switched_off_and_on(desk: Desk) -> None:
    desk.write("docs/a.md", front("course: own"))
    desk.write("docs/a.py", "course = 1\n")
    desk.run("docs", course="a")
    settings = "[[source]]\npath = 'docs'\nfront_matter = "
    desk.write("pincite.toml", f"{settings}false\n")
    (report,) = desk.run("docs")
    assert (report.changed, report.unchanged) == (1, 1)
    assert desk.attributes()["a.md"] == {"course": "a"}
    desk.write("pincite.toml", "")
    assert desk.run("docs")[0].unchanged == 2  # as it was said before
    desk.write("pincite.toml", f"{settings}true\n")
    desk.run("docs")
    assert desk.attributes()["a.md"] == {"course": "own"}


def test_attributes_stay_when_a_file_or_a_source_is_renamed(desk: Desk) -> None:
    desk.write("docs/a.md", PAGE)
    desk.run("docs", course="a")
    (desk.folder / "docs/a.md").rename(desk.folder / "docs/b.md")
    desk.run("docs")
    assert desk.attributes() == {"b.md": {"course": "a"}}
    desk.run("docs", name="lectures")
    assert list(desk.sources()) == ["lectures"]
    assert desk.attributes() == {"b.md": {"course": "a"}}


def test_a_single_file_keeps_its_attributes_when_it_is_named_again(desk: Desk) -> None:
    desk.write("a.md", PAGE)
    desk.run("a.md", course="a")
    desk.run("a.md")
    assert desk.attributes() == {"a.md": {"course": "a"}}


def test_a_collection_that_is_made_anew_keeps_attributes_types_and_what_is_required(
    desk: Desk,
) -> None:
    settings = "[collections.main]\nrequire = ['course']\n"
    desk.write("pincite.toml", settings)
    desk.write("docs/a.md", front("year: 2026"))
    desk.run("docs", course="a")
    before = desk.spec()
    desk.write("pincite.toml", "")
    desk.run(rebuild=True)
    assert desk.attributes() == {"a.md": {"course": "a", "year": 2026}}
    assert (desk.spec().attributes, desk.spec().require) == (before.attributes, ("course",))


def test_another_type_needs_the_collection_to_be_made_anew(desk: Desk) -> None:
    desk.write("docs/a.md", PAGE)
    desk.run("docs", year=2026, open=True)
    desk.write("pincite.toml", "[attributes]\nyear = 'keyword'\nopen = 'keyword'\n")
    with pytest.raises(ConfigError) as caught:
        desk.run()
    assert "declares year as keyword, but in the collection 'main' it is integer" in str(
        caught.value
    )
    assert "pincite collections rebuild main" in caught.value.hint
    desk.run(rebuild=True)
    assert desk.attributes() == {"a.md": {"year": "2026", "open": "true"}}


def test_parts_of_one_source_have_the_same_attributes(desk: Desk) -> None:
    for name in ("ml", "stats"):
        desk.write(f"repo/{name}/a.md", PAGE)
    subprocess.run(["git", "init", "-q", str(desk.folder / "repo")], check=True)
    desk.run("repo/ml", course="ml")
    with pytest.raises(UsageError, match="would have different attributes"):
        desk.run("repo/stats", course="stats")
    desk.run("repo/stats")
    with pytest.raises(UsageError, match="would have different attributes"):
        desk.run("repo/ml", course="nets")
    desk.run("repo/stats", course="stats", name="statistics")
    assert {c.repo: c.attributes["course"] for c in desk.chunks()} == {
        "repo": "ml",
        "statistics": "stats",
    }
    desk.run("repo", course="nets")
    assert {c.attributes["course"] for c in desk.chunks() if c.repo == "repo"} == {"nets"}


def test_two_parts_that_the_settings_describe_differently_are_refused(desk: Desk) -> None:
    for name in ("ml", "stats"):
        desk.write(f"repo/{name}/a.md", PAGE)
    subprocess.run(["git", "init", "-q", str(desk.folder / "repo")], check=True)
    tables = [
        f"[[source]]\npath = 'repo/{n}'\nattributes = {{ course = '{n}' }}\n"
        for n in ("ml", "stats")
    ]
    desk.write("pincite.toml", "".join(tables))
    with pytest.raises(UsageError, match="would have different attributes"):
        desk.run()
    named = [f"{table}name = '{n}'\n" for table, n in zip(tables, ("ml", "stats"), strict=True)]
    desk.write("pincite.toml", "".join(named))
    desk.run()
    assert {c.repo: c.attributes["course"] for c in desk.chunks()} == {"ml": "ml", "stats": "stats"}


def test_a_file_whose_front_matter_would_be_stored_gigabytes_of_times_fails_alone(
    desk: Desk,
) -> None:
    """One message to the daemon has a limit: one such page ended the run of all others."""
    long = "\n".join(f"k{n}: {'v' * 950}" for n in range(60))
    paragraph = "lorem ipsum dolor sit amet " * 24 + "\n\n"
    desk.write("docs/a.md", f"---\n{long}\n---\n\n" + paragraph * 4_000)
    desk.write("docs/b.md", PAGE)
    desk.run("docs")
    assert set(desk.attributes()) == {"b.md"}
