"""How fast a model may be asked: requests and tokens a minute, kept by all processes of a user.

What has been asked stands in a small SQLite file. A request gets its turn before it leaves, first
come first served, so that it is known at once whether its turn comes too late. A lock of SQLite
ends with its process: whoever is killed blocks nobody, and a turn that was not used is counted for
a minute.

No library does that for several processes without a server: of those that keep a file, one writes a
row for every token, which are 120,000 for one request (docs/decisions/dependencies.md).
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pincite.errors import ConfigError, RateLimited
from pincite.model import Notice
from pincite.providers.retry import Clock

#: Requests of the last minute count. The second more is for those that took longer to arrive than
#: the next ones will.
WINDOW_S: Final = 61.0
#: A Retry-After is kept for others so long at most; then one of them asks again. Providers that
#: count by the minute ask for less.
LONGEST_PAUSE_S: Final = 600.0
#: From here on a wait is spoken of, once.
_SAID_S: Final = 10.0
#: Another process writes for less than a millisecond; one that was stopped is not waited for.
_LOCKED_S: Final = 5.0

#: Seconds until it, and its number in the file; None if it was not taken.
Turn = tuple[float, int | None]

_TABLES = """
create table if not exists turns (model text, at real, made real, tokens integer);
create index if not exists turns_by_time on turns (model, at);
create table if not exists pauses (model text primary key, until real, made real);
"""


@dataclass(frozen=True, slots=True)
class Rate:
    """Requests and tokens that a provider takes in a minute; 0 where it is not to be counted."""

    requests_per_minute: int = 0
    tokens_per_minute: int = 0

    def __post_init__(self) -> None:
        if min(self.requests_per_minute, self.tokens_per_minute) < 0:
            raise ConfigError(
                "requests_per_minute and tokens_per_minute must not be negative; 0 is no limit"
            )

    def __bool__(self) -> bool:
        return bool(self.requests_per_minute or self.tokens_per_minute)

    def __str__(self) -> str:
        numbers = (self.requests_per_minute, "requests"), (self.tokens_per_minute, "tokens")
        return " and ".join(f"{number:,} {what}" for number, what in numbers if number)


def default_rates() -> Path:
    """The file `rates.db` in the user's state folder for Pincite."""
    import platformdirs

    return platformdirs.user_state_path("pincite") / "rates.db"


