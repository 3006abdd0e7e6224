"""The lab as a process of its own, started as `make run` starts it."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PRODUCT = ("-m", "app", "serve")
WITH_FLOOR = ("-m", "uvicorn", "bench.floor:create_app", "--factory", "--log-level", "warning", "--no-server-header")


@dataclass(frozen=True)
class Server:
    port: int
    pid: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def resident_bytes(self) -> int:
        """Memory that the process holds at this moment."""
        kilobytes = subprocess.check_output(["ps", "-o", "rss=", "-p", str(self.pid)])
        return int(kilobytes) * 1024


@contextmanager
def running(command: Sequence[str], cores: int | None = None) -> Iterator[Server]:
    """A server on a free port; on at most that many cores where the system can bind processes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([sys.executable, *command, "--port", str(port)], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        if cores and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(process.pid, sorted(os.sched_getaffinity(0))[:cores])
        server = Server(port, process.pid)
        _wait_until_well(server, process)
        yield server
    finally:
        process.terminate()
        process.wait()


def _wait_until_well(server: Server, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(150):
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped with exit code {process.returncode}")
        try:
            with urllib.request.urlopen(f"{server.url}/healthz", timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the server does not answer /healthz within 30 s")
