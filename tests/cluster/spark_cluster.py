"""A standalone cluster of Spark on this machine: a master, workers and a Connect server.

Every one of them is a process of its own, listens on 127.0.0.1 alone, and is stopped in the end,
also after a failure. Tests and benchmarks use it::

    with SparkCluster() as cluster:
        SparkSession.builder.master(cluster.master)...
        with cluster.connect_server() as server:
            SparkSession.builder.remote(server.address)...

As a script, it runs until Ctrl-C::

    python tests/cluster/spark_cluster.py --workers 2 --connect
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import urlopen

import pyspark

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = Path(pyspark.__file__).parent
_PATIENCE = 180.0
"""Seconds until a process must have started; a busy machine takes long to start Java."""
_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux's ``prctl.h``."""
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class Daemon:
    """A process of Java that says in its log where it listens.

    Parameters
    ----------
    command
        The program and its arguments.
    log
        The file for its output.
    started
        What the log says once the process is ready; its first group is kept as ``address``.
    environment
        Variables besides those of this process.
    """

    def __init__(
        self, command: list[str], log: Path, started: str, environment: dict[str, str]
    ) -> None:
        self.log = log
        with log.open("wb") as output:
            # A process group of its own holds the executors that a worker starts.
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | environment,
                start_new_session=True,
                preexec_fn=_die_with_parent if _libc else None,  # noqa: PLW1509
            )
        self._started = started

    @property
    def address(self) -> str:
        """Where the process listens; waits until it does."""
        return self.wait_for(self._started)

    def wait_for(self, pattern: str) -> str:
        """Wait until the log has a pattern, and return its first group."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            text = self.log.read_text(errors="replace")
            if match := re.search(pattern, text):
                return match[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"{self.process.args} did not start; its log ends with {text[-2000:]!r}")

    def page(self, name: str = "SparkUI") -> str:
        """Return where the process shows its page, which has its counters too."""
        port = self.wait_for(rf"service '{name}' on port (\d+)")
        return f"http://127.0.0.1:{port}"

    def kill(self) -> None:
        """End the process and all that it has started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _die_with_parent() -> None:
    _libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


