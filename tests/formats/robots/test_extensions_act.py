"""Extensions of one program in another's format: each is read, acts for nobody, or is an omission that acts.

The tables are those of the programs' documents: libsdformat's conversion of ``<gazebo>`` in a URDF, SDF 1.12's
descriptions, Drake's list of its own elements (Drake says itself whether they act), Bullet's importer.
"""

from __future__ import annotations

import numpy as np
import pytest

import mbconcord
from mbconcord.converters.sdf.vocabulary import BESIDE as SDF_BESIDE
from mbconcord.converters.sdf.vocabulary import MOTION as SDF_MOTION
from mbconcord.converters.urdf import vocabulary as urdf
from mbconcord.model import MbconcordError

from .sdf_texts import MASS, joint, model
from .test_passed_over import meaning

BODY = '<inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>'
ENDS = '<limit lower="-1" upper="1" effort="5" velocity="5"/>'
URDF = (
    f'<robot name="r">ROBOT<link name="base"/><link name="a">LINK{BODY}</link><link name="b">{BODY}</link>'
    f'<joint name="j" type="revolute">JOINT<parent link="base"/><child link="a"/><axis xyz="0 1 0"/>{ENDS}</joint>'
    f'<joint name="k" type="revolute"><origin xyz="0.3 0 0"/><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>'
    f'{ENDS}</joint><frame name="fa" link="a" xyz="0 0 0.1"/><frame name="fb" link="b" xyz="0 0 0.2"/>'
    '<transmission type="SimpleTransmission"><joint name="j"/><actuator name="m">ACT</actuator></transmission></robot>'
)
PLACES = ("ROBOT", "LINK", "JOINT", "ACT")


def put(place: str, what: str, text: str = URDF) -> str:
    text = text.replace(place, what, 1)
    for other in PLACES:
        text = text.replace(other, "")
    return text


def acting(text: str, format: str = "urdf") -> list[tuple[str, str]]:
    return meaning(text, format)[1]


NO = ("0", "false", "False")
YES = ("1", "true", "True")
#: Element -> texts with which it acts, and does not. What is at contacts and stops alone, draws, measures, or chooses
#: how Gazebo solves the same equations never does.
GAZEBO: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "turnGravityOff": (("1", "true", "yes", "on", ""), (*NO, "no")),
    "static": ((*YES, "yes"), NO),
    "gravity": (NO, YES),
    "kinematic": (YES, NO),
    "enable_wind": (YES, NO),
    "springStiffness": (("3",), ("0", "0.0")),
    "springReference": ((), ("0.5",)),
    "dampingFactor": (("0.2",), ("0",)),
    "velocity_decay": (("<linear>0.1</linear>", "<angular>0.1</angular>"), ("", "<linear>0</linear>")),
    "physics": (
        ("<ode><max_force>1</max_force></ode>", "<ode><cfm>0.1</cfm></ode>"),
        ("<ode><limit><cfm>0.1</cfm></limit><max_force>0</max_force></ode>", "<ode><velocity>0</velocity></ode>"),
    ),
    "plugin": (("",), ()),
    "link": (("",), ()), "joint": (("",), ()), "pose": (("0 0 1 0 0 0",), ()), "inertial": (("",), ()),
    "axis": (("",), ()), "model": (("",), ()), "include": (("",), ()), "whatever": (("",), ()),
    **dict.fromkeys((
        "mu", "mu1", "mu2", "kp", "kd", "fdir1", "maxVel", "minDepth", "maxContacts", "selfCollide", "self_collide",
        "laserRetro", "provideFeedback", "implicitSpringDamper", "cfmDamping", "stopKp", "stopKd", "stopCfm", "stopErp",
        "fudgeFactor", "disableFixedJointLumping", "preserveFixedJoint", "sensor", "visual", "collision", "material",
        "initial_joint_position", "canonicalBody",
    ), ((), ("0", "1", "3", "true", "0 0 1"))),
}  # fmt: skip


@pytest.mark.parametrize("tag", GAZEBO)
def test_element_of_gazebo_acts_where_its_documents_say_so_and_is_named(tag):
    for values, expected in zip(GAZEBO[tag], ([(f"extension/a (Gazebo: {tag})", "unknown")], []), strict=True):
        for value in values:
            assert acting(put("ROBOT", f'<gazebo reference="a"><{tag}>{value}</{tag}></gazebo>')) == expected, value


