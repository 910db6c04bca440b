"""Rate limits of models: requests and tokens per minute, shared by all processes of a user.

A small SQLite file records recent requests. A request gets its turn before it is sent, first come
first served, so that a turn that would come too late is known at once. A lock of SQLite ends with
its process: a killed process blocks nobody, and its unused turn counts for a minute.

No library does this for several processes without a server. Of those that use a file, one writes a
row for every token, which are 120,000 for one request (docs/decisions/dependencies.md).
"""

from __future__ import annotations

import asyncio
import math
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec

from pincite.errors import ConfigError, RateLimited
from pincite.model import Notice
from pincite.providers.retry import Clock
from pincite.support.databases.private_file import require_private_file

#: Requests of the last minute count. The extra second allows for requests that took longer to
#: arrive than the next ones will.
WINDOW_S: Final = 61.0
#: The longest time that a Retry-After is kept for other processes; then one of them asks again.
#: Providers that count by the minute ask for less.
LONGEST_PAUSE_S: Final = 600.0
#: A longer wait is reported, once.
_SAID_S: Final = 10.0
#: Another process writes for less than a millisecond; a stopped process is not waited for.
_LOCKED_S: Final = 5.0

#: Seconds until the turn, and its number in the file; None if it was not taken.
Turn = tuple[float, int | None]

_TABLES = """
create table if not exists turns (model text, at real, made real, tokens integer);
create index if not exists turns_by_time on turns (model, at);
create table if not exists pauses (model text primary key, until real, made real);
"""


class Rate(msgspec.Struct, frozen=True):
    """Requests and tokens that a provider accepts per minute; 0 where no limit is applied."""

    requests_per_minute: int = 0
    tokens_per_minute: int = 0

    def __post_init__(self) -> None:
        if min(self.requests_per_minute, self.tokens_per_minute) < 0:
            raise ConfigError(
                "requests_per_minute and tokens_per_minute must not be negative; 0 means no limit"
            )

    def __bool__(self) -> bool:
        return bool(self.requests_per_minute or self.tokens_per_minute)

    def __str__(self) -> str:
        numbers = (self.requests_per_minute, "requests"), (self.tokens_per_minute, "tokens")
        return " and ".join(f"{number:,} {what}" for number, what in numbers if number)


def default_rates() -> Path:
    """Return the file `rates.db` in the user's state folder for Pincite."""
    import platformdirs

    return platformdirs.user_state_path("pincite") / "rates.db"


class Pace:
    """The turns of one model. `key` distinguishes it from all others in `file`. Without a file this
    process counts only its own turns; it also does so, with a warning, if the file cannot be used.

    Times are of the monotonic clock, which all processes of a machine share and which cannot be
    set. It restarts with the machine: entries with a later time than now are from before the
    restart and are deleted.
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
        """Wait for the turn of a request of so many tokens; return the seconds waited. Raises
        RateLimited at once, without waiting, if its turn comes after more than `most_s`."""
        if not self._rate and (self._file is None or not self._file.exists()):
            return 0.0
        cost = tokens() if self._rate.tokens_per_minute else 0
        wait_s, made = await asyncio.to_thread(self._use, lambda c: self._take(c, cost, most_s))
        if made is None:
            raise self._late(wait_s, most_s)
        if wait_s > _SAID_S and not self._said:
            self._said = True
            said = f"the next request to {self._name} waits {wait_s:.0f} s, {self._reason}"
            self._on_notice(Notice("rate_waiting", said))
        try:
            if wait_s > 0:
                await self._clock.sleep(wait_s)
        except asyncio.CancelledError:
            await asyncio.shield(asyncio.to_thread(self._use, lambda c: _give_back(c, made)))
            raise
        return wait_s

    async def pause(self, seconds: float) -> None:
        """Let no process send requests for so many seconds, because the provider asked for a
        pause."""
        if not self._rate and self._file is None:
            return
        await asyncio.to_thread(self._use, lambda c: self._set_pause(c, seconds))

    def close(self) -> None:
        """Release this process's own resources."""
        with self._lock:
            if self._alone is not None:
                self._alone.close()
            self._alone = None

    def _late(self, wait_s: float, most_s: float) -> RateLimited:
        return RateLimited(
            f"the next request to {self._name} has to wait {wait_s:.0f} s, but only"
            f" {max(0.0, most_s):.3g} s are left, {self._reason}",
            hint=f"wait, or raise its rates under [providers.{self._name.partition(':')[0]}]",
            retry_after_s=wait_s,
        )

    @property
    def _reason(self) -> str:
        if not self._rate:
            return "because the service asked for a pause"
        return f"because the limit is {self._rate} a minute"

    def _use(self, work: Callable[[sqlite3.Connection], Turn]) -> Turn:
        """Return the result of `work` as one transaction on the shared file, or on a database in
        memory if the file is not available."""
        with self._lock:
            if self._file is not None:
                try:
                    self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    if not self._file.exists():  # SQLite would let others read it
                        require_private_file(self._file, make=True)
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
                f"the rate limit of {self._name} is counted by this process alone, because"
                f" {file} cannot be used: {error}; delete it, or name another file with"
                " PINCITE_RATES",
            )
        )

    def _take(self, shared: sqlite3.Connection, tokens: int, most_s: float) -> Turn:
        """Return the seconds until there is room, and the turn taken; None as the turn if it is too
        late."""
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
        """Return the time when there is room for a request, after all turns already taken."""
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
    """Run `work` in one exclusive transaction."""
    shared.isolation_level = None
    shared.execute("pragma synchronous = off")  # a power failure resets the count
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
    """Delete a turn whose caller no longer waits for it."""
    shared.execute("delete from turns where rowid = ?", (made,))
    return 0.0, None
