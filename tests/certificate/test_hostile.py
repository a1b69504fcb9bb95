"""Hostile texts: each is refused with its line and a reason, within 500 MB."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from mbconcord.certificate import verify_certificate as program

from .written import VECTORS, seal

HEAD: Final = "mbcert 1\nmodel m\ncoordinates x\nend\nprogram p m\n"
#: Run the file with 500 MB of memory and 30 seconds of a processor.
LIMITED: Final = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_AS, (500 * 10**6,) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def hole(path: Path) -> None:
    """Make a file of 1 GB that takes no room."""
    with path.open("wb") as file:
        file.truncate(10**9)


def put(given: str | bytes | Callable[[], str]) -> Callable[[Path], object]:
    """Writer of a text, or of one of many megabytes that is made when it is written."""

    def write(path: Path) -> int:
        text = given() if callable(given) else given
        return path.write_bytes(seal(text) if isinstance(text, str) else text)

    return write


PENDULUM: Final = (VECTORS / "pendulum.cert").read_bytes()


def steps() -> str:
    return "".join(f"{'+*-'[k % 3]} {k - 1} {max(0, k - 2)}\n" for k in range(1, 10**6))


HOSTILE: Final[dict[str, tuple[Callable[[Path], object], str]]] = {
    "1 GB": (hole, "not readable: line 1: this is no file of at most 32000000 bytes"),
    "a folder": (Path.mkdir, "not readable: line 1: this is no file"),
    "nothing": (put(b""), "not readable: line 1: the sum at the end is not that of the text: it was cut off"),
    "UTF-16": (put(PENDULUM.decode().encode("utf-16")), "not readable: line 1: byte ff is not printable ASCII"),
    "UTF-16 without a mark": (put(PENDULUM.decode().encode("utf-16-be")), "not readable: line 1: byte 00 is not"),
    "a mark of UTF-8": (put(b"\xef\xbb\xbf" + PENDULUM), "not readable: line 1: byte ef is not printable ASCII"),
    "lines of another system": (put(PENDULUM.replace(b"\n", b"\r\n")), "not readable: line 1: byte 0d is not"),
    "an escape sequence": (put("mbcert 1\nnote \x1b[2J\n"), "not readable: line 2: byte 1b is not printable ASCII"),
    "a letter of another alphabet": (put("mbcert 1\nmodel \u043c\n"), "not readable: line 2: byte d0"),
    "no sum": (put(PENDULUM[: PENDULUM.rindex(b"sum")]), "not readable: line 41: the sum at the end is not that"),
    "another sum": (put(PENDULUM.replace(b"-y", b"-x")), "not readable: line 42: the sum at the end is not that"),
    "two sums": (put(PENDULUM.decode()), "not readable: line 42: 'sum "),
    "another version": (put("mbcert 2\n"), "not readable: line 1: the first line is not 'mbcert 1'"),
    "20 MB of spaces": (
        put(lambda: "mbcert 1\nmodel" + " " * 20_000_000 + "m\n"),
        "not readable: line 2: more than 100000 characters",
    ),
    "30 MB of empty lines": (
        put(lambda: "mbcert 1\n" + "\n" * 30_000_000),
        "not readable: line 30000002: more than 100000 characters, or 2200000 lines",
    ),
    "30 MB of long notes": (
        put(lambda: "mbcert 1\n" + f"note {'x' * 99_990}\n" * 300),
        "not readable: line 301: a model or a program is missing, or has no end",
    ),
    "30 MB of notes": (
        put(lambda: "mbcert 1\n" + "note \n" * 5_000_000),
        "not readable: line 5000002: more than 100000 characters, or 2200000 lines",
    ),
    "a million steps": (put(lambda: HEAD + "v x\n" + steps() + "out h 999999\nend\n"), "refused: step "),
    "a million equal steps": (
        put(lambda: HEAD + "v x\n" + "+ 0 0\n" * 10**6 + "out h 9\nend\n"),
        "refused: h 1 of p is compared",
    ),
    "two million steps": (
        put(lambda: HEAD + "v x\n" + "+ 0 0\n" * 2_000_001 + "out h 9\nend\n"),
        "not readable: line 1999991: more",
    ),
    "a million numbers": (
        put(lambda: HEAD + "".join(f"n {k}\n" for k in range(10**6)) + "out h 9\nend\n"),
        "not readable: line 250005: more than",
    ),
    "long numbers": (put(HEAD + f"n {'7' * 1100}/{'3' * 1099}\n" * 2), "not readable: line 6: 'n 7777"),
    "many long numbers": (
        put(lambda: HEAD + "".join(f"n {k}{'7' * 1090}\n" for k in range(10**4)) + "out h 9\nend\n"),
        "refused: h 1 of p",
    ),
    "products of long numbers": (
        put(HEAD + f"n {'7' * 1100}\n" + "".join(f"* {k} {k}\n" for k in range(150)) + "out h 9\nend\n"),
        "refused: h 1 of p",
    ),
    "terms of angles": (put(HEAD + f"s{' 1 x' * 20_000}\n" * 10), "not readable: line 13: more than"),
    "a deep chain of calls": (
        put(lambda: HEAD + "v x\n" + "".join(f"f g {k}\n" for k in range(140_000)) + "out h 9\nend\n"),
        "not readable: line 133339: more than",
    ),
    "nested models": (put("mbcert 1\n" + "model m\n" * 9), "not readable: line 3: 'model m' is no line of a model"),
    "many coordinates": (
        put("mbcert 1\nmodel m\ncoordinates " + " ".join(f"q{k}" for k in range(5000)) + "\n"),
        "not readable: line 3",
    ),
    "many bodies": (
        put(lambda: "mbcert 1\nmodel m\ncoordinates x\n" + "".join(f"body b{k} ground\n" for k in range(10**5))),
        "not readable: line 12003: more than 2000000 steps",
    ),
    "a long chain of bodies": (
        put(
            "mbcert 1\nmodel m\ncoordinates x\nbody b0 ground\n"
            + "".join(f"body b{k} b{k - 1}\nturn 0 0 1 1 x\nmass 1 1 0 0\n" for k in range(1, 3_900))
            + "end\n"
        ),
        "refused: nothing is compared",
    ),
    "many joints": (
        put("mbcert 1\nmodel m\ncoordinates x\nbody b ground\n" + "turn 0 0 1 1 x\n" * 9000 + "mass 1 1 0 0\nend\n"),
        "refused: ",
    ),
    "many roots": (put(HEAD + "".join(f"n {10**70 + k}\nr {2 * k}\n" for k in range(60))), "not readable: line "),
    "many divisors": (
        put(HEAD + "v x\nn 1\n" + "".join(f"+ {2 * k} 1\n/ 0 {2 * k + 2}\n" for k in range(2000)) + "out h 9\nend\n"),
        "refused: step 2003 of p: more than 1000 different divisors",
    ),
    "a state of pages": (
        put(
            "mbcert 1\nmodel m\ncoordinates x\nend\n"
            + "state "
            + " ".join(f"a{k}=1" for k in range(9000))
            + "\n"
            + "x" * 9
        ),
        "not readable: line ",
    ),
}


#: Texts of which a run takes seconds.
LONG: Final = ("30 MB", "million", "many bodies", "many joints", "many roots", "many divisors", "long chain")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.rest] if any(map(name.__contains__, LONG)) else []) for name in HOSTILE],
)
def test_hostile_texts_are_refused(name: str, tmp_path: Path) -> None:
    make, words = HOSTILE[name]
    path = tmp_path / "hostile.cert"
    make(path)
    run = [sys.executable, "-I", "-S", "-c", LIMITED, program.__file__, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith(words), done.stdout[:300]
    assert done.returncode == (1 if done.stdout.startswith("refused") else 2)
    assert done.stdout.isascii() and len(done.stdout) < 1000
