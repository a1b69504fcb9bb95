"""Small texts of URDF, MJCF and SDF with what the fixtures do not have, by feature."""

from __future__ import annotations

HEAVY = (
    '<inertial><mass value="2"/><inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/></inertial>'
)


def urdf(joint: str, kind: str = "revolute", more: str = "", inertial: str = HEAVY, root: str = "base") -> str:
    joined = f'<parent link="{root}"/><child link="a"/>'
    return (
        f'<robot name="r"><link name="{root}"/><link name="a">{inertial}</link>'
        f'<joint name="j" type="{kind}">{joined}{joint}</joint>{more}</robot>'
    )


QUATERNION = '<origin xyz="0.1 0.2 0.3" quat_xyzw="0.1 0.2 -0.3 0.8"/>'
SECOND = (
    f'<link name="b">{HEAVY}</link><joint name="k" type="KIND"><parent link="a"/><child link="b"/>'
    '<origin xyz="0 0.1 0" rpy="0.1 0.2 0.3"/><axis xyz="0 1 2"/>MORE</joint>'
)
ROTOR = (
    '<transmission name="t"><joint name="j"/><actuator name="m"><drake:rotor_inertia value="0.01"/>'
    '<drake:gear_ratio value="20"/></actuator></transmission>'
)

URDF = {
    "a quaternion of an origin": urdf(QUATERNION),
    "a quaternion of an inertial frame": urdf("", inertial=HEAVY.replace("<mass", f"{QUATERNION}<mass")),
    "a rotor behind a gear": urdf('<axis xyz="1 2 3"/>', more=ROTOR),
    "a rotor without a gear": urdf("", more=ROTOR.replace('<drake:gear_ratio value="20"/>', "")),
    "a plane that looks down": urdf('<axis xyz="0 0 -2"/><dynamics damping="0.4"/>', "planar"),
    "a plane without an axis": urdf('<origin xyz="0.1 0 0"/>', "planar"),
    "a root that is the fixed frame": urdf('<origin rpy="0.3 0.2 0.1"/>', "floating", root="world"),
    "a fixed frame that no element declares": urdf("", root="world").replace('<link name="world"/>', ""),
    "a link without mass between": urdf(
        "", "continuous", SECOND.replace("KIND", "prismatic").replace("MORE", ""), inertial=""
    ),
    "a mimic of a slide": urdf(
        "", more=SECOND.replace("KIND", "prismatic").replace("MORE", '<mimic joint="j" multiplier="0.3"/>')
    ),
    "a fixed joint that mimics": urdf(
        "", more=SECOND.replace("KIND", "fixed").replace("MORE", '<mimic joint="j" multiplier="0.3"/>')
    ),
    "dry friction beside damping": urdf('<dynamics friction="3" damping="0.2"/>'),
}

MASS = '<inertial pos="0.1 0.2 0.05" mass="2" diaginertia="0.05 0.04 0.03"/>'
TURNED = '<inertial pos="0.1 0.2 0.05" mass="2" diaginertia="0.05 0.04 0.03" WAY/>'
BALL = '<geom pos="0.1 0 0.2" size="0.1"/>'
CUBE = (
    '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3" scale="0.3 -0.2 0.4" '
    'refpos="0.1 0.2 0.3" refquat="1 0.2 0 0.1" inertia="RULE"/></asset>'
)


def mjcf(inside: str, before: str = "", after: str = "") -> str:
    return f'<mujoco model="m">{before}<worldbody>{inside}</worldbody>{after}</mujoco>'


def body(joint: str = "<joint/>", more: str = MASS, pose: str = "", before: str = "", after: str = "") -> str:
    return mjcf(f'<body name="a" {pose}>{joint}{more}</body>', before, after)