#: Of the elements above those whose text acts or not, and not what is in them.
TEXTS = tuple(tag for tag, (acts, idle) in GAZEBO.items() if (*acts, *idle) and "<" not in "".join((*acts, *idle)))


@pytest.mark.parametrize("tag", TEXTS)
def test_attribute_value_of_an_element_of_gazebo_is_read_before_its_text(tag):
    """libsdformat takes it so; PR2's file has both spellings."""
    for values, other in (GAZEBO[tag], GAZEBO[tag][::-1]):
        for value in values:
            expected = [(f"extension/a (Gazebo: {tag})", "unknown")] if values is GAZEBO[tag][0] else []
            for text in ("", *other[:1]):
                element = f'<gazebo reference="a"><{tag} value="{value}">{text}</{tag}></gazebo>'
                assert acting(put("ROBOT", element)) == expected, (value, text)


def test_headline_names_what_acts_of_extensions_and_which_plugin():
    """Numbers alone do not tell a user what of the file is not in the equations."""
    pieces = (
        '<turnGravityOff value="true"/>', "<mu1>1</mu1>",
        '<plugin name="p" filename="/opt/libroboticsgroup_gazebo_mimic_joint_plugin.so"/>',
        '<plugin name="p" filename="gz-sim-buoyancy-system"/>',
    )  # fmt: skip
    text = put("ROBOT", "".join(f'<gazebo reference="a">{piece}</gazebo>' for piece in (*pieces, pieces[0])))
    headline = mbconcord.check(
        mbconcord.read(text=text, format="urdf"), states=2, claims=(), formalisms=["newton_euler", "lagrange"]
    ).headline
    said = (
        "Gazebo: turnGravityOff, Gazebo: plugin roboticsgroup_gazebo_mimic_joint_plugin, Gazebo: plugin gz-sim-buoyancy"
    )
    assert headline.endswith(f"without 4 extensions for other programs ({said})")


def test_every_element_of_gazebo_that_the_reader_lists_is_in_the_table():
    listed = {*urdf.HARMLESS, *urdf.ACTING_WHERE, *urdf.IDLE_WHERE, *urdf.ACTING_NUMBERS}
    assert listed <= GAZEBO.keys()


@pytest.mark.parametrize("file", ["libgazebo_ros_control.so", "gz_ros2_control-system", "libgazebo_ros_imu.so"])
def test_plugin_that_measures_or_drives_is_no_part_of_the_machine(file):
    assert acting(put("ROBOT", f'<gazebo><plugin name="p" filename="{file}"/></gazebo>')) == []


OLD = '<gazebo><controller:{0} name="c" plugin="lib{0}.so"/></gazebo>'


@pytest.mark.parametrize(
    "name", ["gazebo_ros_controller_manager", "gazebo_ros_p3d", "gazebo_ros_f3d", "gazebo_ros_imu"]
)
def test_controller_of_gazebo_before_its_plugins_is_one_of_them(name):
    """PR2's file is written so."""
    assert acting(put("ROBOT", OLD.format(name))) == []
    assert acting(put("ROBOT", OLD.format("wind"))) == [("extension/(Gazebo: controller:wind)", "unknown")]


def test_factor_of_bullet_acts_on_inertia():
    for value, expected in (("3", [("extension/a (Bullet: inertia_scaling)", "inertia")]), ("1.0", [])):
        text = put("LINK", f'<contact><lateral_friction value="1"/><inertia_scaling value="{value}"/></contact>')
        assert acting(text) == expected


def test_extensions_of_several_effects_name_each():
    told = '<mujoco><compiler settotalmass="5" boundmass="0"/><option gravity="0 0 -1" density="1.2"/></mujoco>'
    assert acting(put("ROBOT", told)) == [("extension/(MuJoCo: settotalmass, gravity, density)", "unknown")]


# Drake's dialect.

BUSHING = "".join(f'<drake:bushing_{k} value="1 2 3"/>' for k in (
    "torque_stiffness", "torque_damping", "force_stiffness", "force_damping"))  # fmt: skip