class Pace:
    """The turns of one model. `key` tells it from all others in `file`; without a file, or where it
    cannot be used, this process keeps its turns for itself, and says so in the latter case.

    Times are of the monotonic clock, which all processes of a machine share and nobody can set. It
    begins anew with the machine: what was made later than now is of an earlier life, and goes.
    """

    def __init__(
        self,
        name: str,
        key: str,
        rate: Rate,
        file: Path | None,
        on_notice: Callable[[Notice], None] = lambda _: None,
        clock: Clock = Clock(),
    ) -> None:
        self._name = name
        self._key = key
        self._rate = rate
        self._file = file
        self._on_notice = on_notice
        self._clock = clock
        self._alone: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._said = False

    async def turn(self, tokens: Callable[[], int], most_s: float) -> float:
        """Wait for the turn of a request of so many tokens; the seconds that it took. Raises
        RateLimited at once, without waiting, if its turn comes after more than `most_s`."""
        if not self._rate and (self._file is None or not self._file.exists()):
            return 0.0
        cost = tokens() if self._rate.tokens_per_minute else 0
        wait_s, made = await asyncio.to_thread(self._use, lambda c: self._take(c, cost, most_s))
        if made is None:
            raise self._late(wait_s, most_s)
        if wait_s > _SAID_S and not self._said:
            self._said = True
            said = f"{self._name} is asked again in {wait_s:.0f} s, {self._reason}"
            self._on_notice(Notice("rate_waiting", said))
        try:
            if wait_s > 0:
                await self._clock.sleep(wait_s)
        except asyncio.CancelledError:
            await asyncio.shield(asyncio.to_thread(self._use, lambda c: _give_back(c, made)))
            raise
        return wait_s

    async def pause(self, seconds: float) -> None:
        """The provider asked to be left alone for so long: nobody asks before that."""
        if not self._rate and self._file is None:
            return
        await asyncio.to_thread(self._use, lambda c: self._set_pause(c, seconds))

    def close(self) -> None:
        """Let go of what this process keeps for itself."""
        with self._lock:
            if self._alone is not None:
                self._alone.close()
            self._alone = None

    def _late(self, wait_s: float, most_s: float) -> RateLimited:
        return RateLimited(
            f"{self._name} may be asked again in {wait_s:.0f} s, and {max(0.0, most_s):.3g} s are"
            f" left, {self._reason}",
            hint=f"wait, or raise its rates under [providers.{self._name.partition(':')[0]}]",
            retry_after_s=wait_s,
        )

    @property
    def _reason(self) -> str:
        if not self._rate:
            return "as it has asked for a pause"
        return f"as at most {self._rate} a minute are set"

    def _use(self, work: Callable[[sqlite3.Connection], Turn]) -> Turn:
        """The result of `work` as one transaction on the shared file, else on our own."""
        with self._lock:
            if self._file is not None:
                try:
                    self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    with closing(sqlite3.connect(self._file, timeout=_LOCKED_S)) as shared:
                        return _within_one(shared, work)
                except (sqlite3.Error, OSError) as error:
                    self._keep_alone(self._file, error)
            if self._alone is None:
                self._alone = sqlite3.connect(":memory:", check_same_thread=False)
            return _within_one(self._alone, work)

    def _keep_alone(self, file: Path, error: Exception) -> None:
        self._file = None
        self._on_notice(
            Notice(
                "rates_not_shared",
                f"how fast {self._name} is asked is kept by this process alone, as {file} cannot be"
                f" used: {error}; delete it, or name another file with PINCITE_RATES",
            )
        )

    def _take(self, shared: sqlite3.Connection, tokens: int, most_s: float) -> Turn:
        """Seconds until there is room, and the turn that was taken; None if that is too late."""
        now = self._clock.now()
        shared.execute("delete from turns where at <= ? or made > ?", (now - WINDOW_S, now))
        shared.execute("delete from pauses where until <= ? or made > ?", (now, now))
        found = shared.execute("select until from pauses where model = ?", (self._key,)).fetchone()
        at = max(now, float(found[0]) if found else now)
        if self._rate:
            cost = min(tokens, self._rate.tokens_per_minute)
            at = max(at, self._room(shared, cost))
        if at - now > most_s:
            return at - now, None
        if not self._rate:
            return at - now, 0
        row = (self._key, at, now, tokens)
        return at - now, shared.execute("insert into turns values (?, ?, ?, ?)", row).lastrowid

    def _room(self, shared: sqlite3.Connection, tokens: int) -> float:
        """When there is room for a request, behind all that have their turn already."""
        requests = self._rate.requests_per_minute or math.inf
        most = self._rate.tokens_per_minute or math.inf
        last = -math.inf
        before = "select at, tokens from turns where model = ? order by at desc"
        for number, (at, spent) in enumerate(shared.execute(before, (self._key,)), start=1):
            last = max(last, float(at))
            tokens += min(spent, self._rate.tokens_per_minute)
            if number >= requests or tokens > most:
                return max(last, float(at) + WINDOW_S)
        return last

    def _set_pause(self, shared: sqlite3.Connection, seconds: float) -> Turn:
        now = self._clock.now()
        until = now + min(seconds, LONGEST_PAUSE_S)
        shared.execute(
            "insert into pauses values (?, ?, ?) on conflict (model) do update set"
            " until = max(until, excluded.until), made = excluded.made",
            (self._key, until, now),
        )
        return 0.0, None


def _within_one(shared: sqlite3.Connection, work: Callable[[sqlite3.Connection], Turn]) -> Turn:
    """One transaction that nobody can come between."""
    shared.isolation_level = None
    shared.execute("pragma synchronous = off")  # a power failure ends what is counted as well
    if not shared.execute("select 1 from sqlite_master where name = 'pauses'").fetchone():
        shared.executescript(_TABLES)
    shared.execute("begin immediate")
    try:
        result = work(shared)
    except BaseException:
        with suppress(sqlite3.Error):
            shared.execute("rollback")
        raise
    shared.execute("commit")
    return result


def _give_back(shared: sqlite3.Connection, made: int) -> Turn:
    """Somebody does not wait for their turn any more."""
    shared.execute("delete from turns where rowid = ?", (made,))
    return 0.0, None
