"""The vocabulary of URDF: which elements contain which, and which do not affect the equations of motion."""

from __future__ import annotations

from typing import Final

from mbconcord.converters.xml_text import root_of
from mbconcord.model.omission import Effect

#: Joint type -> number of its coordinates.
TYPES: Final = {"revolute": 1, "continuous": 1, "prismatic": 1, "fixed": 0, "planar": 3, "floating": 6, "spherical": 3}

#: The root link of this name is the fixed frame itself.
WORLD: Final = "world"
#: The metadata that keeps the lines of the file.
TEXT: Final = "urdf:text"
#: Gravity (m/s², along -z), which a URDF does not contain and every program that reads one assumes.
GRAVITY: Final = "9.81"

#: Endings of the names of coordinates of planar and floating joints, after the joint's name.
PLANAR: Final = ("_TX", "_TY", "_RZ")
FLOATING: Final = ("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX")
#: Joints whose damping is along velocities that are no rates of coordinates.
TURNED: Final = ("floating", "spherical")

#: Endings of the names of damping forces and rotors, after the joint's name.
DAMPING: Final = "_damping"
ROTOR: Final = "_rotor"
#: Drake's elements of a transmission's actuator for a rotor that turns with the joint.
DRAKE: Final = ("drake", "http://drake.mit.edu")
INERTIA_OF_ROTOR: Final = "drake:rotor_inertia"
GEAR: Final = "drake:gear_ratio"

#: A stop this far away (m, rad) is none: written where a joint must have limits and the model has none.
NO_STOP: Final = "1e9"

#: Element -> elements that it holds for the equations of motion -> their attributes.
MOTION: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "robot": {"link": ("name",), "joint": ("name", "type")},
    "link": {"inertial": ()},
    "inertial": {
        "origin": ("xyz", "rpy", "quat_xyzw"),
        "mass": ("value",),
        "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    },
    "joint": {
        "origin": ("xyz", "rpy", "quat_xyzw"),
        "parent": ("link",),
        "child": ("link",),
        "axis": ("xyz",),
        "dynamics": ("damping", "friction"),
        "mimic": ("joint", "multiplier", "offset"),
    },
}
#: Further attributes that have no effect on the motion.
BESIDE_ATTRIBUTES: Final = {"robot": {"name", "version"}, "link": {"type"}}
#: Attributes outside of the format that do not act: ``dont_collapse`` is a word of Isaac's importers for fixed joints;
#: the others are in published files, and neither urdfdom, Gazebo, MuJoCo, Pinocchio nor Drake reads them.
IDLE_ATTRIBUTES: Final = {"joint": {"dont_collapse"}, "dynamics": {"D", "K", "mu_coulomb", "mu_viscous"}}
#: ... attribute -> attribute on which it depends: without effect if that is zero.
IDLE_WHERE_ZERO: Final = {
    "spring_stiffness": "spring_stiffness", "spring_reference": "spring_stiffness", "stiffness": "stiffness",
}  # fmt: skip

