"""A Dask cluster on this machine: a scheduler, and workers that are processes of their own."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager

from distributed import Client, LocalCluster
from distributed.diagnostics.plugin import SchedulerPlugin

WORKERS = 2


@contextmanager
def dask_cluster(*, nanny=True, memory="500MB"):
    """Start a cluster and yield its client, which `compute` uses from then on.

    A nanny starts a worker again that has died. The scheduler is a thread of this process, so
    that a `Killer` hears at once of every task.
    """
    with ExitStack() as stack:
        cluster = stack.enter_context(
            LocalCluster(
                n_workers=WORKERS if nanny else 0,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=memory,
                silence_logs="CRITICAL",
            )
        )
        client = stack.enter_context(Client(cluster))
        for _ in range(0 if nanny else WORKERS):
            stack.enter_context(_worker(cluster.scheduler_address, memory))
        client.wait_for_workers(WORKERS, timeout=60)
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
    """Kills a worker after its first finished task, and counts what others finish since then."""

    name = "killer"

    def __init__(self, victim, pid):
        self.victim = victim
        self.pid = pid
        self.killed = self.lost = False
        self.finished_later = 0

    def transition(self, _, start, finish, *__, worker=None, **___):
        if (start, finish) != ("processing", "memory"):
            return
        if self.lost:
            self.finished_later += 1
        elif worker == self.victim and not self.killed:
            self.killed = True
            os.kill(self.pid, signal.SIGKILL)

    def remove_worker(self, scheduler, worker, **_):  # noqa: ARG002 (called by name)
        self.lost = self.lost or worker == self.victim


def pids(client):
    return client.run(os.getpid)


@contextmanager
def killing(client, victim):
    """Kill a worker in the midst of what is computed, and fail if others had nothing left."""
    killer = Killer(victim, pids(client)[victim])
    scheduler = client.cluster.scheduler

    async def add():
        scheduler.add_plugin(killer)

    async def remove():
        scheduler.remove_plugin(killer.name)

    client.sync(add)
    try:
        yield
    finally:
        client.sync(remove)
    assert killer.lost, "the scheduler has lost no worker"
    assert killer.finished_later > 0
