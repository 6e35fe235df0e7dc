"""A standalone cluster of Spark on this machine: a master, two workers and a Connect server.

Every one of them is a process of its own, listens on 127.0.0.1 alone, and is stopped in the end,
also after a failure. Tests and benchmarks use it.
"""

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
from typing import NamedTuple
from urllib.request import urlopen

import pyspark

HOME = Path(pyspark.__file__).parent
WORKERS = 2
PATIENCE = 180.0
"""Seconds until a process must have started; a busy machine takes long to start Java."""
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def _die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Daemon:
    """A process of Java that says in its log where it listens."""

    def __init__(self, command, log, environment):
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

    def wait_for(self, pattern):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            text = self.log.read_text(errors="replace")
            if match := re.search(pattern, text):
                return match[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"{self.process.args} did not start; its log ends with {text[-2000:]!r}")

    def page(self):
        """Return where the process shows its page, which has its counters too."""
        port = self.wait_for(r"service 'SparkUI' on port (\d+)")
        return f"http://127.0.0.1:{port}"

    def kill(self):
        """End the process and all that it has started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class SparkCluster:
    """A master and its workers; an application takes one core of each, so that two run at a time.

    Executors have no Python, as counting needs none there.
    """

    def __init__(self, *, cores=2, memory="2g"):
        self._resources = "--cores", str(cores), "--memory", memory
        self.workers = []
        self._launched = 0

    def __enter__(self):
        with ExitStack() as stack:
            folder = tempfile.mkdtemp(prefix="spark-cluster-")
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            self.folder = Path(folder)
            self._environment = {
                "SPARK_HOME": str(HOME),
                "SPARK_LOCAL_IP": "127.0.0.1",
                "SPARK_PUBLIC_DNS": "127.0.0.1",
                # Nobody's own settings take part.
                "SPARK_CONF_DIR": folder,
                "PYSPARK_PYTHON": "/nonexistent/python",
            }
            master = self._start("master.Master")
            stack.callback(master.kill)
            self.master = master.wait_for(r"Starting Spark master at (spark://[\d.]+:\d+)")
            stack.callback(lambda: [worker.kill() for worker in self.workers])
            for _ in range(WORKERS):
                self._launch_worker()
            self._wait_for_workers()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _log(self, name):
        self._launched += 1
        return self.folder / f"{name}-{self._launched}.log"

    def _start(self, main, *arguments):
        command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{main}"]
        command += ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0", *arguments]
        # Daemons do little: the first compiler and the simplest collector start fastest.
        environment = self._environment | {
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        return Daemon(command, self._log(main), environment)

    def _launch_worker(self):
        folder = self.folder / f"worker-{self._launched}"
        options = (*self._resources, "--work-dir", str(folder), self.master)
        self.workers.append(self._start("worker.Worker", *options))

    def _wait_for_workers(self):
        for worker in self.workers:
            worker.wait_for(r"(Successfully registered) with master")

    def replace_worker(self, worker):
        """Start a worker for one that was killed."""
        self.workers.remove(worker)
        self._launch_worker()
        self._wait_for_workers()

    def worker_of(self, application, executor):
        asked = f"Asked to launch executor {application}/{executor} "
        (worker,) = (each for each in self.workers if asked in each.log.read_text())
        return worker

    def settings(self):
        return {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "640m",
            "spark.executor.cores": "1",
            "spark.cores.max": str(WORKERS),
            "spark.sql.shuffle.partitions": str(2 * WORKERS),
            "spark.ui.port": "0",
            "spark.ui.showConsoleProgress": "false",
            "spark.local.dir": str(self.folder / "local"),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
        }

    @contextmanager
    def submit(self, *command, settings):
        options = [f"--conf={name}={value}" for name, value in (self.settings() | settings).items()]
        driver = Daemon(
            [str(HOME / "bin" / "spark-submit"), f"--master={self.master}", *options, *command],
            self._log("driver"),
            self._environment | {"PYSPARK_DRIVER_PYTHON": sys.executable},
        )
        try:
            yield driver
        finally:
            driver.kill()

    @contextmanager
    def connect_server(self, settings):
        """Start a Spark Connect server on this cluster; yield its address and its page."""
        settings = settings | {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": "0",
        }
        main = "org.apache.spark.sql.connect.service.SparkConnectServer"
        with self.submit(f"--class={main}", "spark-internal", settings=settings) as server:
            port = server.wait_for(r"Spark Connect server started at: .*:(\d+)")
            yield f"sc://127.0.0.1:{port}", server.page()


class Executor(NamedTuple):
    """An executor of an application, with what its driver has counted."""

    application: str
    id: str
    active: bool
    finished_tasks: int


def executors(page):
    """Return all executors that the application of a page has had, lost ones too."""
    with urlopen(f"{page}/api/v1/applications", timeout=PATIENCE) as answer:
        text = answer.read()
    if not text.startswith(b"["):
        return []  # the driver says that it is starting
    (application,) = json.loads(text)
    path = f"{page}/api/v1/applications/{application['id']}/allexecutors"
    with urlopen(path, timeout=PATIENCE) as answer:
        listed = json.load(answer)
    return [
        Executor(application["id"], each["id"], each["isActive"], each["completedTasks"])
        for each in listed
        if each["id"] != "driver"
    ]
