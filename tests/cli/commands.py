"""The command line called in this process, in an empty folder with a few models."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mbconcord.cli import main

PENDULUM = "z(z1) i(L) $(m) g9.81-y ; L=2, m=3"
DOUBLE = "zi>zig"
ROD = "zi#a ; g-y \\ #a :(2) {3,0} < #0"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


def runner(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command line in an empty folder with the models of this file in it."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("one.mbsd", PENDULUM), ("two.mbsd", DOUBLE), ("rod.mbsd", ROD), ("named.mbsd", "zi(L)g")):
        Path(name).write_text(text + "\n", encoding="utf-8")

    def call(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(list(arguments))
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call