class SparkCluster:
    """A master and its workers.

    Parameters
    ----------
    workers
        How many workers there are.
    cores
        The cores of each worker, of which an application takes one.
    memory
        The memory of each worker.
    python
        The Python of the executors; by default there is none, as counting needs none there.

    Attributes
    ----------
    master
        The address for ``--master``.
    workers
        The processes of the workers.
    """

    def __init__(
        self,
        workers: int = 2,
        *,
        cores: int = 2,
        memory: str = "2g",
        python: str = "/nonexistent/python",
    ) -> None:
        self._count = workers
        self._cores = cores
        self._memory = memory
        self.folder = Path()
        self.workers: list[Daemon] = []
        self._launched = 0
        self._environment = {
            "SPARK_HOME": str(HOME),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_PUBLIC_DNS": "127.0.0.1",
            # Nobody's own settings take part.
            "SPARK_CONF_DIR": "",
            "PYSPARK_PYTHON": python,
        }

    def __enter__(self) -> SparkCluster:
        with ExitStack() as stack:
            folder = tempfile.mkdtemp(prefix="spark-cluster-")
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            self.folder = Path(folder)
            self._environment["SPARK_CONF_DIR"] = folder
            self._master = self._start(
                "org.apache.spark.deploy.master.Master",
                *("--host", "127.0.0.1", "--port", "0", "--webui-port", "0"),
                name="master",
                started=r"Starting Spark master at (spark://[\d.]+:\d+)",
            )
            stack.callback(self._master.kill)
            self.master = self._master.address
            self.page = self._master.page("MasterUI")
            stack.callback(self._kill_workers)
            for _ in range(self._count):
                self._launch_worker()
            self._wait_for_workers()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self, main: str, *arguments: str, name: str, started: str) -> Daemon:
        command = [str(HOME / "bin" / "spark-class"), main, *arguments]
        # Daemons do little: the first compiler and the simplest collector start fastest.
        environment = self._environment | {
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        return Daemon(command, self.folder / f"{name}.log", started, environment)

    def _launch_worker(self) -> None:
        name = f"worker-{self._launched}"
        self._launched += 1
        worker = self._start(
            "org.apache.spark.deploy.worker.Worker",
            *("--host", "127.0.0.1", "--port", "0", "--webui-port", "0"),
            *("--cores", str(self._cores), "--memory", self._memory),
            *("--work-dir", str(self.folder / name), self.master),
            name=name,
            started=r"Starting Spark worker 127\.0\.0\.1:(\d+)",
        )
        self.workers.append(worker)

    def _wait_for_workers(self) -> None:
        for worker in self.workers:
            worker.wait_for(r"(Successfully registered) with master")

    def replace_worker(self, worker: Daemon) -> None:
        """Start a worker for one that was killed."""
        self.workers.remove(worker)
        self._launch_worker()
        self._wait_for_workers()

    def _kill_workers(self) -> None:
        for worker in self.workers:
            worker.kill()

    def state(self) -> dict[str, Any]:
        """Return what the master says about its workers and applications."""
        with urlopen(f"{self.page}/json/", timeout=_PATIENCE) as answer:
            state: dict[str, Any] = json.load(answer)
        return state

    def settings(self) -> dict[str, str]:
        """Return settings of an application that suit this cluster."""
        return {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "640m",
            "spark.executor.cores": "1",
            # One core of each worker, so that two applications run at a time.
            "spark.cores.max": str(self._count),
            "spark.sql.shuffle.partitions": str(2 * self._count),
            "spark.ui.port": "0",
            "spark.ui.showConsoleProgress": "false",
            "spark.local.dir": str(self.folder / "local"),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
        }

    @contextmanager
    def submit(self, *command: str, settings: dict[str, str] | None = None) -> Iterator[Daemon]:
        """Run a program of Python on this cluster, as `spark-submit` does."""
        driver = Daemon(
            [*self._submit(self.settings() | (settings or {})), *command],
            self.folder / f"driver-{self._launched}.log",
            r"service 'SparkUI' on port (\d+)",
            self._environment | {"PYSPARK_DRIVER_PYTHON": sys.executable},
        )
        self._launched += 1
        try:
            yield driver
        finally:
            driver.kill()

    def worker_of(self, application: str, executor: str) -> Daemon:
        """Return the worker that runs an executor."""
        asked = f"Asked to launch executor {application}/{executor} "
        (worker,) = (each for each in self.workers if asked in each.log.read_text())
        return worker

    def _submit(self, settings: dict[str, str]) -> list[str]:
        options = [f"--conf={name}={value}" for name, value in settings.items()]
        return [str(HOME / "bin" / "spark-submit"), f"--master={self.master}", *options]

    @contextmanager
    def connect_server(self, settings: dict[str, str] | None = None) -> Iterator[ConnectServer]:
        """Start a Spark Connect server whose application runs on this cluster."""
        settings = self.settings() | (settings or {})
        settings |= {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": "0",
        }
        main = "org.apache.spark.sql.connect.service.SparkConnectServer"
        server = Daemon(
            [*self._submit(settings), f"--class={main}", "spark-internal"],
            self.folder / f"connect-{self._launched}.log",
            r"Spark Connect server started at: .*:(\d+)",
            self._environment,
        )
        try:
            yield ConnectServer(
                f"sc://127.0.0.1:{server.address}",
                server.page("SparkUI"),
            )
        finally:
            server.kill()


class ConnectServer(NamedTuple):
    """A server of Spark Connect."""

    address: str
    """What sessions connect to."""
    page: str
    """The page of its application, which has its counters."""


class Executor(NamedTuple):
    """An executor of an application, with what its driver has counted."""

    application: str
    id: str
    active: bool
    finished_tasks: int


def executors(page: str) -> list[Executor]:
    """Return all executors that the application of a page has had, lost ones too."""
    with urlopen(f"{page}/api/v1/applications", timeout=_PATIENCE) as answer:
        text = answer.read()
    if not text.startswith(b"["):
        return []  # the driver says that it is starting
    (application,) = json.loads(text)
    path = f"{page}/api/v1/applications/{application['id']}/allexecutors"
    with urlopen(path, timeout=_PATIENCE) as answer:
        listed = json.load(answer)
    return [
        Executor(application["id"], each["id"], each["isActive"], each["completedTasks"])
        for each in listed
        if each["id"] != "driver"
    ]


def main() -> None:
    """Run a cluster until Ctrl-C."""
    parser = argparse.ArgumentParser(description="Run a cluster of Spark on this machine.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--connect", action="store_true", help="start a Connect server too")
    given = parser.parse_args()
    # A shell may start what runs in the background with Ctrl-C ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    with ExitStack() as stack:
        cluster = stack.enter_context(SparkCluster(given.workers))
        print(f"master: {cluster.master}\npage: {cluster.page}", flush=True)
        if given.connect:
            server = stack.enter_context(cluster.connect_server())
            print(f"Connect server: {server.address}", flush=True)
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    main()