BETWEEN = (
    '<drake:{0}_body_A name="a"/><drake:{0}_body_B name="b"/><drake:{0}_p_AP value="1 0 0"/>'
    '<drake:{0}_p_BQ value="0 0 1"/>'
)
SPRING = "".join(f'<drake:linear_spring_damper_{k} value="3"/>' for k in ("free_length", "stiffness", "damping"))
TENDON = "".join(f'<drake:tendon_constraint_{k} value="1"/>' for k in (
    "offset", "lower_limit", "upper_limit", "stiffness", "damping"))  # fmt: skip
SURFACE = "".join(f'<drake:{k} value="2"/>' for k in (
    "mu_static", "mu_dynamic", "point_contact_stiffness", "hunt_crossley_dissipation", "relaxation_time",
    "mesh_resolution_hint", "hydroelastic_modulus", "hydroelastic_margin"))  # fmt: skip
SEEN = "<visual><geometry><box size='1 1 1'/></geometry>{}</visual>"
DRAKE = {
    "linear_bushing_rpy": ("ROBOT", f'<drake:linear_bushing_rpy><drake:bushing_frameA name="fa"/><drake:bushing_frameC '
                           f'name="fb"/>{BUSHING}</drake:linear_bushing_rpy>'),
    "linear_spring_damper": ("ROBOT", f"<drake:linear_spring_damper>{BETWEEN.format('linear_spring_damper')}{SPRING}"
                             "</drake:linear_spring_damper>"),
    "ball_constraint": ("ROBOT", f"<drake:ball_constraint>{BETWEEN.format('ball_constraint')}</drake:ball_constraint>"),
    "tendon_constraint": ("ROBOT", '<drake:tendon_constraint><drake:tendon_constraint_joint name="j" a="1.5"/>'
                          f'<drake:tendon_constraint_joint name="k" a="-1.5"/>{TENDON}</drake:tendon_constraint>'),
    "rotor_inertia": ("ACT", '<drake:rotor_inertia value="0.1"/>'),
    "gear_ratio": ("ACT", '<drake:rotor_inertia value="0.1"/><drake:gear_ratio value="3"/>'),
    "controller_gains": ("ACT", '<drake:controller_gains p="10" d="1"/>'),
    "collision_filter_group": ("ROBOT", '<drake:collision_filter_group name="g"><drake:member link="a"/>'
                               '<drake:ignored_collision_filter_group name="g"/></drake:collision_filter_group>'),
    "proximity_properties": ("LINK", "<collision><geometry><box size='1 1 1'/></geometry><drake:proximity_properties>"
                             f"{SURFACE}</drake:proximity_properties></collision>"),
    "illustration_properties": ("LINK", SEEN.format('<drake:illustration_properties enabled="false"/>')),
    "perception_properties": ("LINK", SEEN.format('<drake:perception_properties enabled="false"/>')),
    "accepting_renderer": ("LINK", SEEN.format('<drake:accepting_renderer name="x"/>')),
    "joint": ("ROBOT", f'<link name="c">{BODY}</link><drake:joint name="l" type="ball"><parent link="b"/>'
              '<child link="c"/></drake:joint>'),
}  # fmt: skip


