"""Names of uploaded files in messages."""

from __future__ import annotations

import pytest

from pincite.workspace.files.uploads import UnreadableType, require_readable_type


@pytest.mark.parametrize("name", ["a.\x1b[31mred", "a.x\u202egpj", "a.b\nc: d"])
def test_a_suffix_is_named_without_control_characters(name: str) -> None:
    with pytest.raises(UnreadableType) as caught:
        require_readable_type(name)
    assert caught.value.message.startswith("no reader reads files of the type ")
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (f"a.{'x' * 3_000}", f"of the type .{'x' * 59}..."),
        (f"{'x' * 3_000}.", f"with a name such as {'x' * 60}..."),
        (f"a.{'x' * 59}", f"of the type .{'x' * 59}"),
    ],
)
def test_a_long_name_is_cut(name: str, shown: str) -> None:
    assert UnreadableType(name).message == f"no reader reads files {shown}"