#: Element -> elements in it outside of the equations of motion -> kind and effect of the omission.
BESIDE: Final[dict[str, dict[str, tuple[str, Effect]]]] = {
    "robot": {
        "material": ("material", "none"),
        "transmission": ("transmission", "none"),
        "gazebo": ("extension", "none"),
        "mujoco": ("extension", "none"),
        "ros2_control": ("extension", "none"),
        "sensor": ("sensor", "none"),
        "frame": ("site", "none"),
        "drake:collision_filter_group": ("collision-shape", "none"),
        "drake:linear_bushing_rpy": ("bushing", "forces"),
        "drake:linear_spring_damper": ("bipolar-force", "forces"),
        "drake:ball_constraint": ("closure", "forces"),
        "drake:tendon_constraint": ("closure", "forces"),
    },
    "link": {
        "origin": ("setting", "none"),
        "surface": ("collision-shape", "none"),
        "collision_checking": ("collision-shape", "none"),
        "self_filter": ("collision-shape", "none"),
        "gravity": ("setting", "unknown"),
        "kinematic": ("setting", "unknown"),
        "visual": ("image", "none"),
        "collision": ("collision-shape", "none"),
        "self_collision_checking": ("collision-shape", "none"),
        "contact": ("collision-shape", "none"),  # but for Bullet's factor of inertia
        "sensor": ("sensor", "none"),
    },
    "joint": {
        "limit": ("joint-limit", "none"),
        "safety_controller": ("joint-limit", "none"),
        "calibration": ("calibration", "none"),
        "hardwareInterface": ("transmission", "none"),
    },
}
#: Attributes of <mujoco> in a URDF that change nothing of the motion, whatever their value; another one may act.
HARMLESS_ATTRIBUTES: Final = frozenset(
    {
        "meshdir", "texturedir", "assetdir", "strippath", "discardvisual", "fusestatic", "usethread", "autolimits",
        "angle", "eulerseq", "saveinertial", "timestep", "apirate", "iterations", "tolerance", "ls_iterations",
        "ls_tolerance", "noslip_iterations", "noslip_tolerance", "mpr_iterations", "mpr_tolerance", "ccd_iterations",
        "ccd_tolerance", "sdf_iterations", "sdf_initpoints", "sleep_tolerance", "solver", "integrator", "cone",
        "jacobian", "impratio", "o_margin", "o_solref", "o_solimp", "o_friction", "magnetic", "contact", "limit",
        "spring",
    }
)  # fmt: skip
#: ... attribute -> values without effect, and the effect of others.
OF_MUJOCO: Final[dict[str, tuple[tuple[str, ...], Effect]]] = {
    "settotalmass": (("-1", "0"), "inertia"),
    "boundmass": (("0",), "inertia"),
    "boundinertia": (("0",), "inertia"),
    "balanceinertia": (("false",), "inertia"),
    "inertiafromgeom": (("auto", "false"), "inertia"),
    "inertiagrouprange": (("0 5",), "inertia"),
    "density": (("0",), "forces"),
    "viscosity": (("0",), "forces"),
    "damper": (("enable",), "forces"),
    "gravity": (("enable", f"0 0 -{GRAVITY}"), "unknown"),
}
#: ... those that ``--read as=mujoco`` applies; anything else of it stays an omission that acts.
APPLIED: Final = frozenset(
    {"settotalmass", "boundmass", "boundinertia", "balanceinertia", "inertiagrouprange", "gravity"}
)


def _one_of(*words: str) -> tuple[str, str]:
    return "|".join(words), f"MuJoCo takes {' or '.join(words)}, as it is written here"


def _row(number: str, kind: str, least: int, most: int = 0) -> tuple[str, str]:
    """Return the pattern of an attribute with a row of numbers or blanks alone, and words for what MuJoCo accepts."""
    pattern = rf"\s*|\s*({number})(\s+({number})){{{least - 1},{(most or least) - 1}}}\s*"
    return pattern, f"MuJoCo takes {f'{least} to {most}' if most else least} {kind}"


