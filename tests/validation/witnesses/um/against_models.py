"""Models, written sets and verdicts for the tests of generated equations."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from mbconcord.converters import registry
from mbconcord.converters.um.equations import read

from ....formats.um.um_sets import write_set

FIXTURES = Path(str(files("mbconcord.fixtures")))
SETS = FIXTURES / "um_equations"
CANONICAL = ("M", "h", "gravity", "applied", "inverse_dynamics")
MOTIONS = (
    "body_position", "body_orientation", "body_velocity", "body_angular_velocity", "body_acceleration",
    "body_angular_acceleration", "body_jacobian", "body_screws",
)  # fmt: skip
MODELS = [
    "mbsd/branched.mbsd", "mbsd/springs.mbsd", "mbsd/driven_arm.mbsd", "mbsd/gimbal.mbsd", "robots/ur5.mbsd",
    "um/reference_model.mbs.json", "um/suspension/input.dat", "um/back_to_base/input.dat",
]  # fmt: skip
PRINT_9 = "_bodyposition[1] := 0;\n_bodyposition[2] := -_k1*_s1;\n_bodyposition[3] := -_c1*_k1;\n"


def model(name):
    return registry.read(FIXTURES / name).system


def text_model(text, file="model.mbsd"):
    return registry.read_text(text, file).system


def open_parameters(system):
    return [p.name for p in system.parameters if p.value is None]


def set_of(system, folder, **options):
    return read(str(write_set(system, folder, open_parameters(system), **options)))


def verdicts(evidence):
    """Quantity -> verdicts of its comparisons."""
    found = {}
    for c in evidence.comparisons:
        found.setdefault(c.quantity, set()).add(c.verdict)
    return found


def said(evidence, place):
    return " ".join(d.message for d in evidence.diagnostics if d.place == place)
