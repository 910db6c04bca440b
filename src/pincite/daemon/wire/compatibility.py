"""Decide how a client treats a daemon of another version.

Only a newer version replaces an older one, so that programs of two versions never take an index
from each other in turns. A newer client asks an older daemon to leave once nobody uses it. An older
client never does that; it raises an error that says what to do. Two installations can have the same
version and number but different messages while Pincite is being changed. Then the client replaces a
daemon that nobody uses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pincite import version
from pincite.daemon.wire import protocol
from pincite.errors import DaemonOfAnotherVersion

#: Seconds without a request after which an older daemon is asked to leave.
UNUSED_S = 1.0
#: Seconds that a newer client waits for such a pause.
PATIENCE_S = 5.0


def compare(daemon: protocol.Identity) -> Literal["same", "older", "newer"]:
    """Compare a daemon's version with ours. An unreadable version counts as newer; the same
    protocol number with other messages counts as older."""
    ours, theirs = (version.VERSION, protocol.PROTOCOL), (daemon.version, daemon.protocol)
    if ours == theirs:
        return "same" if daemon.shape == protocol.SHAPE else "older"
    from packaging.version import InvalidVersion, Version  # rarely needed

    try:
        known = (Version(daemon.version), daemon.protocol)
    except InvalidVersion:
        return "newer"
    return "older" if known < (Version(version.VERSION), protocol.PROTOCOL) else "newer"


def refusal(root: Path, daemon: protocol.Identity | None) -> DaemonOfAnotherVersion:
    """Return the error for a daemon that cannot be used: a newer one, or an older one that is
    busy."""
    if daemon is None:
        return DaemonOfAnotherVersion(
            f"the daemon of {root} has a version that this {_name()} does not understand",
            hint="pincite stop, and run one version of Pincite at a time",
        )
    found = f"the daemon of {root} (process {daemon.pid}) has {_name(daemon)}"
    if compare(daemon) == "older":
        return DaemonOfAnotherVersion(
            f"{found}, older than this {_name()}, and in use",
            hint=(
                "wait for the programs that use it or end them, or: pincite stop; if an older"
                " version was installed since this program started, start the program again"
            ),
        )
    return DaemonOfAnotherVersion(
        f"{found}, newer than this {_name()}",
        hint=(
            f"pip install 'pincite=={daemon.version}' and start this program again; to"
            " continue with this version: pincite stop"
        ),
    )


def _name(daemon: protocol.Identity | None = None) -> str:
    number, spoken = version.VERSION, protocol.PROTOCOL
    if daemon is None:
        return f"version {number}"
    same = daemon.version == number
    return f"version {daemon.version}{f' (protocol {daemon.protocol}, not {spoken})' * same}"
