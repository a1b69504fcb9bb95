"""Universal Mechanism: input.dat (a model), its companion files, and the equations generated from it."""

from fractions import Fraction

from mbconcord.converters.format import Companion, Format, Later, StateFile
from mbconcord.converters.losses import KEPT, Holds

HOLDS = Holds(
    features=frozenset({"joint_efforts", "bipolar_forces", "cut_joints", "rods", "point_coincidences"}),
    kept=KEPT.keys()
    - {
        "initial_velocities",
        "functions",
        "several_joint_forces",
        "masses_of_links",
        "omissions",
        "comments",
        "language",
        "armature_names",
        "points",
        "normal_forces",
        "elements",
    },
    metadata="um:",
    encodings=frozenset({"cp1251", "gbk"}),
    reason="no UM file seen has a block for it",
    reasons={
        "bushings": "blocks of bushings and linear elements were seen in UM's files, their laws were not",
        "torsions": "blocks of scalar torques between bodies were not seen in UM's files",
        "initial_velocities": "an input.dat has no initial velocities: a state file (.xv) has",
        "elements": "it is written as a formula",
        "several_joint_forces": "a coordinate has one; their sum is written",
        "masses_of_links": "half of it is put on each of the bodies it joins",
        "comments": "only what stood in the input.dat that the model was read from stays",
        "encodings": "no UM file was seen in it",
        "line_ends": "the lines of a file end alike",
        "omissions": "only what stood in the input.dat that the model was read from stays",
    },
)

#: Kinds of elements whose laws a user may assume: docs/formats/um.md.
ASSUMES = ("bushing", "linear", "lfrc")

FORMAT = Format(
    name="um",
    title="Universal Mechanism: input.dat",
    suffixes=("input.dat", ".dat"),
    holds=HOLDS,
    sniff=Later(f"{__name__}.syntax:looks_like_um"),
    read=Later(f"{__name__}.reader:read"),
    write=Later(f"{__name__}.writer:write"),
    decode=Later(f"{__name__}.syntax:decode"),
    states=Companion[StateFile](
        "um state", ".xv", Later(f"{__name__}.beside:read_vectors"), Later(f"{__name__}.beside:write_vectors")
    ),
    parameters=Companion[dict[str, Fraction]](
        "um parameters",
        ".par",
        Later(f"{__name__}.beside:read_parameters"),
        Later(f"{__name__}.beside:write_parameters"),
    ),
    runs=("last.icf", Later(f"{__name__}.configuration:read_run")),
    equations=Later(f"{__name__}.equations:read"),
    assumes=ASSUMES,
    images=Later(f"{__name__}.reader:images"),
    physics="warn",
)

__all__ = ["ASSUMES", "FORMAT", "HOLDS"]
