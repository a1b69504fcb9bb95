"""One table for formats: columns are the registry's names, rows are models, cells the properties of conversions.

A new format is covered by its name in the registry, a new fixture by its file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib

import pytest
from hypothesis import given, settings

from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model.checks.physics import physics
from mbconcord.model.diagnostics import WriteError
from mbconcord.model.features import FEATURES, features
from mbconcord.model.numbers import parameter_values

from .conversions import Conversion, convert, differences, wrong
from .every_type import SYSTEMS
from .format_models import COLUMNS, EXAMPLES, FEATURED, FIXTURES, PLAIN, RANDOM, WRITTEN, contents, owner, reading
from .told import untold

CATALOG = {
    entry["file"]: entry
    for entry in tomllib.loads((folder() / "catalog.toml").read_text("utf-8"))["model"]
    if registry.by_suffix(entry["file"])
}
#: Code pages of the fixtures that are not in UTF-8.
PAGES = {"um/gripper/input.dat": "cp1251"}
columns = pytest.mark.parametrize("format", COLUMNS)


@pytest.mark.sampled(48)
@columns
@pytest.mark.parametrize("fixture", FIXTURES)
def test_a_fixture_is_told_whole_and_moves_as_before(fixture, format):
    """Its own format gives it back; another says what it loses, and nothing differs that no loss explains."""
    own = owner(fixture) == format
    made = convert(reading(fixture).system, format, fixture if own else "")
    assert wrong(made) == []
    if isinstance(made, Conversion):
        assert list(untold(contents(fixture), PAGES.get(fixture, "utf-8"), owner(fixture), made)) == []
    if own:
        assert isinstance(made, Conversion)
        assert registry.encode(made.writing, fixture, format) == contents(fixture) or format != "um"
        assert made.writing.losses == ()
        assert made.again == made.system
    assert list(differences(made)) == []


@pytest.mark.sampled(6)
@columns
@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != "a large shared formula"])
def test_every_type_of_the_model(name, format):
    """But for a formula whose text doubles with every step, which only a graph can hold."""
    made = convert(SYSTEMS[name], format)
    assert wrong(made) == []
    assert list(differences(made)) == []


@pytest.mark.sampled(12)
@pytest.mark.slow
@columns
@pytest.mark.parametrize("family", RANDOM)
def test_random_models(family, format):
    @settings(max_examples=EXAMPLES)
    @given(RANDOM[family])
    def holds(system):
        made = convert(system, format)
        assert wrong(made) == []
        assert list(differences(made)) == []

    holds()


def test_every_feature_has_a_model_of_its_own():
    found = {name: {feature for feature, _ in features(system)} for name, system in FEATURED.items()}
    words = {"kinematic_words": {"kinematic_words", "joint_efforts"}}  # these stand in a force
    assert found == {name: {name} for name in FEATURES} | words


@columns
@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_is_held_or_lost_where_it_stands(feature, format):
    """What the record holds comes back; of anything else a loss tells, and of nothing else."""
    made, plain = convert(FEATURED[feature], format), convert(PLAIN, format)
    held = feature in registry.format_named(format).holds
    assert wrong(made) == wrong(plain) == []
    assert isinstance(plain, Conversion)
    if isinstance(made, WriteError):
        assert not held
        return
    if held:
        assert made.acting == plain.acting
        same = "cut_joints" if (format, feature) == ("um", "point_coincidences") else feature  # three turns about it
        assert same in {name for name, _ in features(made.again)}
        assert list(differences(made)) == []
        return
    places = {place for _, place in features(made.system)}
    more = {loss.place for loss in made.writing.losses} - {loss.place for loss in plain.writing.losses}
    assert more
    assert all(any(f"{place}/".startswith(f"{known}/") for known in places) for place in more)


@pytest.mark.slow
def test_every_fixture_is_in_the_catalog_and_plausible():
    assert sorted(CATALOG) == list(FIXTURES)
    for fixture, entry in CATALOG.items():
        system = reading(fixture).system
        assert (len(system.bodies), len(system.coordinates)) == (entry["bodies"], entry["coordinates"]), fixture
        assert entry["source"] and entry["known"], fixture
        numbers_were_drawn = fixture.startswith("konoplev/vectors/")
        if not numbers_were_drawn and all(p.value is not None for p in system.parameters):
            assert physics(system, parameter_values(system)) == [], fixture


#: Prints a digest of what every format reads and writes, a line for each.
DIGESTS = """
from hashlib import sha256
from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.validation.strategies.trees import random_system

models = {f"tree {n}": random_system(n, 4, flywheels=True, added_inertia=True) for n in range(5)}
for path in sorted(p for p in folder().rglob("*") if p.is_file() and registry.by_suffix(p.name)):
    reading = registry.read(path, physics="ignore")
    models[path.relative_to(folder()).as_posix()] = reading.system
    print("read", path.name, sha256(repr((reading.diagnostics, reading.locations)).encode()).hexdigest())
for name, system in models.items():
    for format in registry.names():
        try:
            writing = registry.write(system, format, physics="ignore")
        except MbconcordError as refused:
            writing = str(refused)
        print(name, "in", format, sha256(repr(writing).encode()).hexdigest())
"""


@pytest.mark.rest
@pytest.mark.slow
def test_the_same_bytes_in_every_process():
    """Whatever the seed of hashes and the locale: texts, losses, notes and places."""
    found = [
        subprocess.run(
            [sys.executable, "-c", DIGESTS], capture_output=True, check=True, text=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale},
        ).stdout.splitlines()
        for seed, locale in (("0", "C.UTF-8"), ("4242", "C"))
    ]  # fmt: skip
    assert len(found[0]) > len(FIXTURES) * len(WRITTEN)
    assert [pair for pair in zip(*found, strict=True) if pair[0] != pair[1]] == []
