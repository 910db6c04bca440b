"""Nobody asks faster than was set, all processes of a user together."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from pincite.errors import ConfigError, RateLimited
from pincite.model import Notice
from pincite.providers.batching import Limits
from pincite.providers.pace import LONGEST_PAUSE_S, WINDOW_S, Pace, Rate
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.registry import Registry
from pincite.providers.retry import Clock
from pincite.settings.sections.models import take_model_settings
from pincite.testing.contract_server import ContractServer

ENDLESS = 1e9


@dataclass
class Time:
    """A clock that only sleeping moves."""

    now_s: float = 1_000.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.now_s, self.sleep, lambda *_: 0.0)


def pace_of(time: Time, file: Path | None, rate: Rate, notices: list[Notice] | None = None) -> Pace:
    said = [] if notices is None else notices
    return Pace("voyage:rerank-2.5", "voyage:rerank-2.5 1", rate, file, said.append, time.clock)


def take(pace: Pace, tokens: int = 0, most_s: float = ENDLESS) -> float:
    return asyncio.run(pace.turn(lambda: tokens, most_s))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "rates.db"


def start(server: ContractServer, file: Path, per_minute: int, times: int) -> subprocess.Popen[str]:
    asked = (server.url("voyage"), str(file), str(per_minute), str(times))
    command = [sys.executable, "-m", "tests.providers.core.asking", *asked]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def lines_of(process: subprocess.Popen[str]) -> list[str]:
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    return out.splitlines()


def test_two_processes_together_ask_no_more_than_was_set(
    server: ContractServer, file: Path
) -> None:
    processes = [start(server, file, per_minute=6, times=5) for _ in range(2)]
    said = [line for process in processes for line in lines_of(process)]
    assert said.count("answered") == server.record.requests == 6
    refused = [line for line in said if line != "answered"]
    assert len(refused) == 4
    assert all("the limit is 6 requests a minute" in line for line in refused)


def test_a_pause_that_a_provider_asked_of_one_process_is_kept_by_others(
    server: ContractServer, file: Path
) -> None:
    server.fail("429-retry-after", times=1, retry_after_s=500)
    first = lines_of(start(server, file, per_minute=0, times=1))
    second = lines_of(start(server, file, per_minute=0, times=1))
    assert first[0].startswith("RateLimited voyage at")
    assert "the service asked for a pause" in second[0]
    assert server.record.requests == 1


def test_a_process_that_is_killed_blocks_nobody(server: ContractServer, file: Path) -> None:
    for _ in range(3):
        process = start(server, file, per_minute=1_000_000, times=1_000_000)
        assert process.stdout is not None
        assert process.stdout.readline() == "answered\n"
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=600)
        process.stdout.close()
        assert lines_of(start(server, file, per_minute=1_000_000, times=2)) == ["answered"] * 2


def test_the_request_that_is_one_too_many_waits_until_the_first_is_a_minute_old(file: Path) -> None:
    time = Time()
    mine, other = (pace_of(time, file, Rate(requests_per_minute=2)) for _ in range(2))
    assert take(mine) == 0
    time.now_s += 20
    assert take(other) == 0
    assert take(mine) == WINDOW_S - 20
    assert time.slept == [WINDOW_S - 20]
    assert take(other) == 20


def test_nobody_else_can_read_the_file(file: Path) -> None:
    before = os.umask(0o022)
    try:
        take(pace_of(Time(), file, Rate(requests_per_minute=2)))
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o077 == 0


def test_tokens_of_a_minute_are_counted(file: Path) -> None:
    pace = pace_of(time := Time(), file, Rate(tokens_per_minute=1_000))
    assert take(pace, 400) == take(pace, 600) == 0
    time.now_s += 1
    assert take(pace, 400) == WINDOW_S - 1
    assert take(pace, 10) == 0  # the first two are gone, and 410 are spent


def test_a_request_larger_than_a_minute_goes_alone(file: Path) -> None:
    pace = pace_of(Time(), file, Rate(tokens_per_minute=1_000))
    assert take(pace, 50) == 0
    assert take(pace, 9_000) == WINDOW_S
    assert take(pace, 1) == WINDOW_S


def test_no_request_is_planned_that_a_minute_cannot_hold() -> None:
    options = {"voyage": ProviderOptions(tokens_per_minute=10_000)}
    setup = Registry(options).setup("rerank", "voyage:rerank-2.5")
    assert setup.limits(Limits(items=1_000, tokens=600_000)).tokens == 10_000
    assert setup.limits(Limits()).tokens == 10_000


def test_a_turn_that_comes_too_late_is_refused_at_once_and_not_taken(file: Path) -> None:
    pace = pace_of(time := Time(), file, Rate(requests_per_minute=1))
    take(pace)
    for _ in range(3):
        with pytest.raises(RateLimited, match="has to wait 61 s, but only 20 s are left"):
            take(pace, most_s=20)
    assert time.slept == []
    time.now_s += WINDOW_S
    assert take(pace, most_s=20) == 0


def test_whoever_stops_waiting_gives_the_turn_back(file: Path) -> None:
    time = Time()

    async def give_up() -> None:
        async def sleep(_: float) -> None:
            raise asyncio.CancelledError

        hasty = Clock(lambda: time.now_s, sleep)
        await Pace("m", "voyage:rerank-2.5 1", rate, file, clock=hasty).turn(lambda: 0, ENDLESS)

    rate = Rate(requests_per_minute=1)
    pace = pace_of(time, file, rate)
    take(pace)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(give_up())
    assert take(pace) == WINDOW_S


def test_a_clock_that_began_anew_forgets_what_was_before(file: Path) -> None:
    time = Time(now_s=1_000_000.0)
    pace = pace_of(time, file, Rate(requests_per_minute=1))
    take(pace)
    asyncio.run(pace.pause(300))
    time.now_s = 40.0  # the machine was started again
    assert take(pace, most_s=1) == 0


def test_a_clock_that_leaps_ahead_sets_nobody_back(file: Path) -> None:
    time = Time()
    pace = pace_of(time, file, Rate(requests_per_minute=1))
    take(pace)
    time.now_s += 1e7
    assert take(pace, most_s=1) == 0


def test_no_provider_can_ask_for_a_pause_without_end(file: Path) -> None:
    pace = pace_of(Time(), file, Rate())
    asyncio.run(pace.pause(1e12))
    assert take(pace) == LONGEST_PAUSE_S


def test_without_limits_nothing_is_written(file: Path) -> None:
    take(pace_of(Time(), file, Rate()))
    assert not file.parent.exists()


@pytest.mark.parametrize("spoil", ["garbage", "folder", "unwritable"])
def test_where_the_file_cannot_be_used_a_process_keeps_its_own_turns_and_says_so(
    file: Path, spoil: str
) -> None:
    file.parent.mkdir()
    if spoil == "garbage":
        file.write_bytes(b"no database " * 1_000)
    elif spoil == "folder":
        file.mkdir()
    else:
        file = file.parent / "rates.db"
        file.parent.rmdir()
        file.parent.write_text("a file where the folder should be")
    notices: list[Notice] = []
    pace = pace_of(Time(), file, Rate(requests_per_minute=1), notices)
    assert (take(pace), take(pace)) == (0, WINDOW_S)
    assert [one.code for one in notices] == ["rates_not_shared", "rate_waiting"]
    assert str(file) in notices[0].message
    pace.close()


def test_models_have_rates_of_their_own_and_those_of_the_provider() -> None:
    table = {
        "providers": {
            "voyage": {
                "requests_per_minute": 3,
                "tokens_per_minute": 10_000,
                "rates": {"rerank-2.5": {"requests_per_minute": 2_000}},
            }
        }
    }
    options = take_model_settings(table, "x", {}, None).providers["voyage"]
    assert options.rate_of("voyage-code-3") == Rate(3, 10_000)
    assert options.rate_of("rerank-2.5") == Rate(2_000, 0)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"requests_per_minute": -1}, "must not be negative"),
        ({"rates": {"m": {"tokens_per_minute": -1}}}, "must not be negative"),
        ({"rates": {"m": {"rpm": 1}}}, "unknown key 'rpm'"),
        ({"rates": {"m": 3}}, "is a table"),
        ({"rates": 3}, "is a table"),
        ({"requests_per_minute": "many"}, "requests_per_minute"),
    ],
)
def test_a_wrong_rate_is_refused(table: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        take_model_settings({"providers": {"voyage": table}}, "x", {}, None)
