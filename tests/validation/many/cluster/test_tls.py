"""TLS as Dask has it: certificates that its settings name let a command in, and keep out who has none."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from mbconcord.model.diagnostics import MbconcordError

from .processes import started

pytestmark = [pytest.mark.slow, pytest.mark.rest]
cluster = pytest.importorskip("mbconcord.validation.many.cluster.cluster", reason="needs the extra [cluster]")
dask = pytest.importorskip("dask")


def signed(folder: Path) -> dict[str, str]:
    """Settings of Dask by their names, with a certificate of an authority that was made for this."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed: nobody makes certificates")

    def run(*asked: str) -> None:
        subprocess.run(["openssl", *asked], cwd=folder, check=True, capture_output=True)

    key: Sequence[str] = ("-newkey", "rsa:2048", "-nodes")
    run("req", "-x509", *key, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem")
    run("req", *key, "-subj", "/CN=campaign", "-keyout", "key.pem", "-out", "asked.pem")
    run("x509", "-req", "-in", "asked.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "cert.pem")
    found = {"ca-file": str(folder / "ca.pem")}
    for role in ("scheduler", "worker", "client"):
        found |= {f"{role}.cert": str(folder / "cert.pem"), f"{role}.key": str(folder / "key.pem")}
    return found


def test_certificates_let_in_who_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = signed(tmp_path)
    names = {
        f"DASK_DISTRIBUTED__COMM__TLS__{name.upper().replace('.', '__').replace('-', '_')}": value
        for name, value in settings.items()
    }
    with started(1, "tls", names) as (address, _):
        with dask.config.set({f"distributed.comm.tls.{name}": value for name, value in settings.items()}):
            with cluster.DaskCluster(address) as joined:
                answers = [answer for _, answer in joined.each("operator:add", 1, [[2], [3]])]
            assert sorted(answers) == [3, 4]
        monkeypatch.setattr(cluster, "PATIENCE", 3)
        for other in (address, address.replace("tls", "tcp")):
            with pytest.raises(MbconcordError, match="no scheduler answers"):
                cluster.DaskCluster(other).__enter__()


def test_local_scheduler_refuses_clients_without_its_certificate() -> None:
    from distributed import Client
    from distributed.security import Security

    with cluster.DaskCluster("local", 1) as joined:
        about = joined.client.scheduler_info()
        workers = about["workers"]
        addresses = [about["address"], *workers, *(found["nanny"] for found in workers.values())]
        assert all(address.startswith("tls://127.0.0.1:") for address in addresses), addresses
        for address in addresses:
            plain = (address.replace("tls", "tcp"), Security())
            for other, security in (plain, (address, Security()), (address, Security.temporary())):
                with pytest.raises((OSError, TypeError, ValueError)):
                    Client(other, timeout=2, security=security, set_as_default=False)
