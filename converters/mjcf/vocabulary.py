"""The vocabulary of MJCF: which elements contain which, and which do not affect the equations of motion."""

from __future__ import annotations

from typing import Final

from mbconcord.converters.xml_text import root_of
from mbconcord.model.omission import Effect

#: The root, and what an included file may have as its root instead.
ROOT: Final = "mujoco"
INCLUDED: Final = "mujocoinclude"
#: The fixed frame.
WORLD: Final = "world"
#: The metadata that keeps the lines of the file.
TEXT: Final = "mjcf:text"
#: Default gravity (m/s²).
GRAVITY: Final = "0 0 -9.81"
#: Default density of geoms (kg/m³; kg/m² for shells).
DENSITY: Final = "1000"

#: Endings of the names of coordinates of free and ball joints, after the joint's name.
FREE: Final = ("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX")
BALL: Final = ("_RZ", "_RY", "_RX")
#: Joint type -> number of its coordinates.
TYPES: Final = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}

#: Endings of names: of armatures after joints, of forces after compensated bodies.
ARMATURE: Final = "_armature"
COMPENSATION: Final = "_gravcomp"

#: Attributes by which MuJoCo solves a stop and dry friction, and their default values.
SOLVED: Final = ("margin", "solreflimit", "solimplimit")
RUBBING: Final = ("frictionloss", "solreffriction", "solimpfriction")
_SOFT: Final = {"ref": (0.02, 1.0), "imp": (0.9, 0.95, 0.001, 0.5, 2.0)}
USUAL: Final = {"margin": (0.0,)} | {f"sol{key}{of}": _SOFT[key] for key in _SOFT for of in ("limit", "friction")}

#: Attributes that give an orientation.
TURNED: Final = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
_PLACED: Final = ("pos", *TURNED)
_NAMED: Final = ("name", "class")
_SHAPE: Final = (
    "type", "size", "mass", "density", "shellinertia", "group", "contype", "conaffinity", "condim", "priority",
    "material", "rgba", "friction", "solmix", "solref", "solimp", "margin", "gap", "fromto", "hfield", "mesh",
    "fitscale", "fluidshape", "fluidcoef", "user", "material",
)  # fmt: skip
_HELD: Final = ("solref", "solimp", "active", *_NAMED)
_DRIVE: Final = (
    *_NAMED, "group", "nsample", "interp", "delay", "ctrllimited", "forcelimited", "actlimited", "ctrlrange",
    "forcerange", "actrange", "lengthrange", "gear", "cranklength", "damping", "armature", "joint", "jointinparent",
    "tendon", "cranksite", "slidersite", "site", "refsite", "body", "user", "inheritrange", "actdim", "dyntype",
    "gaintype", "biastype", "dynprm", "gainprm", "biasprm", "actearly",
)  # fmt: skip
_TENDON: Final = (
    *_NAMED, "group", "limited", "actuatorfrclimited", "range", "actuatorfrcrange", "solreflimit", "solimplimit",
    "solreffriction", "solimpfriction", "margin", "frictionloss", "springlength", "stiffness", "damping", "armature",
    "width", "material", "rgba", "user",
)  # fmt: skip

