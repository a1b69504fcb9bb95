"""Five thousand inputs to every reader, what once broke one, and that the fuzzer finds what is wrong."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from random import Random

import pytest

from mbconcord.model.diagnostics import NumbersError, ReadError

from . import worker
from .inputs import made
from .readers import CORPUS, READERS, Reader
from .run import fuzz

INPUTS = 2_000


@pytest.mark.slow
def test_every_input_is_read_or_refused() -> None:
    assert list(fuzz(0, INPUTS, INPUTS)) == []


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*-*")), ids=lambda file: file.name)
def test_what_once_broke_a_reader_does_no_longer(file: Path, tmp_path: Path) -> None:
    assert worker.finding(file.name.partition("-")[0], file.read_bytes(), Random(0), tmp_path) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_an_input_is_always_the_same_and_some_are_read(name: str, tmp_path: Path) -> None:
    """Grammars make models and not only refusals: of forty inputs one is read at least."""
    seeds = READERS[name].seeds(name)
    read = 0
    for number in range(40):
        data, random = made(name, number, seeds)
        assert made(name, number, seeds)[0] == data
        try:
            READERS[name].run(data, random, tmp_path)
        except (ReadError, NumbersError, ValueError):
            continue
        read += 1
    assert read


def _raises(problem: BaseException) -> None:
    raise problem


def _spins() -> None:
    began = time.process_time()
    while time.process_time() - began < 2:
        pass


#: what a reader does -> what is found
WRONG = {
    "crash": (lambda *given: _raises(KeyError("x")), "KeyError: 'x'"),
    "recursion": (lambda *given: _raises(RecursionError()), "RecursionError"),
    "memory": (lambda *given: _raises(MemoryError()), "MemoryError"),
    "no words": (lambda *given: _raises(ReadError([])), "refused without a word"),
    "hang": (lambda *given: _spins(), "more than 0.1 s"),
}


@pytest.mark.parametrize(("run", "said"), WRONG.values(), ids=WRONG)
def test_a_reader_that_is_wrong_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: object, said: str
) -> None:
    monkeypatch.setitem(READERS, "wrong", Reader(run, ()))  # type: ignore[arg-type]
    monkeypatch.setattr(worker, "SECONDS", 0.1)
    before = signal.signal(signal.SIGVTALRM, worker.hangs)
    try:
        assert said in str(worker.finding("wrong", b"", Random(0), tmp_path))
    finally:
        signal.signal(signal.SIGVTALRM, before)
