"""What a collection requires of all documents: nobody but the user gives it, and nothing is indexed
without."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import UsageError
from tests.ingestion.attributes.front_matter import PAGE, front
from tests.ingestion.desk import Desk

REQUIRE = "[collections.main]\nrequire = ['institution', 'mode']\n"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    found = Desk(tmp_path)
    found.write("pincite.toml", REQUIRE)
    return found


def test_a_file_that_lacks_a_required_value_is_left_out_and_named(desk: Desk) -> None:
    desk.write("docs/a.md", front("institution: north\nmode: open"))
    desk.write("docs/b.md", front("institution: north"))
    desk.write("docs/c.md", front("institution: ''\nmode: []"))
    (report,) = desk.run("docs")
    assert report.skipped_paths == [
        "tags_missing: b.md (mode)",
        "tags_missing: c.md (institution, mode)",
    ]
    assert desk.attributes() == {"a.md": {"institution": "north", "mode": "open"}}
    assert desk.spec().require == ("institution", "mode")
    assert desk.spec().attributes == {"institution": "keyword", "mode": "keyword"}
    desk.run("docs", mode="open")
    assert sorted(desk.attributes()) == ["a.md", "b.md"]


def test_a_file_of_strangers_cannot_leave_the_tenant_that_the_user_gave(desk: Desk) -> None:
    desk.write("docs/a.md", front("institution: south\nmode: open\ncourse: ml"))
    (report,) = desk.run("docs", institution="north", course="stats")
    assert desk.attributes() == {"a.md": {"institution": "north", "mode": "open", "course": "ml"}}
    assert report.noted_paths == ["attribute_kept: a.md (institution: that of the source counts)"]


def test_a_tenant_that_is_given_later_counts_without_reading_the_file(desk: Desk) -> None:
    desk.write("docs/a.md", front("institution: south\nmode: open"))
    desk.run("docs")
    (report,) = desk.run("docs", institution="north")
    assert (report.rewritten, report.chunks) == (1, 0)
    assert desk.attributes()["a.md"]["institution"] == "north"
    assert desk.records()["a.md"].attributes == {"mode": "open"}


def test_a_tenant_that_is_taken_away_lets_the_files_own_count_again(desk: Desk) -> None:
    desk.write("docs/a.md", front("institution: south\nmode: open"))
    desk.write("docs/b.md", front("mode: open"))
    desk.run("docs", institution="north")
    (report,) = desk.run("docs", texts=("institution=",))
    assert desk.attributes() == {"a.md": {"institution": "south", "mode": "open"}}
    assert report.skipped_paths == ["tags_missing: b.md (institution)"]


def test_more_is_required_only_where_all_documents_have_it(desk: Desk) -> None:
    desk.write("pincite.toml", "")
    desk.write("docs/a.md", front("institution: north\nmode: open"))
    desk.write("docs/b.md", front("mode: open"))
    desk.run("docs")
    desk.write("pincite.toml", REQUIRE)
    with pytest.raises(UsageError) as caught:
        desk.run()
    assert "1 of 2 documents have no value, such as 'b.md' of docs" in caught.value.message
    assert "--set institution=" in caught.value.hint
    assert desk.spec().require == ()
    desk.run("docs", institution="north")
    assert desk.spec().require == ("institution", "mode")


def test_what_is_required_goes_only_where_the_settings_say_so(desk: Desk) -> None:
    desk.write("docs/a.md", PAGE)
    desk.run("docs", institution="north", mode="open")
    desk.write("pincite.toml", "")
    desk.run()
    desk.write("pincite.toml", "[collections.main]\ndepth = 3\n")
    desk.run()
    assert (desk.spec().require, desk.said("require_removed")) == (("institution", "mode"), [])
    desk.write("pincite.toml", "[collections.main]\nrequire = ['mode']\n")
    desk.run()
    assert desk.spec().require == ("mode",)
    assert desk.said("require_removed") == [
        "institution: no longer required for searches and reads of 'main'"
    ]


def test_an_other_order_of_the_same_names_changes_nothing(desk: Desk) -> None:
    desk.write("docs/a.md", PAGE)
    desk.run("docs", institution="north", mode="open")
    desk.write("pincite.toml", "[collections.main]\nrequire = ['mode', 'institution']\n")
    desk.run()
    assert desk.spec().require == ("institution", "mode")


def test_an_index_that_came_about_by_changes_is_the_one_that_is_made_at_once(
    desk: Desk, tmp_path: Path
) -> None:
    desk.write("docs/a.md", front("institution: south\nmode: open"))
    desk.run("docs")
    desk.run("docs", institution="north")
    desk.write("pincite.toml", "[collections.main]\nrequire = []\n")
    desk.run()
    clean = Desk(tmp_path)
    clean.run("docs", institution="north")
    assert (
        desk.attributes()
        == clean.attributes()
        == {"a.md": {"institution": "south", "mode": "open"}}
    )