_REAL: Final = (
    r"[+-]?(\d+\.?\d*|\.\d+)([eE](\+?0*([12]?\d?\d|30[0-7])|-\d+))?|[+-]?([iI][nN][fF]|[nN][aA][nN])", "numbers"
)  # fmt: skip
_WHOLE: Final = r"[+-]?0*\d{1,9}", "whole numbers"
_SWITCH: Final = _one_of("enable", "disable")
#: Patterns of the values that MuJoCo accepts in a URDF, and words for them; it ignores other attributes.
MUJOCO_VALUES: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "compiler": {
        **dict.fromkeys(("boundmass", "boundinertia", "settotalmass"), _row(*_REAL, 1)),
        **dict.fromkeys(
            (
                "autolimits", "balanceinertia", "strippath", "fitaabb", "discardvisual", "usethread", "fusestatic",
                "saveinertial", "alignfree",
            ),
            _one_of("true", "false"),
        ),
        "inertiafromgeom": _one_of("auto", "true", "false"),
        "inertiagrouprange": _row(*_WHOLE, 2),
        "angle": _one_of("radian", "degree"),
        "coordinate": _one_of("local"),
        "conflict": _one_of("warning", "error", "merge"),
        "eulerseq": ("...", "MuJoCo takes three of x, y, z, X, Y, Z"),
    },
    "option": {
        **dict.fromkeys(
            (
                "timestep", "impratio", "tolerance", "noslip_tolerance", "ls_tolerance", "ccd_tolerance",
                "sleep_tolerance", "density", "viscosity", "o_margin",
            ),
            _row(*_REAL, 1),
        ),
        **dict.fromkeys(
            (
                "iterations", "ls_iterations", "noslip_iterations", "ccd_iterations", "sdf_iterations",
                "sdf_initpoints",
            ),
            _row(*_WHOLE, 1),
        ),
        **dict.fromkeys(("gravity", "wind", "magnetic"), _row(*_REAL, 3)),
        "o_solref": _row(*_REAL, 1, 2),
        "o_solimp": _row(*_REAL, 1, 5),
        "o_friction": _row(*_REAL, 1, 5),
        "actuatorgroupdisable": _row(r"\+?0*([12]?\d|30)", "groups from 0 to 30", 1, 31),
        "integrator": _one_of("Euler", "RK4", "implicit", "implicitfast", "discrete"),
        "cone": _one_of("pyramidal", "elliptic"),
        "jacobian": _one_of("dense", "sparse", "auto"),
        "solver": _one_of("PGS", "CG", "Newton"),
    },
    "flag": dict.fromkeys(
        (
            "constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl",
            "warmstart", "filterparent", "actuation", "refsafe", "sensor", "midphase", "eulerdamp", "autoreset",
            "nativeccd", "island", "override", "energy", "fwdinv", "invdiscrete", "multiccd", "sleep",
        ),
        _SWITCH,
    ),
}  # fmt: skip
#: Elements in <gazebo> without effect on the motion of bodies that touch nothing; any other may have one.
HARMLESS: Final = frozenset(
    {
        "material", "mu1", "mu2", "mu", "kp", "kd", "fdir1", "maxVel", "minDepth", "maxContacts", "selfCollide",
        "self_collide", "laserRetro", "provideFeedback", "implicitSpringDamper", "cfmDamping", "stopKp", "stopKd",
        "stopCfm", "stopErp", "fudgeFactor", "disableFixedJointLumping", "preserveFixedJoint", "sensor", "visual",
        "collision", "initial_joint_position", "canonicalBody", "springReference",
    }
)  # fmt: skip
#: ... elements with an effect if their text is one of these words, or if it is none of them.
ACTING_WHERE: Final[dict[str, tuple[str, ...]]] = {
    "static": ("1", "true", "yes"), "gravity": ("0", "false"), "kinematic": ("1", "true"), "enable_wind": ("1", "true"),
}  # fmt: skip
IDLE_WHERE: Final = {"turnGravityOff": ("0", "false", "no")}
#: ... elements with an effect if a number in them is not zero.
ACTING_NUMBERS: Final = frozenset({"springStiffness", "dampingFactor", "velocity_decay"})
#: Plugins of Gazebo (their libraries, also of a ``<controller:…>`` of old files) that measure, or drive joints by what
#: controllers and users command: drives are inputs, and change neither masses nor gravity nor springs.
HARMLESS_PLUGINS: Final = frozenset(
    {
        "gazebo_ros_control", "gazebo_ros2_control", "gz_ros2_control", "ign_ros2_control", "gazebo_ros_force",
        "gazebo_ros_imu", "gazebo_ros_imu_sensor", "gazebo_ros_p3d", "gazebo_ros_camera", "gazebo_ros_depth_camera",
        "gazebo_ros_openni_kinect", "gazebo_ros_laser", "gazebo_ros_ray_sensor", "gazebo_ros_gpu_laser",
        "gazebo_ros_range", "gazebo_ros_bumper", "gazebo_ros_ft_sensor", "gazebo_ros_joint_state_publisher",
        "gazebo_world_odometry", "realsense_gazebo_plugin", "gazebo_ros_controller_manager", "gazebo_ros_f3d",
        "gazebo_ros_power_monitor", "gazebo_ros_prosilica",
    }
)  # fmt: skip


def looks_like_urdf(head: str) -> bool:
    """Return True if the root element of a text is <robot>."""
    return root_of(head) == "robot"
