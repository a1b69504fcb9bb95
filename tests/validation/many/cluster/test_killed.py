"""A worker and the scheduler are killed in the middle: every task is in the dataset, and once."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from mbconcord.validation.many.campaign.parts import PARTS, CampaignParts, key
from mbconcord.validation.many.campaign.row import CampaignRow

from .processes import started

pytestmark = [pytest.mark.slow, pytest.mark.rest]
cluster = pytest.importorskip("mbconcord.validation.many.cluster.cluster", reason="needs the extra [cluster]")

#: What workers are asked to do: nothing, for so many seconds.
SLEEP, SECONDS, COUNT = "time:sleep", 0.05, 60


def campaign(path: Path, address: str, kill: subprocess.Popen[bytes], at: int) -> int:
    """Sleep through the tasks that have no row, and kill a process after so many; how many were done."""
    parts = CampaignParts(path)
    there = {row["number"] for row in parts.rows()}
    done = 0
    try:
        with cluster.DaskCluster(address) as joined:
            tasks = ([] for _ in range(COUNT - len(there)))
            left = iter([n for n in range(COUNT) if n not in there])
            for _, answer in joined.each(SLEEP, SECONDS, tasks):
                assert answer is None
                number = next(left)
                parts.add({"task": key(number), "at": float(number), **CampaignRow(number, "agrees").to_json()})
                done += 1
                if done == at:
                    kill.kill()
    finally:
        parts.settle(all=True)
    return done


def test_every_task_is_there_once(tmp_path: Path) -> None:
    with started(2) as (address, (scheduler, _, _)):
        with pytest.raises(cluster.LostError, match="the scheduler is gone; what was done is kept"):
            campaign(tmp_path, address, scheduler, 20)
        first = len(list(CampaignParts(tmp_path).rows()))
        assert 20 <= first < COUNT
    with started(2) as (address, (_, one, _)):
        assert campaign(tmp_path, address, one, 5) == COUNT - first
    told: Counter[int] = Counter()
    for file in (tmp_path / PARTS).iterdir():
        (alone := tmp_path / file.stem / PARTS).mkdir(parents=True)
        (alone / file.name).write_bytes(file.read_bytes())
        told.update(row["number"] for row in CampaignParts(alone.parent).rows())
    assert told == Counter(range(COUNT))
