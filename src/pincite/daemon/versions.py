"""What a client does about a daemon of another version.

The newer one wins, and only then, so that programs of two versions never take an index from each
other in turns. A newer client asks an older daemon to leave once nobody uses it; an older client
never does, and says what to do. Of two that have one version and number and other messages, which
happens while Pincite is being changed, the client takes the place of a daemon that nobody uses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pincite import version
from pincite.daemon import protocol
from pincite.errors import DaemonOfAnotherVersion

#: How long nobody must have asked an older daemon for anything before it is asked to leave.
UNUSED_S = 1.0
#: How long a newer client waits for that.
PATIENCE_S = 5.0


def compare(daemon: protocol.Identity) -> Literal["same", "older", "newer"]:
    """How a daemon's version stands to ours. One that cannot be read counts as newer; one with our
    number and other messages as older."""
    ours, theirs = (version.VERSION, protocol.PROTOCOL), (daemon.version, daemon.protocol)
    if ours == theirs:
        return "same" if daemon.shape == protocol.SHAPES[protocol.PROTOCOL] else "older"
    from packaging.version import InvalidVersion, Version  # hardly ever needed

    try:
        known = (Version(daemon.version), daemon.protocol)
    except InvalidVersion:
        return "newer"
    return "older" if known < (Version(version.VERSION), protocol.PROTOCOL) else "newer"


def refusal(root: Path, daemon: protocol.Identity | None) -> DaemonOfAnotherVersion:
    """What to say of a daemon that cannot be used: a newer one, or an older one that is busy."""
    if daemon is None:
        return DaemonOfAnotherVersion(
            f"the daemon of {root} is of a version that this one, {_name()}, does not understand",
            hint="pincite stop, and run one version of Pincite at a time",
        )
    found = f"the daemon of {root} (process {daemon.pid}) is of {_name(daemon)}"
    if compare(daemon) == "older":
        return DaemonOfAnotherVersion(
            f"{found}, older than this {_name()}, and in use",
            hint="wait for the programs that use it or end them, or: pincite stop;"
            " start this program again if an older version was installed meanwhile",
        )
    return DaemonOfAnotherVersion(
        f"{found}, newer than this {_name()}",
        hint=f"pip install 'pincite=={daemon.version}' and start this program again;"
        " or to go on with this one: pincite stop",
    )


def _name(daemon: protocol.Identity | None = None) -> str:
    number, spoken = version.VERSION, protocol.PROTOCOL
    if daemon is None:
        return f"version {number}"
    same = daemon.version == number
    return f"version {daemon.version}{f' (protocol {daemon.protocol}, not {spoken})' * same}"
