"""Run a whole search in the daemon, so that this process needs no engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pincite.daemon.client import json_exchange
from pincite.settings.index_folder import nearest
from pincite.settings.otel import spans_wanted
from pincite.surfaces.cli.output import say
from pincite.surfaces.text.pack_output import Printed, Wanted, parts_of_json

_COMPLETION_S = 1.0  # the longest wait after Tab


def ask_daemon(asked: Mapping[str, Any], wanted: Wanted, index: Path | None) -> Printed | None:
    """Return the output of the daemon for a search, or None if this process has to search itself.
    Raises the errors of the search."""
    if spans_wanted():
        return None  # the spans of this command would be missing
    try:
        answer = _asked({"options": dict(asked), "wanted": asdict(wanted)}, index)
    except TimeoutError as error:
        from pincite.daemon.client.spawn import hung

        near = nearest(index)
        place = near.root if near else Path()
        raise hung(place, "ask", json_exchange.ANSWER_S) from error
    if answer is None:
        return None
    if failed := answer.get("error"):
        from pincite.daemon.wire.protocol import revive_error

        for message in answer.get("messages", ()):
            say(message)
        raise revive_error(*failed)
    done = answer.get("printed")
    if not isinstance(done, dict):
        return None
    raw = done["raw"]
    return Printed(
        parts_of_json(done["parts"]),
        None if raw is None else raw.encode("utf-8", "surrogateescape"),
        tuple(done["messages"]),
        done["level"],
        done["query_id"],
    )


def names_of(what: str, index: Path | None) -> list[str]:
    """Return the names of the `collections` or `sources`; empty if no daemon is running. Raises
    TimeoutError."""
    answer = _asked({"names": what}, index, seconds=_COMPLETION_S) or {}
    return [name for name in answer.get("names", ()) if isinstance(name, str)]


def _asked(
    request: Mapping[str, Any], index: Path | None, *, seconds: float = json_exchange.ANSWER_S
) -> dict[str, Any] | None:
    near = nearest(index)
    if near is None:
        return None
    place = {
        "index": str(near.root),
        "folder": str(near.folder),
        "variables": dict(near.variables),
        "places": list(near.places),
    }
    return json_exchange.ask(near.root, {**place, **request}, seconds)