#: Elements that are read -> their attributes.
ATTRIBUTES: Final[dict[str, frozenset[str]]] = {
    tag: frozenset(names)
    for tag, names in {
        "mujoco": ("model",),
        "compiler": (
            "autolimits", "boundmass", "boundinertia", "settotalmass", "balanceinertia", "strippath", "coordinate",
            "angle", "fitaabb", "eulerseq", "meshdir", "texturedir", "discardvisual", "usethread", "fusestatic",
            "inertiafromgeom", "inertiagrouprange", "saveinertial", "assetdir", "alignfree", "conflict",
        ),
        "option": (
            "timestep", "impratio", "apirate", "tolerance", "noslip_tolerance", "ls_tolerance", "ccd_tolerance",
            "sleep_tolerance", "gravity", "wind", "magnetic", "density", "viscosity", "o_margin", "o_solref",
            "o_solimp", "o_friction", "integrator", "cone", "jacobian", "solver", "iterations", "ls_iterations",
            "noslip_iterations", "ccd_iterations", "mpr_iterations", "sdf_iterations", "sdf_initpoints",
            "actuatorgroupdisable", "mpr_tolerance", "collision",
        ),
        "worldbody": ("name",),
        "body": ("name", "childclass", "mocap", "gravcomp", "user", "sleep", *_PLACED),
        "frame": ("name", "childclass", *_PLACED),
        "inertial": ("pos", "mass", "diaginertia", "fullinertia", *TURNED),
        "joint": (
            *_NAMED, "type", "group", "pos", "axis", "springdamper", "limited", "actuatorfrclimited", "solreflimit",
            "solimplimit", "solreffriction", "solimpfriction", "stiffness", "range", "actuatorfrcrange",
            "actuatorgravcomp", "margin", "ref", "springref", "armature", "damping", "frictionloss", "user", "align",
        ),
        "freejoint": ("name", "group", "align"),
        "geom": (*_NAMED, *_SHAPE, *_PLACED),
        "site": (*_NAMED, "type", "group", "material", "size", "fromto", "rgba", "user", *_PLACED),
        "fixed": _TENDON,
        "spatial": _TENDON,
        "connect": (*_HELD, "body1", "body2", "anchor", "site1", "site2"),
        "weld": (*_HELD, "body1", "body2", "anchor", "relpose", "torquescale", "site1", "site2"),
        "equality joint": (*_HELD, "joint1", "joint2", "polycoef"),
        "equality tendon": (*_HELD, "tendon1", "tendon2", "polycoef"),
        "general": (*_DRIVE, "input"),  # what its control is called; the force is the same
        "motor": _DRIVE,
        "position": (*_DRIVE, "kp", "kv", "dampratio", "timeconst"),
        "velocity": (*_DRIVE, "kv"),
        "damper": (*_DRIVE, "kv"),
    }.items()
}  # fmt: skip

#: Sections of the root outside of the equations of motion -> kind and effect of the omissions of their elements.
SECTIONS: Final[dict[str, tuple[str, Effect]]] = {
    "asset": ("material", "none"),
    "visual": ("setting", "none"),
    "statistic": ("setting", "none"),
    "size": ("setting", "none"),
    "custom": ("setting", "none"),
    "sensor": ("sensor", "none"),
    "keyframe": ("state", "none"),
    "extension": ("extension", "unknown"),
    "deformable": ("deformable", "unknown"),
    "skin": ("image", "none"),
}
#: Sections that are read.
READ: Final = ("compiler", "option", "default", "worldbody", "contact", "equality", "tendon", "actuator")
#: Elements of a body outside of the equations of motion -> kind of omission.
BESIDE: Final = {"camera": "image", "light": "image", "site": "site", "plugin": "extension"}
#: Elements that generate bodies by rules of MuJoCo's own.
MACROS: Final = ("composite", "flexcomp", "replicate")
#: The attribute with the class of the defaults of an attached model, which no text can have.
ATTACHED: Final = " class"
#: Attributes that name an element of the model -> the kind of the element.
REFERENCES: Final = {
    **{f"{kind}{i}": kind for kind in ("joint", "body", "geom", "site", "tendon") for i in ("", "1", "2")},
    **dict.fromkeys(("cranksite", "slidersite", "refsite", "sidesite"), "site"),
    "jointinparent": "joint", "actuator": "actuator", "target": "body", "objname": "object", "refname": "object",
    **{kind: kind for kind in ("material", "mesh", "hfield", "texture")},
}  # fmt: skip
#: Settings of a compiler that must be those of the model around an attached one.
SHARED: Final = {
    "autolimits": "true", "boundmass": "0", "boundinertia": "0", "settotalmass": "-1", "balanceinertia": "false",
    "coordinate": "local", "fusestatic": "false", "inertiafromgeom": "auto", "inertiagrouprange": "0 5",
    "alignfree": "false",
}  # fmt: skip
#: Remedy for elements that only MuJoCo can compile.
COMPILE: Final = "save what MuJoCo compiles: mujoco.mj_saveLastXML('compiled.xml', model)"
#: Flags of an option that switch off an effect on the motion -> the effect.
FLAGS: Final = {
    "constraint": "constraint",
    "contact": "contact",
    "limit": "limit",
    "equality": "equality",
    "passive": "passive",
    "spring": "spring",
    "damper": "damper",
    "gravity": "gravity",
    "actuation": "actuation",
}


def looks_like_mjcf(head: str) -> bool:
    """Return True if the root element of a text is <mujoco>."""
    return root_of(head) == ROOT
