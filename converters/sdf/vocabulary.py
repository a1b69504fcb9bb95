"""The vocabulary of SDF: which elements contain which, and which do not affect the equations of motion."""

from __future__ import annotations

from typing import Final

from mbconcord.converters.xml_text import root_of
from mbconcord.model.omission import Effect

#: The root.
ROOT: Final = "sdf"
#: The fixed frame.
WORLD: Final = "world"
#: Name by which a model's elements refer to the frame of the model.
MODEL: Final = "__model__"
#: Separator between the name of a model and of an element in it.
WITHIN: Final = "::"
#: The metadata that keeps the lines of the file.
TEXT: Final = "sdf:text"
#: First and last supported version; then first versions in which: an axis is given in the frame of its joint; gravity
#: is an element of the world and not of its physics; names of elements are those of frames; :: separates names and
#: cannot be part of one.
VERSIONS: Final = ((1, 4), (1, 12))
JOINT_AXES: Final = (1, 5)
WORLD_GRAVITY: Final = (1, 6)
NAMED_FRAMES: Final = (1, 7)
SCOPED_NAMES: Final = (1, 8)
#: The version that is written.
WRITTEN: Final = "1.11"
#: Default gravity (m/s²) of a world, and of a model without a world, as programs take it.
OF_WORLD: Final = "0 0 -9.8"
OF_MODEL: Final = "0 0 -9.81"
#: Default density (kg/m³) of shapes whose inertia is computed.
DENSITY: Final = "1000"

#: Joint type -> endings of the names of its coordinates after the joint's name.
TYPES: Final[dict[str, tuple[str, ...]]] = {
    "revolute": ("",),
    "continuous": ("",),
    "prismatic": ("",),
    "fixed": (),
    "ball": ("_RZ", "_RY", "_RX"),
    "universal": ("_0", "_1"),
    "revolute2": ("_0", "_1"),
    "screw": ("", "_slide"),
}
#: Endings of the names of coordinates of a link that no joint carries, after the link's name.
FREE: Final = ("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX")

#: The type of a joint that is no joint but a row: two links turn against a third in a ratio.
GEARED: Final = "gearbox"
#: Endings of names: of rotors, rows of screws and rows of gearboxes after joints, of compensated weights after
#: links.
ROTOR: Final = "_rotor"
SCREW: Final = "_screw"
GEARBOX: Final = "_gearbox"
WEIGHTLESS: Final = "_gravity"
#: Drake's words for a rotor that turns with the joint.
INERTIA_OF_ROTOR: Final = "drake:rotor_inertia"
GEAR: Final = "drake:gear_ratio"
DRAKE: Final = ("xmlns:drake", "http://drake.mit.edu")

_AXIS: Final[dict[str, tuple[str, ...]]] = {
    "xyz": ("expressed_in",),
    "use_parent_model_frame": (),
    "dynamics": (),
    "mimic": ("joint", "axis"),
}
_POSE: Final = ("relative_to", "rotation_format", "degrees", "frame")
#: Element -> elements that it holds for the equations of motion -> their attributes.
MOTION: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "sdf": {"world": ("name",), "model": ("name", "canonical_link", "placement_frame")},
    "world": {
        "gravity": (),
        "model": ("name", "canonical_link", "placement_frame"),
        "joint": ("name", "type"),
        "frame": ("name", "attached_to"),
    },
    "model": {
        "pose": _POSE,
        "static": (),
        "model": ("name", "canonical_link", "placement_frame"),
        "link": ("name",),
        "joint": ("name", "type"),
        "frame": ("name", "attached_to"),
    },
    "link": {"pose": _POSE, "inertial": ("auto",), "gravity": ()},
    "inertial": {"pose": _POSE, "mass": (), "density": (), "inertia": ()},
    "inertia": dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), ()),
    "frame": {"pose": _POSE},
    "joint": {
        "pose": _POSE,
        **dict.fromkeys(("parent", "child", "axis", "axis2", "screw_thread_pitch", "thread_pitch"), ()),
        **dict.fromkeys(("gearbox_ratio", "gearbox_reference_body", INERTIA_OF_ROTOR, GEAR), ()),
    },
    "axis": _AXIS,
    "axis2": _AXIS,
    "dynamics": {"damping": (), "friction": (), "spring_stiffness": (), "spring_reference": ()},
    "mimic": {"multiplier": (), "offset": (), "reference": ()},
}
#: Elements that may occur several times in one element.
SEVERAL: Final = frozenset({"model", "link", "joint", "frame"})


def _by_effect(*groups: tuple[str, Effect, str]) -> dict[str, tuple[str, Effect]]:
    """Map the tags of each group to the group's kind and effect."""
    return {tag: (kind, effect) for kind, effect, tags in groups for tag in tags.split()}


_OF_AXES: Final = _by_effect(("joint-limit", "none", "limit"), ("state", "none", "initial_position"))
#: Element -> elements in it outside of the equations of motion -> kind and effect of the omission.
BESIDE: Final[dict[str, dict[str, tuple[str, Effect]]]] = {
    "sdf": _by_effect(("image", "none", "light")),
    "world": _by_effect(
        ("image", "none", "light actor road"),
        ("setting", "none", "physics scene gui audio atmosphere magnetic_field spherical_coordinates"),
        ("medium", "none", "wind"),
        ("state", "unknown", "state"),
        ("extension", "unknown", "plugin"),
    ),
    "model": _by_effect(
        ("setting", "none", "self_collide allow_auto_disable"),
        ("medium", "forces", "enable_wind"),
        ("setting", "none", "namespace"),
        ("extension", "unknown", "gripper plugin"),
        ("collision-shape", "none", "drake:collision_filter_group"),
        ("bushing", "forces", "drake:linear_bushing_rpy"),
        ("bipolar-force", "forces", "drake:linear_spring_damper"),
        ("closure", "forces", "drake:ball_constraint drake:tendon_constraint"),
    ),
    "link": _by_effect(
        ("image", "none", "visual light projector particle_emitter"),
        ("collision-shape", "none", "collision"),
        ("setting", "none", "self_collide must_be_base_link"),
        ("sensor", "none", "battery sensor audio_sink audio_source"),
        ("setting", "forces", "kinematic"),
        ("medium", "forces", "enable_wind velocity_decay"),
        ("extension", "unknown", "plugin"),
    ),
    "inertial": _by_effect(("medium", "inertia", "fluid_added_mass"), ("setting", "none", "auto_inertia_params")),
    "joint": _by_effect(
        ("setting", "forces", "physics"),
        ("setting", "none", "drake:controller_gains"),
        ("sensor", "none", "sensor"),
        ("extension", "unknown", "plugin"),
    ),
    "axis": _OF_AXES,
    "axis2": _OF_AXES,
}
#: Attributes that do not act: names of topics.
IDLE_ATTRIBUTES: Final = {"model": {"namespace"}}
#: Elements that act only if they are switched on.
SWITCHES: Final = frozenset({"enable_wind", "kinematic"})


def looks_like_sdf(head: str) -> bool:
    """Return True if the root element of a text is <sdf>."""
    return root_of(head) == ROOT
