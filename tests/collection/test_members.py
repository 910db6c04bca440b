"""What a base is, which of its members are searched, and what they are called."""

from __future__ import annotations

import pytest

from pincite.collection.members import (
    all_members,
    all_sources,
    as_one,
    by_base,
    hidden,
    member_name,
    members,
    next_serial,
    require_base,
    visible,
)
from pincite.errors import UsageError
from pincite.model import CollectionSpec
from pincite.ports import CollectionInfo
from pincite.support.fields import replace
from pincite.testing.points import LEXICAL_SPEC, source_of


def info(name: str, base: str = "", serial: int = 0, **values: object) -> CollectionInfo:
    spec = replace(LEXICAL_SPEC, name=name, base=base, serial=serial, **values)
    return CollectionInfo(spec, (), 1, 2, 10)


def names(infos: tuple[CollectionInfo, ...]) -> list[str]:
    return [one.spec.name for one in infos]


@pytest.mark.parametrize(
    ("model", "dimensions", "name"),
    [
        ("text-embedding-3-small", 1536, "chunks__text_embedding_3_small_1536"),
        ("all-MiniLM-L6-v2", 384, "chunks__all_minilm_l6_v2_384"),
        ("Qwen/Qwen3-Embedding-0.6B", 1024, "chunks__qwen_qwen3_embedding_0_6b_1024"),
        ("--Ünïcode--", 8, "chunks__n_code_8"),
        ("lexical", 0, "chunks__lexical"),
    ],
)
def test_a_member_is_named_by_base_model_and_dimensions(
    model: str, dimensions: int, name: str
) -> None:
    assert member_name("chunks", model, dimensions, "print") == name


def test_a_name_that_is_taken_or_too_long_ends_with_a_mark_of_the_fingerprint() -> None:
    one = member_name("docs", "x", 8, "one", taken={"docs__x_8"})
    other = member_name("docs", "x", 8, "other", taken={"docs__x_8"})
    assert one.startswith("docs__x_8_")
    assert one != other
    long = member_name("docs", "x" * 80, 8, "one")
    assert len(long) == 64
    assert long != member_name("docs", "x" * 80, 16, "two")


def test_a_collection_under_its_own_name_is_the_first_of_its_base() -> None:
    infos = (info("docs__b_8", "docs", 1), info("other"), info("docs"))
    assert names(members(infos, "docs")) == ["docs", "docs__b_8"]
    assert members(infos, "docs__b_8") == ()
    assert names(by_base(infos)) == ["docs", "other"]
    assert by_base(infos)[0].documents == 2
    assert next_serial(members(infos, "docs")) == 2
    assert next_serial(()) == 0


def test_what_is_being_filled_is_not_searched_and_what_it_replaces_is() -> None:
    new = info("docs__b_8", "docs", 1, pending=True, replaces=("docs",))
    infos = (info("docs"), new)
    assert hidden(infos) == {"docs__b_8"}
    done = replace(new, spec=replace(new.spec, pending=False))
    assert hidden((info("docs"), done)) == {"docs"}
    assert names(visible((info("docs"), done))) == ["docs__b_8"]
    assert names(all_members((info("docs"), done), "docs")) == ["docs", "docs__b_8"]


def test_the_later_of_two_that_replace_each_other_counts() -> None:
    back = info("docs", "docs", 2, replaces=("docs__b_8",))
    infos = (back, info("docs__b_8", "docs", 1, replaces=("docs",)))
    assert names(visible(infos)) == ["docs"]


def test_sources_of_all_members_are_one_list() -> None:
    done = replace(source_of("a"), complete=True, within=("x/",))
    older = replace(info("docs"), sources=(done, replace(source_of("b"), complete=True)))
    newer = replace(
        info("docs__b_8", "docs", 1), sources=(replace(source_of("a"), within=("y/",)),)
    )
    first, second = all_sources((older, newer))
    assert (first.source.name, first.within, first.complete) == ("a", ("x/", "y/"), False)
    assert (second.source.name, second.complete) == ("b", True)
    assert as_one((older, newer), newer.spec).chunks == 4


def test_a_member_is_not_written_to_by_its_own_name() -> None:
    infos = (info("docs"), info("docs__b_8", "docs", 1))
    require_base(infos, "docs")
    require_base(infos, "new")
    with pytest.raises(UsageError, match="a member of the collection 'docs'"):
        require_base(infos, "docs__b_8")


def test_what_old_catalogs_say_of_a_collection_is_still_read() -> None:
    import msgspec

    old = b'{"name": "main", "sparse": "s", "chunker": "c", "dense": "d", "dimensions": 3}'
    spec = msgspec.json.decode(old, type=CollectionSpec)
    assert (spec.public_name, spec.pending, spec.made_with) == ("main", False, ("d",))
