"""A scheduler and workers of Dask as processes of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


@contextmanager
def started(
    workers: int, protocol: str = "tcp", environment: Mapping[str, str] | None = None
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Its address and the processes, the scheduler first; both are told by the environment what Dask's settings are."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address = f"{protocol}://127.0.0.1:{port}"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    quiet["env"] = os.environ | (environment or {})
    here = ["--host", "127.0.0.1", "--port", port, "--protocol", protocol]
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", *here, "--no-dashboard"]
    alone = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, *alone]
    found = [subprocess.Popen(scheduler, **quiet), *(subprocess.Popen(worker, **quiet) for _ in range(workers))]
    try:
        yield address, found
    finally:
        for process in found:
            process.kill()
            process.wait()
