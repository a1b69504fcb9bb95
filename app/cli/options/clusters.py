"""The option that has work done by a cluster: workers of this machine, or of a scheduler of Dask at an address."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from mbconcord.reports.extras import optional

from ..output import say

if TYPE_CHECKING:
    from mbconcord.validation.cluster.cluster import Cluster

#: Where rows of a campaign over files go when only --cluster is given.
CHECKED: Final = "checked"


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Who does the work."""
    parser.add_argument(
        "--cluster", metavar="local|ADDRESS",
        help="have the work done by workers of Dask: local starts as many as --jobs says; or of the scheduler at an "
        "address, tcp://host:8786",
    )  # fmt: skip


@contextmanager
def joined(address: str | None, workers: int, quiet: bool = False) -> Iterator[Cluster | None]:
    """The cluster of an address, None where none is asked for; workers that are started here end with the context.

    Raises
    ------
    MbconcordError
        Dask is not installed, no scheduler or worker answers, or a worker is of another release.
    """
    if address is None:
        yield None
        return
    optional("distributed", "cluster", "a campaign on a cluster")
    from mbconcord.validation.cluster.cluster import Cluster  # not before: it needs Dask

    with Cluster(address, workers) as cluster:
        if not quiet:
            seen = f", {cluster.dashboard}" if cluster.dashboard else ""
            say(f"cluster {address}: {cluster.threads} at a time{seen}", error=True)
        yield cluster
