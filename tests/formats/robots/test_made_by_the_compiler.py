"""What MuJoCo's compiler makes of masses and frames: bounds, totals, fusing, aligned bodies; by MuJoCo itself."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import mbconcord

BARE = 'pos="0.2 -0.3 0.4" euler="30 20 10"'
BOUNDS = '<compiler boundmass="1" boundinertia="0.1" MORE/>'
BOX = '<geom type="box" size=".1 .2 .3" pos="0.1 0 0" euler="10 20 30"/>'
SOLID = '<inertial pos="0.1 0.2 0" mass="2" MORE/>'
WITHOUT = {
    "moved": f"<body {BARE}><joint/></body>",
    "in a frame": f'<body><joint/>{BOX}<frame pos="1 0 0" euler="0 0 90"><body {BARE}><joint/></body></frame></body>',
    "on another": f"<body {BARE}><joint/><body {BARE}/></body>",
    "free": f"<body {BARE}><freejoint/></body>",
    "with shapes that weigh nothing": f'<body {BARE}><joint/><geom size=".1" pos="3 3 3" mass="0"/></body>',
}
FRAMES = {
    "the largest last": SOLID.replace("MORE", 'diaginertia="0.1 0.2 0.3" euler="10 20 30"'),
    "equal moments": SOLID.replace("MORE", 'diaginertia="0.1 0.1 0.1" euler="10 20 30"'),
    "a full tensor": SOLID.replace("MORE", 'fullinertia="0.1 0.2 0.25 0.01 0 0.02"'),
    "a ball": '<geom size=".1" pos="0.1 0 0" euler="10 20 30"/>',
    "a capsule between two points": '<geom type="capsule" size=".1" fromto="0 0 0 .1 .2 .3"/>',
    "two geoms": f'{BOX}<geom size=".2" pos="0 0.3 0"/>',
    "a fixed body on it": f'{BOX}<body pos="0.5 0.1 0" euler="0 0 40">{BOX}</body>',
    "a moved body on it": f'{BOX}<body pos="0.5 0.1 0" euler="0 0 40"><joint/>{BOX}</body>',
}
TWO = (
    '<worldbody><body name="s" pos="1 1 1" MORE><geom size=".1"/><site name="p"/></body><body><geom size=".2"/></body>'
    '<body name="b"><joint/><geom size=".1" pos="1 0 0"/><body pos="0 1 0"><geom size=".1"/></body></body></worldbody>'
)
REFERRED = {
    "nothing refers": ("", ""),
    "a pair of bodies": ("", '<contact><exclude body1="s" body2="b"/></contact>'),
    "a weld": ("", '<equality><weld body1="b" body2="s" active="false"/></equality>'),
    "a sensor of a body": ("", '<sensor><framepos objtype="body" objname="s"/></sensor>'),
    "a sensor of force": ("", '<sensor><force site="p"/></sensor>'),
    "mocap": ('mocap="true"', ""),
    "held up": ('gravcomp="1"', ""),
}
ON = (
    '<worldbody><body name="a" pos="1 2 3" euler="10 20 30"><freejoint align="true"/>'
    f'{BOX}<site name="s" pos=".1 .2 .3" euler="30 40 50"/></body><site name="g" pos="0 0 2"/></worldbody>'
)
STANDS = {
    "a tendon": '<tendon><spatial stiffness="30"><site site="s"/><site site="g"/></spatial></tendon>',
    "a point": '<equality><connect name="c" body1="a" anchor="0.1 0.2 0.3"/></equality>',
    "a point of sites": '<equality><connect name="c" site1="s" site2="g"/></equality>',
    "a weld": '<equality><weld name="c" body1="a" anchor="0.1 0.2 0.3"/></equality>',
    "a weld of sites": '<equality><weld name="c" site1="s" site2="g"/></equality>',
}
TEXTS = {
    **{f"{name} on an aligned body": f"<mujoco>{ON}{more}</mujoco>" for name, more in STANDS.items()},
    **{
        f"{name}, {more or 'bounds'}": f"<mujoco>{BOUNDS.replace('MORE', more)}<worldbody>{body}</worldbody></mujoco>"
        for (name, body), more in product(WITHOUT.items(), ("", 'settotalmass="9"', 'alignfree="true"'))
    },
    **{
        f"{name}, fused: {fused}": f'<mujoco><compiler alignfree="true" fusestatic="{fused}"/><worldbody>'
        f'<body pos="1 2 3" euler="40 0 0"><freejoint/>{more}</body></worldbody></mujoco>'
        for (name, more), fused in product(FRAMES.items(), ("true", "false"))
    },
    **{
        f"{name}, fused: {fused}, a total": f'<mujoco><compiler settotalmass="12" fusestatic="{fused}"/>'
        f"{TWO.replace('MORE', more)}{after}</mujoco>"
        for (name, (more, after)), fused in product(REFERRED.items(), ("true", "false"))
    },
}


@pytest.mark.parametrize("name", TEXTS)
def test_mujoco_makes_the_same(name: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="compares with MuJoCo, which is not installed")
    if mujoco.__version__ < "4" and "fused: true" in name:
        pytest.skip(f"MuJoCo {mujoco.__version__} fuses other bodies than 4.0")
    path = tmp_path / "model.xml"
    path.write_text(TEXTS[name], encoding="utf-8")
    reading = mbconcord.read(path)
    assert not [o for o in reading.system.omissions if o.acts]
    found = mbconcord.check(path, formalisms=["newton_euler"], states=2, claims=(), against="mujoco")
    verdicts = {c.quantity: c.verdict for c in found.comparisons if c.claim == "mujoco"}
    assert {"M", "h", "gravity", "applied"} <= verdicts.keys()
    assert {*verdicts.values()} <= {"agrees", "agrees, zero"}
