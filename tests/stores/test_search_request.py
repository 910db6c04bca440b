"""A request is limited further without losing a condition."""

from __future__ import annotations

from pincite.model import SparseVector
from pincite.ports import AnyOf, Filter, Prefix, SearchRequest, Text

OURS, CODE = AnyOf("repo", ("ours",)), AnyOf("source_type", ("code",))
ASKED = SearchRequest(
    sparse=SparseVector((1,), (1.0,)),
    sparse_limit=7,
    fusion="rrf",
    filter=Filter(must=(OURS,), must_not=(CODE,), should=(Prefix("path", "a"),)),
)


def test_conditions_are_added_and_the_rest_stays() -> None:
    only = ASKED.only(Text("text", "key"), AnyOf("path", ("a.py",)))
    assert only.filter.must == (OURS, Text("text", "key"), AnyOf("path", ("a.py",)))
    assert only.filter.must_not == ASKED.filter.must_not
    assert only.filter.should == ASKED.filter.should
    assert (only.sparse, only.fusion) == (ASKED.sparse, "rrf")
    assert (only.dense_limit, only.sparse_limit, only.fusion_limit) == (100, 7, 60)
    assert ASKED.filter.must == (OURS,)
    assert ASKED.only() == ASKED


def test_all_three_limits_are_set_at_once() -> None:
    only = ASKED.only(CODE, most=2)
    assert (only.dense_limit, only.sparse_limit, only.fusion_limit) == (2, 2, 2)