def drake_numbers(text: str) -> list[np.ndarray]:
    """M, and inverse dynamics with force elements at a state; how many constraints."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant = MultibodyPlant(0.001)
    Parser(plant).AddModelsFromString(text, "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    context, random, forces = plant.CreateDefaultContext(), np.random.default_rng(1), MultibodyForces(plant)
    plant.SetPositions(context, random.uniform(-0.5, 0.5, plant.num_positions()))
    plant.SetVelocities(context, random.uniform(-1, 1, plant.num_velocities()))
    plant.CalcForceElementsContribution(context, forces)
    still = np.zeros(plant.num_velocities())
    rows = np.array(plant.num_constraints())
    return [plant.CalcMassMatrix(context), plant.CalcInverseDynamics(context, still, forces), rows]


@pytest.mark.parametrize("name", DRAKE)
def test_element_of_drake_that_acts_is_read_or_acts_or_is_refused(name):
    pytest.importorskip("pydrake", reason="drake is not installed: the extra peers")
    base, text = put("", ""), put(*DRAKE[name])
    found, before = drake_numbers(text), drake_numbers(base)
    acts = any(a.shape != b.shape or not np.allclose(a, b) for a, b in zip(found, before, strict=True))
    try:
        said = meaning(text, "urdf")
    except MbconcordError:
        return
    silent = said == meaning(base, "urdf")
    assert silent == (not acts)


@pytest.mark.parametrize("name", DRAKE)
def test_element_of_drake_acts_as_its_documents_say(name):
    place, what = DRAKE[name]
    effects = {
        "linear_bushing_rpy": "forces", "linear_spring_damper": "forces", "ball_constraint": "forces",
        "tendon_constraint": "forces",
    }  # fmt: skip
    if name != "joint":
        expected = [effects[name]] if name in effects else []
        assert [effect for _, effect in acting(put(place, what))] == expected


# SDF.

ONE = f'<link name="a">LINK{MASS}</link>'
AXIS = "<axis><xyz>0 1 0</xyz>AXIS<dynamics>DYNAMICS</dynamics></axis>"
SDF = model(
    ONE + joint("revolute", "world a", AXIS + "JOINT") + "MODEL", "ATTRIBUTE"
).replace("<inertia>", "INERTIAL<inertia>")  # fmt: skip
WORLD = f'<sdf version="1.12"><world name="w">WORLD{SDF[SDF.index("<model") : SDF.index("</sdf>")]}</world></sdf>'
PARTS = ("WORLD", "MODEL", "ATTRIBUTE", "LINK", "INERTIAL", "JOINT", "AXIS", "DYNAMICS")
#: Element of SDF 1.12 with a value that acts, by what it stands in.
ACTS = {
    "WORLD": ("<gravity>0 0 -1</gravity>", "<plugin name='p' filename='x'/>",
              "<frame name='f'><pose>1 0 0 0 0 0</pose></frame>"
              "<joint name='z' type='fixed'><parent>f</parent><child>m::a</child></joint>", "<population name='p'/>",
              f"<model name='n'><link name='c'>{MASS}</link></model>",
              "<state world_name='w'><insertions><model name='n'/></insertions></state>",
              "<state world_name='w'><deletions><name>m</name></deletions></state>"),
    "MODEL": ("<static>true</static>", "<enable_wind>true</enable_wind>", "<plugin name='p' filename='x'/>",
              f"<link name='c'>{MASS}</link>", f"<model name='n'><link name='c'>{MASS}</link></model>",
              "<gripper name='g'/>", "<drake:linear_bushing_rpy/>", "<drake:linear_spring_damper/>",
              "<drake:ball_constraint/>", "<drake:tendon_constraint/>", "<drake:joint name='z' type='planar'/>",
              "<whatever/>"),
    "LINK": ("<gravity>false</gravity>", "<enable_wind>true</enable_wind>", "<kinematic>true</kinematic>",
             "<velocity_decay><linear>0.1</linear></velocity_decay>", "<pose>0 0 1 0.2 0 0</pose>",
             "<velocity_decay><angular>0.1</angular></velocity_decay>", "<plugin name='p' filename='x'/>",
             "<drake:deformable_properties/>", "<whatever/>"),
    "INERTIAL": ("<pose>0 0 1 0 0 0</pose>", "<fluid_added_mass><xx>1</xx></fluid_added_mass>", "<whatever/>"),
    "JOINT": ("<pose>0 0 1 0.2 0 0</pose>", "<physics><ode><max_force>1</max_force></ode></physics>",
              "<physics><ode><cfm>0.1</cfm></ode></physics>",
              "<physics><ode><suspension><cfm>0.1</cfm></suspension></ode></physics>",
              "<drake:rotor_inertia>1</drake:rotor_inertia>", "<plugin name='p' filename='x'/>",
              "<drake:rotor_inertia>1</drake:rotor_inertia><drake:gear_ratio>2</drake:gear_ratio>", "<whatever/>"),
    "AXIS": ("<drake:mimic joint='j'/>", "<whatever/>"),
    "DYNAMICS": ("<damping>1</damping>", "<friction>1</friction>", "<spring_stiffness>1</spring_stiffness>",
                 "<spring_stiffness>1</spring_stiffness><spring_reference>0.2</spring_reference>", "<whatever/>"),
    "ATTRIBUTE": ("whatever='1'",),
}  # fmt: skip
#: ... and with which nothing of free motion changes: what is at contacts and stops, draws, measures, names, starts, or
#: chooses how the same equations are solved.
IDLE = {
    "WORLD": ("<light name='l'/>", "<actor name='x'/>", "<road name='r'/>", "<scene/>", "<gui/>", "<audio/>",
              "<atmosphere/>", "<wind><linear_velocity>1 0 0</linear_velocity></wind>", "<spherical_coordinates/>",
              "<magnetic_field>1 0 0</magnetic_field>", "<physics><max_step_size>0.1</max_step_size></physics>",
              "<state world_name='w'><model name='m'><pose>0 0 1 0 0 0</pose></model></state>"),
    "MODEL": ("<self_collide>true</self_collide>", "<allow_auto_disable>true</allow_auto_disable>",
              "<static>false</static>", "<enable_wind>false</enable_wind>", "<namespace>n</namespace>",
              "<frame name='f'><pose>1 0 0 0 0 0</pose></frame>", "<drake:collision_filter_group name='g'/>"),
    "LINK": ("<visual name='v'/>", "<light name='l'/>", "<projector name='p'/>", "<particle_emitter name='e'/>",
             "<collision name='c'/>", "<self_collide>true</self_collide>", "<gravity>true</gravity>",
             "<must_be_base_link>true</must_be_base_link>", "<battery name='b'/>", "<sensor name='s'/>",
             "<audio_sink/>", "<audio_source/>", "<kinematic>false</kinematic>", "<enable_wind>false</enable_wind>",
             "<velocity_decay><linear>0</linear></velocity_decay>"),
    "INERTIAL": ("<auto_inertia_params/>", "<density>3</density>"),
    "JOINT": ("<physics><ode><implicit_spring_damper>1</implicit_spring_damper></ode></physics>",
              "<physics><ode><limit><cfm>1</cfm></limit></ode></physics>",
              "<physics><simbody><must_be_loop_joint>1</must_be_loop_joint></simbody></physics>", "<sensor name='s'/>",
              "<gearbox_ratio>2</gearbox_ratio>", "<gearbox_reference_body>a</gearbox_reference_body>",
              "<axis2><xyz>1 0 0</xyz></axis2>", "<thread_pitch>2</thread_pitch>",
              "<screw_thread_pitch>2</screw_thread_pitch>",
              "<drake:controller_gains p='1' d='1'/>"),
    "AXIS": ("<limit><lower>-1</lower></limit>", "<initial_position>1</initial_position>"),
    "DYNAMICS": ("<spring_reference>0.2</spring_reference>",),
    "ATTRIBUTE": ("namespace='n'",),
}  # fmt: skip


def inside(part: str, what: str) -> str:
    text = (WORLD if part == "WORLD" else SDF).replace(part, what, 1)
    for other in PARTS:
        text = text.replace(other, "")
    return text


@pytest.mark.parametrize(("acts", "part", "what"), [
    (acts, part, what) for acts, table in ((True, ACTS), (False, IDLE)) for part, all in table.items() for what in all
])  # fmt: skip
def test_element_of_sdf_changes_the_model_or_is_an_omission_that_acts(acts, part, what):
    base, found = meaning(inside(part, ""), "sdf"), meaning(inside(part, what), "sdf")
    assert (found != base) == acts


def test_every_element_that_the_reader_of_sdf_lists_is_in_a_table():
    """All but what the model of the test itself holds, and two of which other tests tell."""
    for part, tag in {"WORLD": "world", "MODEL": "model", "LINK": "link", "INERTIAL": "inertial", "JOINT": "joint",
                      "AXIS": "axis", "DYNAMICS": "dynamics"}.items():  # fmt: skip
        shown = "".join((*ACTS[part], *IDLE[part], SDF))
        listed = {*SDF_MOTION.get(tag, ()), *SDF_BESIDE.get(tag, ())}
        assert {t for t in listed if f"<{t}" not in shown} <= {"mimic", "use_parent_model_frame"}
