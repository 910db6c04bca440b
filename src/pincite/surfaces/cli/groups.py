"""Groups of commands whose help shows complete summaries."""

from __future__ import annotations

from collections.abc import Iterable

import click

_WHOLE = 10_000  # no summary has so many characters


class Group(click.Group):
    """A group whose list of commands wraps long summaries, which click would cut."""

    group_class = type  #: groups in it are of the same class

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(self.summaries(ctx, self.list_commands(ctx)))

    def summaries(self, ctx: click.Context, names: Iterable[str]) -> list[tuple[str, str]]:
        """Return the commands with these names and their summaries, without hidden ones."""
        return [
            (name, command.get_short_help_str(_WHOLE))
            for name in names
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        ]