def two(after: str, first: str = '<joint name="j"/>', before: str = "", compiler: str = "") -> str:
    """A body on another, with sites on both."""
    inner = (
        f'<body name="b" pos="0.3 0.1 0" euler="10 20 30"><joint name="k" axis="1 2 0" ref="5"/>{MASS}'
        '<site name="t" pos="0.1 0 0.3" zaxis="1 0 2"/></body>'
    )
    return mjcf(
        f'<body name="a">{first}{MASS}<frame pos="0 0.1 0" axisangle="0 1 1 20"><site name="s" pos="0.2 0 0"/>'
        f'{inner}</frame></body><site name="g" pos="1 0 1"/>',
        compiler + before,
        after,
    )


def held(kind: str) -> str:
    return two(f"<equality>{kind}</equality>")


def drawn(kind: str, more: str = "") -> str:
    return two(f"<tendon>{kind}</tendon>{more}")


def driven(kind: str, before: str = "") -> str:
    return two(f"<actuator>{kind}</actuator>", before=before)


FIXED = '<fixed name="w" MORE><joint joint="j" coef="0.7"/><joint joint="k" coef="-2"/></fixed>'
LINE = '<spatial name="w" MORE><site site="s"/><site site="g"/></spatial>'

MJCF = {
    **{
        f"turned by {way}": body(pose=way)
        for way in (
            'axisangle="1 2 3 40"', 'xyaxes="1 1 0 0 1 1"', 'zaxis="1 -2 3"', 'zaxis="0 0 -1"', 'quat="1 2 3 4"',
            'euler="10 20 30"',
        )
    },
    **{
        f"euler in the order {order}": body(pose='euler="10 20 30"', before=f'<compiler eulerseq="{order}"/>')
        for order in ("zyx", "XYZ", "zxz", "xYz", "XyZ")
    },
    "moments along axes of their own": body(more=TURNED.replace("WAY", 'euler="10 20 30"')),
    "moments along x and y": body(more=TURNED.replace("WAY", 'xyaxes="1 1 0 0 1 1"')),
    "radians": body(pose='euler="0.1 0.2 0.3"', before='<compiler angle="radian"/>'),
    **{
        f"a geom: {geom}": body(more=f"<geom {geom}/>{BALL}")
        for geom in (
            'type="box" size="0.1 0.2 0.3" euler="10 20 30"', 'type="capsule" size="0.1 0.3" pos="0.1 0.2 0.3"',
            'type="capsule" size="0.1" fromto="0 0 0 0.3 0.2 0.5"',
            'type="cylinder" size="0.1" fromto="0 0 0.4 0.3 0 0"',
            'type="box" size="0.1" fromto="0 0 0 0.3 0.2 0.5"', 'type="ellipsoid" size="0.1" fromto="0 0 0 0 0.2 0.5"',
            'type="ellipsoid" size="0.1 0.2 0.3" mass="4"', 'type="cylinder" size="0.1 0.2" density="300"',
            'type="sphere" size="0.2" shellinertia="true"', 'type="box" size="0.1 0.2 0.3" shellinertia="true"',
            'type="cylinder" size="0.1 0.2" shellinertia="true"', 'type="capsule" size="0.1 0.2" shellinertia="true"',
            'type="plane" size="1 1 1"', 'type="box" size="0.1 0.2 0.3" mass="0"', 'size="0.3" group="3"',
        )
    },
    "geoms of some groups": body(
        more=f'{BALL}<geom size="0.3" group="4"/>', before='<compiler inertiagrouprange="0 3"/>'
    ),
    **{
        f"a mesh by the rule {rule}": body(
            more=f'<geom type="mesh" mesh="m" pos="0.1 0 0" euler="10 0 20"/>{BALL}', before=CUBE.replace("RULE", rule)
        )
        for rule in ("exact", "legacy")
    },
    **{
        f"compiler {said}": body(more=f"{MASS}{BALL}", before=f"<compiler {said}/>")
        for said in (
            'inertiafromgeom="true"', 'inertiafromgeom="false"', 'boundmass="3"', 'boundinertia="0.045"',
            'settotalmass="7"',
        )
    },
    "a body that bounds alone give inertia": body(
        more=f'{MASS}<body pos="0.1 0.2 0.3" euler="10 20 30"><joint axis="1 2 3"/></body>',
        before='<compiler boundmass="3" boundinertia="0.045" settotalmass="7"/>',
    ),
    "the mass of what is not fused with the world": body(
        more=f'<joint/>{MASS}</body><body name="b">{MASS}',
        before='<compiler fusestatic="true" settotalmass="7"/>',
    ),
    "an impossible tensor that is balanced": body(
        more='<inertial pos="0 0 0" mass="1" fullinertia="1 1 3 0.1 0.2 0"/>',
        before='<compiler balanceinertia="true"/>'
    ),
    "classes within classes": two(
        "",
        before='<default><joint damping="0.3" axis="0 1 0"/><default class="c"><joint stiffness="2" ref="10"/>'
        '<default class="d"><joint damping="0.5"/></default></default></default>',
        first='<joint name="j" class="d"/>',
    ),
    "a childclass around": mjcf(
        f'<body name="a" childclass="c"><joint/>{MASS}<frame pos="0 0 1" childclass="d"><body><joint/>{MASS}'
        f'<body><joint class="c"/>{MASS}</body></body></frame></body>',
        '<default><default class="c"><joint damping="2"/></default><default class="d"><joint axis="1 0 0"/></default>'
        "</default>",
    ),
    "a turn in place of that of the class": body(
        more='<geom class="c" size="0.1 0.2 0.3" zaxis="1 0 1"/>',
        before='<default><default class="c"><geom type="box" euler="10 20 30" pos="0.1 0 0"/></default></default>',
    ),
    "joints behind one another": body(
        '<joint type="slide" axis="1 1 0" ref="0.3"/><joint axis="0 1 1" pos="0.1 0 0.2" ref="30"/>'
        '<joint pos="0 0.3 0"/>'
    ),
    "a joint in a frame": body('<frame pos="0 0.2 0" euler="20 0 0"><joint axis="1 2 3" pos="0.1 0 0"/></frame>'),
    "a ball behind slides": body('<joint type="slide"/><joint type="ball" pos="0.1 0.2 0.3" damping="0.4"/>'),
    "a joint in a frame of a frame": body(
        '<frame pos="0 0.2 0" euler="20 0 0"><frame pos="0.3 0 0.1" euler="0 50 0"><joint axis="1 2 3"/></frame>'
        "</frame>"
    ),
    "geoms at the edge of the groups": body(
        more=f'{BALL}<geom size="0.3" group="3"/>', before='<compiler inertiagrouprange="0 3"/>'
    ),
    "a ball in a frame": body('<frame pos="0 0.2 0" euler="20 0 40"><joint type="ball" pos="0.1 0 0"/></frame>'),
    "an inertia that no shape stands for": body(
        more=f'{MASS}<geom size="0.3" group="4"/><geom size="0.2" mass="0"/>',
        before='<compiler inertiafromgeom="true" inertiagrouprange="0 3"/>',
    ),
    "a free body with damping and armature": body(
        '<joint type="free" damping="0.3" armature="0.2"/>', pose='pos="0 1 2"'
    ),
    "a ball with armature": body('<joint type="ball" armature="0.2"/>'),
    "springs and dampers of three numbers": body(
        '<joint stiffness="2 3 4" springref="20" damping="0.3 0.4 0.5" armature="0.1"/>'
    ),
    "a damper by its time": body('<joint springdamper="0.1 1" stiffness="2" damping="3"/>'),
    "weight that is held up": body(pose='gravcomp="0.7"', before='<option gravity="1 2 -3"/>'),
    **{
        f"without {flag}": two(
            '<equality><joint joint1="j" joint2="k"/></equality><actuator><position joint="j" kp="3"/></actuator>',
            first='<joint name="j" stiffness="2" damping="3"/>',
            before=f'<option><flag {flag}="disable"/></option>',
        )
        for flag in ("gravity", "passive", "spring", "damper", "actuation", "equality", "constraint")
    },
    "two compilers": body(pose='euler="1 2 3"', before='<compiler angle="radian"/><compiler eulerseq="zyx"/>'),
    "a joint that is held": held('<joint joint1="k" polycoef="0.2"/>'),
    "a polynomial": held(
        '<joint name="p" joint1="k" joint2="j" polycoef="0.1 2 0.3 -0.4 0.5"/><joint joint1="j" active="false"/>'
    ),
    "a line between joints": held('<joint joint1="k" joint2="j"/>'),
    "a point of a body": held('<connect body1="b" body2="a" anchor="0.1 0.2 0.3"/>'),
    "a point of the world": held('<connect body1="b" anchor="0.1 0.2 0.3"/>'),
    "a point between sites": held('<connect site1="s" site2="g"/>'),
    "a weld": held('<weld body1="a" body2="b"/>'),
    "a weld as it is told": held('<weld body1="b" relpose="0.1 0.2 0.3 1 2 3 4"/>'),
    "a weld by a point": held('<weld body1="a" body2="b" anchor="0.1 -0.2 0.3"/>'),
    "a weld by a point as it is told": held(
        '<weld body1="a" body2="b" anchor="0.4 0.5 -0.6" relpose="0.1 0.2 0.3 1 2 3 4"/>'
    ),
    "a weld by a point, of a place alone": held('<weld body1="b" anchor="0.4 0.5 0.6" relpose="1 2 3 0 0 0 0"/>'),
    "a weld that holds no turn": held('<weld body1="a" body2="b" anchor="0.1 -0.2 0.3" torquescale="0"/>'),
    "a weld between sites that holds no turn": held('<weld site1="t" site2="g" torquescale="0"/>'),
    "a weld between sites": held('<weld site1="t" site2="g"/>'),
    "two tendons of one length": drawn(
        FIXED.replace("MORE", "") + FIXED.replace("MORE", "").replace('"w"', '"x"').replace("0.7", "1.3"),
        '<equality><tendon tendon1="w" tendon2="x" polycoef="0.1 2 3"/></equality>',
    ),
    **{
        f"a sum of joints: {said}": drawn(FIXED.replace("MORE", said))
        for said in (
            'stiffness="3"', 'stiffness="3" springlength="0.2"', 'stiffness="3 1" springlength="20 21"',
            'damping="0.2 0.3"',
            'armature="0.4"', 'stiffness="2" springlength="-21 -20"',
        )
    },
    "a line at rest as it is shown": two(
        f"<tendon>{LINE}</tendon>".replace("MORE", 'stiffness="3"'),
        compiler='<default><joint springref="5"/></default>'
    ).replace('name="j"', 'name="j" ref="5"'),
    "a line with a damper": drawn(LINE.replace("MORE", 'stiffness="3" damping="0.2" springlength="0.4"')),
    **{
        f"an actuator: {said}": driven(said)
        for said in (
            '<motor joint="j" gear="3"/>', '<position joint="k" kp="3" kv="0.4" gear="2"/>',
            '<velocity joint="k" kv="3"/>',
            '<damper joint="j" kv="3" ctrlrange="0 1"/>', '<motor joint="k" armature="0.3" gear="4"/>',
            '<general joint="j" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="4 5 6"/>',
            '<general joint="k" gainprm="2 3" biasprm="4 5"/>', '<motor joint="j"/><position joint="j" kp="2"/>',
            '<motor joint="j" gear="3" damping="0.5"/>', '<motor joint="k" damping="0.5 0.2"/>',
            '<position joint="j" kp="2" group="2" damping="0.5"/>', '<motor joint="j" site="s"/>',
            '<muscle joint="j"/><motor name="x" joint="j"/>', '<motor site="s"/><motor joint="j"/>',
            '<position site="t" kp="3" gear="1 2 3 4 5 6"/>', '<velocity site="t" kv="3" gear="0 0 0 4 5 6"/>',
            '<motor site="t" refsite="g" gear="1 2 3 4 5 6"/>',
            '<position site="t" refsite="g" kp="3" kv="2" gear="1 2 3"/>',
            '<velocity site="t" refsite="t" kv="2"/>', '<position site="t" refsite="g" gear="0 0 0 1"/>',
            '<velocity site="t" kv="3" gear="0 1"/>', '<motor site="g" gear="1 1"/>',
        )
    },
    "actuators of a class": driven(
        '<position joint="k" class="c"/><motor joint="j" class="c"/>',
        '<default><general biasprm="0.1 0 0"/><default class="c"><position kp="7" kv="0.2"/></default></default>',
    ),
    **{
        f"actuators that are off: {option}": driven(
            '<position joint="j" kp="2" group="2" damping="0.5" armature="0.1"/><motor joint="j"/>',
            f"<option {option}",
        )
        for option in ('actuatorgroupdisable="1 2"/>', '><flag actuation="disable"/></option>',
                       'actuatorgroupdisable="2"><flag damper="disable"/></option>')
    },
    "a tendon that is pulled": drawn(
        FIXED.replace("MORE", ""), '<actuator><position tendon="w" kp="3" gear="2"/></actuator>'
    ),
}  # fmt: skip

