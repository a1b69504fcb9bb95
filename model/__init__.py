"""The shared intermediate model: types of a multibody system, its states, and derivations over it."""

from .body import AddedInertia, Armature, Body, Flywheel, Gravity, Inertia
from .constraint import Frame, FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from .coordinate import Coordinate, Effort, Function, Motion, Parameter
from .diagnostics import Diagnostic, Location, Loss, MbconcordError, ModelError, NumbersError, ReadError
from .elastic import ElasticModes, ElasticNode
from .force import Bipolar, Bushing, JointEffort, LinearLaw, NamedPoint, Point, PointForce, Torsion, Wrench
from .omission import Omission
from .state import State
from .system import System
from .transformation import (
    Constant,
    ElementaryTransformation,
    Mapped,
    Prescribed,
    Variable,
    rotation,
    shift,
    translation,
)

__all__ = [
    "AddedInertia", "Armature", "Bipolar", "Body", "Bushing", "Constant", "Coordinate", "Diagnostic", "Effort",
    "ElasticModes", "ElasticNode", "ElementaryTransformation", "Flywheel", "Frame", "FrameCoincidence", "Function",
    "Gravity", "Holonomic", "Inertia", "JointEffort", "LinearLaw", "Location", "Loss", "Mapped", "MbconcordError",
    "ModelError", "Motion", "NamedPoint", "Nonholonomic", "NumbersError", "Omission", "Parameter", "Point",
    "PointCoincidence", "PointForce", "Prescribed", "ReadError", "Rod", "State", "System", "Torsion", "Variable",
    "Wrench", "rotation", "shift", "translation",
]  # fmt: skip
