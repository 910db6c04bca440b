"""However the attributes of an index came about, they are those that a clean build gives."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pincite.errors import UsageError
from tests.ingestion.attributes.front_matter import PAGE, front
from tests.ingestion.desk import Desk
from tests.quick_folder import quick_folder

NAMES = ("institution", "course")
VALUES = st.sampled_from(["", "north", "south"])
PLACES = st.sampled_from("abc")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), PLACES, st.dictionaries(st.sampled_from(NAMES), VALUES)),
        st.tuples(st.just("set"), st.sampled_from(NAMES), VALUES),
        st.tuples(st.just("require"), st.sampled_from(["", "institution"]), st.none()),
        st.tuples(st.just("front matter"), st.booleans(), st.none()),
        st.tuples(st.just("cut off"), st.integers(0, 2), VALUES),
    ),
    max_size=8,
)


def configure(desk: Desk, require: str, *, front_matter: bool) -> None:
    types = "".join(f"{name} = 'keyword'\n" for name in NAMES)
    source = f"[[source]]\npath = 'docs'\nfront_matter = {str(front_matter).lower()}\n"
    names = f"['{require}']" if require else "[]"
    text = f"[attributes]\n{types}{source}[collections.main]\nrequire = {names}\n"
    desk.write("pincite.toml", text)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
@example(
    [
        ("set", "institution", "north"),
        ("write", "a", {"institution": ""}),
        ("require", "institution", None),
    ]
)
def test_an_index_that_came_about_by_changes_is_that_of_a_clean_build(steps: list[tuple]) -> None:  # type: ignore[type-arg]
    with quick_folder() as folder:
        desk = Desk(folder)
        set_now: dict[str, str] = {}
        require, reads = "", True
        for name in "abc":
            desk.write(f"docs/{name}.md", PAGE)
        configure(desk, require, front_matter=reads)
        desk.run()
        for kind, what, value in steps:
            if kind == "write":
                block = "\n".join(f"{name}: '{said}'" for name, said in value.items())
                desk.write(f"docs/{what}.md", front(block) if block else PAGE)
                desk.run()
            elif kind == "set":
                set_now[what] = value
                desk.run("docs", texts=[f"{what}={value}"])
            elif kind == "require":
                configure(desk, what, front_matter=reads)
                with suppress(UsageError):
                    desk.run()
                    require = what
                configure(desk, require, front_matter=reads)
            elif kind == "front matter":
                reads = what
                configure(desk, require, front_matter=reads)
                desk.run()
            else:
                set_now["course"] = value
                desk.index.left = what
                with suppress(KeyboardInterrupt):
                    desk.run("docs", texts=[f"course={value}"])
                desk.index.left = 10**9
                desk.run()
        clean = Desk(folder)
        clean.run("docs", texts=[f"{name}={value}" for name, value in set_now.items()])
        assert desk.attributes() == clean.attributes()
        assert desk.spec() == clean.spec()
        for path, record in clean.records().items():
            ours = desk.records()[path]
            assert (ours.attributes, ours.inherited) == (record.attributes, record.inherited)
            assert sorted(ours.notes.split("\n")) == sorted(record.notes.split("\n"))
