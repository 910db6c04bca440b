"""`pincite memory` and `pincite conversations`: stored data about users."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.counted import counted
from pincite.support.terminal import one_line
from pincite.surfaces.cli.confirm import agreed
from pincite.surfaces.cli.groups import Group
from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import NOTHING, OK, run

if TYPE_CHECKING:
    from pincite.model import Turn

_user = click.option("--user", required=True, metavar="NAME", help="The user of the facts.")
_owner = click.option(
    "--owner", default="", metavar="NAME", help="The owner of the conversations; default: none."
)
_yes = click.option("-y", "--yes", is_flag=True, help="Do not ask.")


@click.group(cls=Group)
def memory() -> None:
    """Manage facts about users that answers may use in every conversation.

    These are the facts of this index, in its folder or at memory.path. Facts of workspaces
    are in the workspace database: `pincite serve` has them at /v1/facts.
    """


@memory.command()
@click.argument("text")
@_user
@json_option
@index_option
def add(text: str, user: str, json_: bool, index: Path | None) -> None:
    """Store TEXT as a fact; - reads it from stdin."""
    from pincite.surfaces.text.render import to_json

    said = sys.stdin.read() if text == "-" else text
    kept = run(lambda engine: engine.remember(user, said), index)
    if json_:
        show(to_json(kept))
        return
    for fact in kept:
        show(f"{fact.id}  {one_line(fact.text)}")
    if not kept:
        say("there is nothing in it to remember")


@memory.command("list")
@click.option("--query", default="", help="Only facts relevant to this question, best first.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Maximum number of facts for --query.",
)
@_user
@json_option
@index_option
def list_facts(query: str, limit: int, user: str, json_: bool, index: Path | None) -> int:
    """List the facts about a user. Exit code 3 if there are none."""
    from pincite.surfaces.text.render import to_json

    if query:
        found = run(lambda engine: engine.recall(user, query, limit), index)
    else:
        found = run(lambda engine: engine.facts(user), index)
    if json_:
        show(to_json(found))
    for fact in () if json_ else found:
        score = f"  {fact.score:.2f}" if query else ""
        show(f"{fact.id}{score}  {fact.at}  {one_line(fact.text)}")
    return OK if found else NOTHING


@memory.command()
@click.argument("fact", default="")
@click.option("--all", "all_", is_flag=True, help="All facts of this user.")
@_user
@_yes
@index_option
def forget(fact: str, all_: bool, user: str, yes: bool, index: Path | None) -> int:
    """Delete FACT by its id, or --all of a user. Exit code 3 if there is none."""
    import shlex

    from pincite.errors import UsageError

    if bool(fact) == all_:
        known = one_line(f"pincite memory list --user {shlex.quote(user)}")
        raise UsageError("give the id of a fact, or --all", hint=known)
    if all_ and not yes:
        count = len(run(lambda engine: engine.facts(user), index))
        if count and not _agreed(f"Forget {counted(count, 'fact')} of {one_line(user)}?"):
            say("no fact was deleted")
            return NOTHING
    gone = run(lambda engine: engine.forget_facts(user, fact), index)
    say(f"{gone:,} forgotten" if gone else "no such fact exists")
    return OK if gone else NOTHING


@click.group(cls=Group)
def conversations() -> None:
    """List and delete stored conversations.

    These are the conversations of this index, in its folder. Conversations of workspaces are in the
    workspace database: `pincite serve` has them at /v1/conversations.
    """


@conversations.command("list")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=50, show_default=True)
@_owner
@json_option
@index_option
def list_conversations(limit: int, owner: str, json_: bool, index: Path | None) -> int:
    """List conversations with the time of the last turn, the number of turns and the title.

    The latest turn comes first. Exit code 3 if there are none.
    """
    from pincite.surfaces.text.render import to_json

    found = run(lambda engine: engine.conversations(owner, limit), index)
    if json_:
        show(to_json(found))
    for one in () if json_ else found:
        about = one_line(f"{one.updated}  {counted(one.length, 'turn')}  {one.title}")
        show(f"{one.id}  {about}".rstrip())
    if not found:
        say("no conversation is stored")
    return OK if found else NOTHING


@conversations.command("show")
@click.argument("conversation")
@_owner
@json_option
@index_option
def show_conversation(conversation: str, owner: str, json_: bool, index: Path | None) -> None:
    """Print all turns of CONVERSATION."""
    from pincite.surfaces.text.render import to_json

    turns = run(lambda engine: engine.turns(conversation, owner), index)
    if json_:
        show(to_json(turns))
        return
    for number, turn in enumerate(turns):
        if number:
            show("")
        _show_turn(turn)


def _show_turn(turn: Turn) -> None:
    kind = f", {turn.kind}" if turn.kind in ("failed", "refused") else ""
    show(f"[{turn.number}] {turn.role}{kind}, {one_line(turn.at)}")
    show(turn.text)
    for citation in turn.citations:
        show(f"  {one_line(citation)}")


@conversations.command("delete")
@click.argument("conversation")
@_owner
@_yes
@index_option
def delete_conversation(conversation: str, owner: str, yes: bool, index: Path | None) -> int:
    """Delete CONVERSATION with all of its turns."""

    # Raises if there is none. Asked outside of the event loop, so that Ctrl-C ends it at once.
    turns = run(lambda engine: engine.turns(conversation, owner), index)
    if not yes and not _agreed(f"Delete {counted(len(turns), 'turn')}?"):
        say("no turn was deleted")
        return NOTHING
    run(lambda engine: engine.delete_conversation(conversation, owner), index)
    say("deleted")
    return OK


def _agreed(question: str) -> bool:
    """Ask for confirmation. Raises UsageError if input is not interactive."""
    unasked = "deleting needs confirmation on a terminal"
    return agreed(question, unasked=unasked, hint="add --yes")
