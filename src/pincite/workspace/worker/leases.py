"""The jobs that a worker holds, and their leases, renewed while it works."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pincite.errors import WorkspaceUnavailable
from pincite.workspace.worker.deps import WorkerConfig, WorkerDeps

if TYPE_CHECKING:
    from pincite.workspace.worker.perform import Result


@dataclass(slots=True)
class HeldJobs:
    """The jobs that this worker still holds, each with the end of its lease by the monotonic clock
    of this machine, and the jobs that are being done."""

    held: dict[str, float]
    doing: asyncio.Task[list[Result]] | None = None
    done_now: set[str] = field(default_factory=set)

    def until_s(self) -> float:
        """Return until when all jobs in progress belong to this worker; a past time if they do
        not."""
        return min((self.held.get(one, 0.0) for one in self.done_now), default=0.0)

    def lose(self, job_id: str) -> None:
        """Mark a job as lost to another worker and stop the work on it."""
        self.held.pop(job_id, None)
        if self.doing is not None and job_id in self.done_now:
            self.doing.cancel()


async def renew_leases(deps: WorkerDeps, config: WorkerConfig, leases: HeldJobs) -> None:
    """Renew the leases while the work goes on."""
    while leases.held:
        await asyncio.sleep(config.lease_s / 3)
        for id_ in sorted(leases.held):
            asked_s = time.monotonic()
            try:
                held = await _renew(deps, config, id_)
            except WorkspaceUnavailable:
                continue  # the database may be back in time; `finish` checks the lease
            if not held:
                leases.lose(id_)
            elif id_ in leases.held:
                leases.held[id_] = asked_s + config.lease_s


async def _renew(deps: WorkerDeps, config: WorkerConfig, job_id: str) -> bool:
    return await deps.workspaces.administer(
        lambda operator: operator.renew(job_id, deps.name, config.lease_s)
    )
