"""The times of a source in the catalog."""

from __future__ import annotations

import msgspec
import pytest

from pincite.model import Source, SourceRecord
from pincite.support.fields import replace

SECOND = 10**9


@pytest.mark.parametrize(
    ("within", "since_s"), [("", 3), ("docs/", 5), ("docs/deep/", 5), ("src/", 3), ("b.md", None)]
)
def test_a_part_may_have_changed_since_the_earliest_time_of_what_it_shares_files_with(
    within: str, since_s: int | None
) -> None:
    times = {"docs/": 5 * SECOND + 7, "src/": 8 * SECOND, "src/a/": 3 * SECOND}
    record = SourceRecord(Source("a", "/a", "folder"), ("docs/", "src/"), compared_in=times)
    expected = None if since_s is None else since_s * SECOND
    assert record.compared_ns(within) == expected


def test_a_record_of_an_earlier_version_has_the_end_of_its_last_run_for_all_parts() -> None:
    record = SourceRecord(
        Source("a", "/a", "folder"),
        ("docs/", "src/"),
        indexed_at="1970-01-01T00:01:00+00:00",
        complete=True,
    )
    said = msgspec.to_builtins(record)
    del said["compared_in"]
    found = msgspec.convert(said, SourceRecord)
    assert found.compared_in == {"docs/": 60 * SECOND, "src/": 60 * SECOND}
    del said["indexed_at"]
    assert msgspec.convert(said, SourceRecord).compared_ns("") is None
    assert replace(found, complete=False).compared_ns("src/") == 60 * SECOND
