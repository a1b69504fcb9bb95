"""Damaged files: whatever happened to the bytes of a fixture, a reader reads them or says what is wrong and where."""

from __future__ import annotations

from random import Random

import pytest

from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import ReadError, WriteError

from .format_models import FIXTURES, READ, owner

#: How many files are made of a fixture by each kind of damage.
TIMES = 4


def truncated(data: bytes, random: Random) -> bytes:
    """The file up to some byte."""
    return data[: random.randrange(len(data))]


def duplicated(data: bytes, random: Random) -> bytes:
    """A part of the file twice."""
    first, last = sorted(random.choices(range(len(data) + 1), k=2))
    return data[:last] + data[first:]


def permuted(data: bytes, random: Random) -> bytes:
    """Two parts of the file that follow each other, exchanged."""
    a, b, c = sorted(random.choices(range(len(data) + 1), k=3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def shuffled(data: bytes, random: Random) -> bytes:
    """The lines of the file in another order."""
    lines = data.splitlines(keepends=True)
    random.shuffle(lines)
    return b"".join(lines)


def exchanged(data: bytes, random: Random) -> bytes:
    """Some bytes of the file put in place of others of it."""
    made = bytearray(data)
    for _ in range(3):
        made[random.randrange(len(made))] = data[random.randrange(len(data))]
    return bytes(made)


@pytest.mark.parametrize("damage", [truncated, duplicated, permuted, shuffled, exchanged])
@pytest.mark.parametrize("fixture", FIXTURES)
def test_damaged_bytes(fixture, damage):
    """Read, and then written or refused; or every finding says where in the file."""
    data, format = (folder() / fixture).read_bytes(), owner(fixture)
    for n in range(TIMES):
        made = damage(data, Random(f"{fixture} {n}"))
        try:
            system = registry.read_bytes(made, fixture, format, "ignore").system
        except ReadError as refused:
            assert refused.diagnostics
            for finding in refused.diagnostics:
                assert finding.severity == "error" and finding.message
                assert finding.location is not None and finding.location.file == fixture, finding
                assert 1 <= finding.location.line <= len(made.splitlines()) + 1
                assert finding.location.column >= 1
            continue
        try:
            registry.write(system, format, physics="ignore")
        except WriteError as refused:
            assert refused.diagnostics


@pytest.mark.parametrize("format", READ)
@pytest.mark.parametrize("of", READ)
def test_a_file_of_another_format(of, format):
    """It is refused with a place, never taken for what it is not."""
    if of == format:
        return
    fixture = max((f for f in FIXTURES if owner(f) == of), key=lambda f: (folder() / f).stat().st_size)
    with pytest.raises(ReadError) as caught:
        registry.read_text(registry_text(fixture), fixture, format)
    assert all(d.location is not None for d in caught.value.diagnostics)


def registry_text(fixture):
    data, decode = (folder() / fixture).read_bytes(), registry.format_named(owner(fixture)).decode
    return decode(data, fixture).text if decode is not None else data.decode("utf-8")
