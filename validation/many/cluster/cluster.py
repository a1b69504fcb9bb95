"""Tasks on a scheduler of Dask: on this machine, or at an address. The only module that imports Dask."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final, Self

from distributed import Client, LocalCluster, as_completed
from distributed.security import Security

from mbconcord.model.diagnostics import MbconcordError, error

from .worker import ignore_interrupts, perform, release, require_same

LOCAL: Final = "local"
#: Seconds in which a scheduler must answer, and after it the first worker be there.
PATIENCE, FIRST_WORKER = 30, 90
#: Seconds after which workers are counted again.
COUNTED: Final = 2.0
#: How often a task is begun anew that a fault of its worker has ended, beside workers that died.
RETRIES: Final = 2
#: Tasks that are handed out for every thread of a worker, one to do and others to wait: by it what the scheduler holds
#: is bounded, and how long a campaign goes on after its time.
AHEAD: Final = 3
#: What is sent at once, at most.
AT_ONCE: Final = 512
_LOG: Final = logging.getLogger("distributed")


class LostError(MbconcordError):
    """The scheduler is lost: finished work is kept, and the same command continues."""


class DaskCluster:
    """A scheduler and its workers; a context that ends the workers it started.

    Parameters
    ----------
    address : ``local``, or the address of a scheduler: ``tcp://host:8786``, ``tls://host:8786``
    workers : number of local processes
    security : certificates of TLS; None: those of Dask's configuration
    """

    def __init__(self, address: str, workers: int = 1, security: Security | None = None) -> None:
        self.address, self._workers, self._security = address, workers, security
        self._own: LocalCluster | None = None
        self._client: Client | None = None
        self._known, self._counted = 1, 0.0
        self._level = _LOG.level

    def __enter__(self) -> Self:
        _LOG.setLevel(logging.CRITICAL)  # what is wrong is told in the words of this project
        try:
            self._connect()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def dashboard(self) -> str:
        """Address of the dashboard in a browser; empty if there is none."""
        return str(self.client.dashboard_link or "")

    @property
    def client(self) -> Client:
        """Dask's own client."""
        assert self._client is not None, "it is connected inside its context"
        return self._client

    @property
    def threads(self) -> int:
        """Number of tasks that run at a time."""
        return sum(self.client.nthreads().values())

    def each(self, function: str, context: Any, tasks: Iterable[Sequence[Any]]) -> Generator[tuple[Sequence[Any], Any]]:
        """Yield every task with its answer, in order of completion; without one, a :class:`str` that says how it ended.

        Parameters
        ----------
        function : ``module:name``, which workers call with the context and a task's values
        context : a value of JSON that all tasks share; it is sent to a worker once
        tasks : lists of values of JSON; they are taken as workers become free

        Raises
        ------
        LostError
            The scheduler is lost.
        MbconcordError
            A worker is of another release.
        """
        client, coming = self.client, iter(tasks)
        shared = client.submit(str, json.dumps(context), pure=False)
        waiting: dict[str, Sequence[Any]] = {}
        running = as_completed([], client.loop, with_results=True, raise_errors=False)
        known: set[str] = set()

        def hand_out() -> None:
            free = min(AT_ONCE, AHEAD * self._threads_now() - len(waiting))
            chosen = list(islice(coming, max(free, 0)))
            texts = [json.dumps(task) for task in chosen]
            futures = client.map(perform, [function] * len(chosen), [shared] * len(chosen), texts,
                                 pure=False, retries=RETRIES) if chosen else []  # fmt: skip
            for future, task in zip(futures, chosen, strict=True):
                waiting[future.key] = task
            running.update(futures)

        hand_out()
        while waiting:
            for batch in running.batches():
                ended = [(future, found, waiting.pop(future.key)) for future, found in batch]
                hand_out()
                for future, found, task in ended:
                    self._require_there(future)
                    if future.status == "finished":
                        answer = json.loads(found)
                        if (told := json.dumps(answer["release"])) not in known:
                            require_same(answer["release"], "that answered")
                            known.add(told)
                        yield task, answer["answer"]
                    else:
                        yield task, _ending(future.exception())

    def _threads_now(self) -> int:
        """Return the number of threads at the last count; counting anew takes a round trip to the scheduler."""
        if time.monotonic() > self._counted + COUNTED:
            self._known, self._counted = max(self.threads, 1), time.monotonic()
        return self._known

    def close(self) -> None:
        """Disconnect from the scheduler; end workers on this machine."""
        for one in (self._client, self._own):
            if one is not None:
                with suppress(Exception):
                    one.close(timeout=10)
        self._client = self._own = None
        _LOG.setLevel(self._level)

    def _connect(self) -> None:
        address: Any = self.address
        if self.address == LOCAL:
            self._own = address = LocalCluster(
                n_workers=self._workers, threads_per_worker=1, memory_limit=0, dashboard_address="127.0.0.1:0",
                silence_logs=50, protocol="tls", security=_fresh_certificate(),
            )  # fmt: skip
        try:
            self._client = Client(address, timeout=PATIENCE, security=self._security, set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError) as problem:
            said = " ".join(str(problem).split())[:200]
            found = f"{self.address}: no scheduler answers: {said}"
            remedy = "start one (dask scheduler), and name its address: tcp://HOST:8786"
            if self.address.startswith("tls"):
                remedy += "; of TLS, name the certificates in Dask's settings (docs/campaigns.md)"
            raise MbconcordError(error("--cluster", found, remedy)) from None
        try:
            self._client.wait_for_workers(1, timeout=FIRST_WORKER)
        except TimeoutError:
            found = f"{self.address}: no worker came in {FIRST_WORKER} s"
            raise MbconcordError(error("--cluster", found, "start workers (dask worker ADDRESS)")) from None
        self._require_same()
        if self._own is not None:
            self._client.run(ignore_interrupts)

    def _require_same(self) -> None:
        """Refuse workers of another release, before anything is handed out."""
        told = self.client.run(release, on_error="return")
        for worker, found in told.items():
            if isinstance(found, BaseException):
                message = f"the worker {worker} cannot be asked for its version: {type(found).__name__}: {found}"
                raise MbconcordError(error("--cluster", message, "install mbconcord on all workers"))
            require_same(found, worker)

    def _require_there(self, future: Any) -> None:
        if future.status in ("cancelled", "lost"):
            found = f"{self.address}: the scheduler is gone; what was done is kept"
            raise LostError(error("--cluster", found, "start one, and run the same command again"))


def _fresh_certificate() -> Security:
    """Return TLS settings with a new key for this run: over plain TCP any user of this machine could run code here."""
    try:
        return Security.temporary()
    except ImportError:
        message = "the package cryptography is not installed: a local scheduler cannot keep others out"
        raise MbconcordError(error("--cluster", message, "pip install 'mbconcord[cluster]'")) from None


def _ending(problem: BaseException | None) -> str:
    """Describe the end of a task without an answer, independent of its worker."""
    name = type(problem).__name__
    if name == "KilledWorker":
        return "ended its worker again and again"
    return f"ended with {name}: {' '.join(str(problem).split())[:200]}"
