"""A Dask cluster on this machine: a scheduler, and workers that are processes of their own."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager

from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin

MEMORY = "500MB"


@contextmanager
def dask_cluster(*, nanny=True, workers=2, memory=MEMORY):
    """Start a cluster and yield its client, which `compute` uses from then on.

    A nanny starts a worker again that has died. The scheduler is a thread of this process, so
    that a `Killer` hears at once of every task.
    """
    with ExitStack() as stack:
        cluster = stack.enter_context(
            LocalCluster(
                n_workers=workers if nanny else 0,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=memory,
                silence_logs="CRITICAL",
            )
        )
        client = stack.enter_context(Client(cluster))
        if not nanny:
            for _ in range(workers):
                stack.enter_context(_worker(cluster.scheduler_address, memory))
        client.wait_for_workers(workers, timeout=60)
        yield client


@contextmanager
def _worker(scheduler, memory):
    """Run a worker that nobody starts again."""
    options = ("--no-nanny", "--no-dashboard", "--nthreads=1", f"--memory-limit={memory}")
    command = [sys.executable, "-m", "distributed.cli.dask_worker", scheduler, *options]
    process = subprocess.Popen(
        [*command, "--host=127.0.0.1", "--death-timeout=20"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


class Killer(SchedulerPlugin):
    """Kills a worker after its first finished task, or a later one."""

    name = "killer"

    def __init__(self, victim, pid, after):
        self.victim = victim
        self.pid = pid
        self.after = after
        self.finished = 0
        """Tasks that the worker has finished until it was killed."""
        self.lost = False
        """Whether the scheduler has lost the worker."""
        self.finished_later = 0
        """Tasks that others have finished since then."""

    def transition(self, _, start, finish, *__, worker=None, **___):
        if (start, finish) != ("processing", "memory"):
            return
        if self.lost:
            self.finished_later += 1
        elif worker == self.victim:
            self.finished += 1
            if self.finished == self.after:
                os.kill(self.pid, signal.SIGKILL)

    def remove_worker(self, scheduler, worker, **_):  # noqa: ARG002 (called by name)
        self.lost = self.lost or worker == self.victim


def pids(client):
    """Return the process ids of all workers by address."""
    return client.run(os.getpid)


@contextmanager
def killing(client, victim, after=1):
    """Kill a worker in the midst of what is computed, and fail if that did not happen."""
    killer = Killer(victim, pids(client)[victim], after)
    scheduler = client.cluster.scheduler
    client.sync(_add, scheduler, killer)
    try:
        yield killer
    finally:
        client.sync(_remove, scheduler, killer)
    assert killer.finished >= after, "the worker has finished too few tasks to be killed"
    assert killer.lost, "the scheduler has lost no worker"


async def _add(scheduler, plugin):
    scheduler.add_plugin(plugin)


async def _remove(scheduler, plugin):
    scheduler.remove_plugin(plugin.name)