WEIGHT = (
    "<inertial><pose>0.1 0.2 0.3 0.1 0.2 0.3</pose><mass>2</mass><inertia><ixx>0.3</ixx><ixy>0.01</ixy><ixz>0.02</ixz>"
    "<iyy>0.4</iyy><iyz>0.03</iyz><izz>0.5</izz></inertia></inertial>"
)
AXIS = "<axis><xyz>1 2 3</xyz></axis>"


def sdf(inside: str, version: str = "1.11", around: str = "") -> str:
    model = f'<model name="m"><pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>{inside}</model>'
    inner = around.replace("MODEL", model) or model
    return f'<sdf version="{version}" xmlns:drake="http://drake.mit.edu">{inner}</sdf>'


def link(name: str, more: str = WEIGHT, pose: str = "0.3 0 0.1 0.1 0.2 0.3") -> str:
    return f'<link name="{name}"><pose>{pose}</pose>{more}</link>'


def joint(kind: str, more: str = AXIS, parent: str = "world", child: str = "a", name: str = "j") -> str:
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}"><pose>0.1 0 0 0.2 0 0</pose>{ends}{more}</joint>'


SECOND_LINK = link("b", pose="0 0.5 0 0 0 1")
FOLLOWS = (
    '<axis><xyz>0 1 0</xyz><mimic joint="j" axis="axis2"><multiplier>2</multiplier><offset>0.1</offset>'
    "<reference>0.2</reference></mimic></axis>"
)
TWO_AXES = AXIS + AXIS.replace("axis", "axis2").replace("1 2 3", "0 1 1")
SHAPES = (
    "<box><size>0.1 0.2 0.3</size></box>", "<sphere><radius>0.2</radius></sphere>",
    "<cylinder><radius>0.1</radius><length>0.4</length></cylinder>",
    "<capsule><radius>0.1</radius><length>0.4</length></capsule>", "<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>",
)  # fmt: skip

SDF = {
    **{
        kind: sdf(link("a") + joint(kind))
        for kind in ("revolute", "continuous", "prismatic", "ball", "screw", "fixed")
    },
    "universal": sdf(link("a") + joint("universal", TWO_AXES)),
    "revolute2": sdf(link("a") + joint("revolute2", TWO_AXES)),
    "an axis that is not told": sdf(link("a") + joint("revolute", "<axis/>")),
    "an axis in another frame": sdf(
        link("a") + joint("revolute", '<axis><xyz expressed_in="f">1 2 3</xyz></axis>')
        + '<frame name="f" attached_to="a"><pose relative_to="__model__">0 0 0 0.3 0.2 0.1</pose></frame>'
    ),
    "an axis in the model's, of an old version": sdf(
        link("a")
        + joint("revolute", AXIS.replace("</axis>", "<use_parent_model_frame>1</use_parent_model_frame></axis>")),
        "1.6",
    ),
    "a gearbox": sdf(
        link("a") + SECOND_LINK + joint("revolute", AXIS) + joint("revolute", AXIS, "a", "b", "k")
        + '<joint name="g" type="gearbox"><pose>0.1 0 0 0.2 0 0</pose><parent>world</parent><child>b</child>'
        + '<axis><xyz expressed_in="j">1 2 3</xyz></axis><axis2><xyz>-1 -2 -3</xyz></axis2>'
        + "<gearbox_ratio>-2.5</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body></joint>"
    ),
    "a parent that hangs on its child": sdf(
        link("a") + SECOND_LINK + joint("universal", TWO_AXES, "b", "a") + joint("revolute", AXIS, "world", "a", "k")
    ),
    "a pair that nothing holds": sdf(link("a") + SECOND_LINK + joint("ball", "", "b", "a")),
    "a copy of a second axis": sdf(
        link("a") + SECOND_LINK + joint("universal", TWO_AXES) + joint("prismatic", FOLLOWS, "a", "b", "k")
    ),
    "a loop": sdf(
        link("a") + SECOND_LINK + joint("revolute") + joint("revolute", AXIS, "a", "b", "k")
        + joint("ball", "", "world", "b", "c")
    ),
    "springs": sdf(
        link("a") + joint("prismatic", AXIS.replace("</axis>", "<dynamics><damping>0.3</damping><spring_stiffness>4"
        "</spring_stiffness><spring_reference>0.2</spring_reference></dynamics></axis>"))
    ),
    "a rotor": sdf(
        link("a") + joint(
            "revolute",
            AXIS + "<drake:rotor_inertia>0.1</drake:rotor_inertia><drake:gear_ratio>7</drake:gear_ratio>",
        )
    ),
    "nothing said of inertia": sdf(link("a", "") + joint("revolute")),
    "some said of inertia": sdf(link("a", "<inertial><inertia><ixx>2</ixx></inertia></inertial>") + joint("revolute")),
    **{
        f"what weighs {shape}": sdf(
            link("a", '<inertial auto="true"><density>700</density></inertial><collision name="c">'
            f'<pose relative_to="f">0.1 0 0 0.2 0.3 0</pose><geometry>{shape}</geometry></collision>'
            '<collision name="d"><density>300</density>'
            "<geometry><sphere><radius>0.1</radius></sphere></geometry></collision>")
            + '<frame name="f"><pose>0 0.2 0 0 0.1 0</pose></frame>' + joint("revolute")
        )
        for shape in SHAPES
    },
    "a model within, placed by a frame": sdf(
        link("a") + joint("revolute")
        + '<model name="n" placement_frame="f" canonical_link="b"><pose relative_to="a">0 0.3 0 0.1 0 0</pose>'
        f'{link("c")}{SECOND_LINK}<frame name="f" attached_to="c"><pose>0.1 0.2 0 0 0 0.4</pose></frame>'
        f'{joint("fixed", "", "b", "c", "k")}</model>' + joint("revolute", AXIS, "a", "n", "o")
    ),
    "two models of a world": sdf(
        link("a") + joint("revolute"),
        around=f'<world name="w">MODEL<model name="x"><static>true</static>{link("y")}</model><frame name="f">'
        '<pose relative_to="m::a">0 0 1 0 0 0</pose></frame></world>',
    ),
    "weight that is off": sdf(
        link("a", f"{WEIGHT}<gravity>false</gravity>") + joint("ball", ""),
        around='<world name="w"><gravity>1 2 -3</gravity>MODEL</world>',
    ),
}  # fmt: skip

TEXTS = {"urdf": URDF, "mjcf": MJCF, "sdf": SDF}
