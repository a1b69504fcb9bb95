"""Animations: what is drawn is where the motion has it, at times that are told; pages play and ask for nothing."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.model import Rod, State, System
from mbconcord.model.expressions import evaluate
from mbconcord.model.functions import Definitions
from mbconcord.model.numbers import environment
from mbconcord.reports.animation import page as pages
from mbconcord.reports.animation.page import AnimatedMotion, page
from mbconcord.reports.animation.times import States, choose_times
from mbconcord.simulation.poses import at_point, poses
from mbconcord.validation.witnesses.tracks import check_page
from mbconcord.witnessed import list_assumptions

from .browser import Browser, browser, program

HOSTILE = "</script><img src=x onerror=alert(1)>&quot;"
FIXTURES = (
    "mbsd/double_pendulum.mbsd", "mbsd/four_bar.mbsd", "mbsd/patu655.mbsd", "mbsd/springs.mbsd", "robots/ur5.mbsd",
    "elastic/soft_arm.mbs.json",
)  # fmt: skip


def system(name: str) -> System:
    return read(folder() / name).system


def swinging(model: System, rows: int = 21) -> States:
    """A motion that is known with its derivatives; no dynamics."""
    t = np.linspace(0.0, 2.0, rows)
    start = environment(model, [State()])[0]
    q0 = np.array([start[n] for n in model.coordinate_names], dtype=float)
    w = 1 + np.arange(len(q0)) / max(1, len(q0))
    q, v, a = (
        q0 + 0.2 * np.sin(np.outer(t, w)), 0.2 * w * np.cos(np.outer(t, w)), -0.2 * w**2 * np.sin(np.outer(t, w))
    )  # fmt: skip
    return States(t, q, v, a)


def data(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found[1])


def floats(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype="<f4")


def places(shown: Mapping[str, Any]) -> Any:
    """What tells where a numbered point is in a frame, as the script of the page does."""
    moving = floats(shown["points"]).reshape(-1, shown["moving"], 3) if shown["moving"] else None

    def at(number: int, frame: int) -> np.ndarray:
        return np.array(shown["fixed"][-1 - number]) if number < 0 else moving[frame, number]  # type: ignore[index]

    return at


@pytest.mark.slow
@pytest.mark.parametrize("name", FIXTURES)
def test_what_is_drawn_is_where_the_graph_of_simulation_has_it(name: str) -> None:
    """Joints' bodies, mass centres and ends of elements, in every row, by expressions that reports do not use."""
    model = system(name)
    states = swinging(model, 4)
    shown = data(page(model, AnimatedMotion(replace(states, v=None), name)))
    at, found = places(shown), poses(model)
    definitions = Definitions(model.functions)
    assert floats(shown["t"]) == pytest.approx(states.t, abs=1e-6)
    centres = {shown["bodies"][body]: number for number, body in shown["masses"]}
    elements = [e for e in (*model.forces, *model.constraints) if hasattr(e, "first") and hasattr(e, "law")]
    elements += [e for e in model.constraints if isinstance(e, Rod)]
    ends = {
        "bipolar": [line[1:3] for line in shown["lines"] if line[0] == "bipolar"],
        "rod": [line[1:3] for line in shown["lines"] if line[0] == "rod"],
    }
    for k, (t, q) in enumerate(zip(states.t, states.q, strict=True)):
        values = environment(model, [State(t, dict(zip(model.coordinate_names, q.tolist(), strict=True)))])[0]

        def there(vector: Any, values: Any = values) -> np.ndarray:
            return np.array(evaluate(definitions.apply(vector), values), dtype=float)

        for body in model.bodies:
            if body.name in centres:
                centre = there(found[body.name].shift(body.inertia.centre).r)
                assert at(centres[body.name], k) == pytest.approx(centre, abs=1e-5)
        for element in elements:
            kind = "rod" if isinstance(element, Rod) else "bipolar"
            both = [there(at_point(model, found, point).r) for point in (element.first, element.second)]
            assert any(
                np.allclose(at(i, k), both[0], atol=1e-5) and np.allclose(at(j, k), both[1], atol=1e-5)
                for i, j in ends[kind]
            )


def test_the_page_says_what_it_assumes_of_its_rows() -> None:
    model = system("mbsd/four_bar.mbsd")
    (sentence,) = list_assumptions("animate", ["page"])
    assert f"<p>{sentence}</p>" in page(model, AnimatedMotion(swinging(model), "four_bar"))


LIMITED = """<mujoco model="arm"><compiler angle="radian"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
  <body name="arm" pos="0 0 1"><joint name="elbow" type="hinge" axis="0 1 0" range="-0.5 1" limited="true"/>
    <geom name="skin" size="0.1" mass="1" pos="0.5 0 0"/></body></worldbody></mujoco>
"""
TOLD = ["", "impact elbow_stop", "meets skin_contact", "elbow - 2"]


@pytest.fixture(scope="module")
def limited() -> System:
    laws = ("stop=kelvin_voigt,k=100,c=2", "contact=hunt_crossley,k=1e4,d=0.3")
    return mb.read(text=LIMITED, format="mjcf", assume=laws).system


def test_events_are_listed_with_where_they_are(limited: System) -> None:
    t = np.array([0.0, 0.25, 0.5, 1.0])
    shown = data(page(limited, AnimatedMotion(States(t, t[:, None]), "arm", events=TOLD)))
    assert shown["events"] == [
        [0.25, "impact elbow_stop", [["elbow", 0.25, "rad"]], []],
        [0.5, "meets skin_contact", [], [0]],
        [1.0, "elbow - 2", [], []],
    ]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('[0.25,"impact', '[0.26,"impact'), ('"impact elbow_stop"', '"leaves elbow_stop"'),
        ('0.25,"rad"', '0.26,"rad"'), ('0.25,"rad"', '0.25,"m"'), ('contact",[],[0]]', 'contact",[],[]]'),
        (',[1.0,"elbow - 2",[],[]]', ""),
    ],
)  # fmt: skip
def test_a_witness_reads_the_events_of_a_page(limited: System, right: str, wrong: str) -> None:
    t = np.array([0.0, 0.25, 0.5, 1.0])
    text = page(limited, AnimatedMotion(States(t, t[:, None]), "arm", events=TOLD))
    for html, verdict in ((text, "agrees"), (text.replace(right, wrong), "disagrees")):
        found = {c.quantity: c.verdict for c in check_page(limited, html, t, t[:, None], {}, events=TOLD)}
        assert found["events"] == verdict


def test_every_point_has_its_number() -> None:
    shown = data(page(system("robots/ur5.mbsd"), AnimatedMotion(swinging(system("robots/ur5.mbsd")), "ur5")))
    numbers = [n for line in shown["lines"] for n in line[1:3]] + [n for n, _ in shown["masses"]]
    numbers += [n for joint in shown["joints"] for n in joint[1:3] if n is not None]
    numbers += [n for solid in shown["solids"] for n in solid[1:]] + shown["ground"]
    assert set(numbers) == {*range(-len(shown["fixed"]), shown["moving"])}
    assert len(floats(shown["points"])) == len(floats(shown["t"])) * shown["moving"] * 3


# --- frames ------------------------------------------------------------------------------------------------


def test_a_long_table_is_thinned_evenly_and_this_is_said() -> None:
    t = np.linspace(0, 10, 5001)
    times, q, said = choose_times(States(t, t[:, None]), 600, np.array([1.0]))
    assert len(times) == 600 and times[0] == 0 and times[-1] == 10 and said == "600 of 5,001 rows"
    assert np.array_equal(q[:, 0], times) and np.ptp(np.diff(times)) < 0.0021


def test_between_rows_lie_cubics_through_positions_and_rates() -> None:
    t = np.array([0.0, 0.5, 0.5, 2.0])
    states = States(t, (t**3 - t)[:, None], (3 * t**2 - 1)[:, None], (6 * t)[:, None])
    times, q, said = choose_times(states, 100, np.array([0.02]))
    assert set(t) <= set(times) and len(times) == 1 + 33 * 3
    assert np.all(np.diff(times) >= 0) and q[:, 0] == pytest.approx(times**3 - times, abs=1e-12)
    assert "4 rows, and cubics through their positions and rates" in said


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (States(np.arange(5.0), np.zeros((5, 1))), "5 rows"),
        (States(np.arange(5.0), np.sin(9 * np.arange(5.0))[:, None], np.cos(9 * np.arange(5.0))[:, None] * 9,
                -81 * np.sin(9 * np.arange(5.0))[:, None]), "5 rows, too far apart to draw what is between them"),
        (States(np.arange(2.0), np.zeros((2, 1)), np.full((2, 1), np.nan), np.zeros((2, 1))), "too far apart"),
        (States(np.array([3.0]), np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1))), "1 row"),
    ],
    ids=["rates unknown", "rows too far apart", "a rate that is none", "one row"],
)  # fmt: skip
def test_what_is_not_known_between_rows_is_not_drawn(states: States, words: str) -> None:
    times, q, said = choose_times(states, 100, np.array([0.02]))
    assert np.array_equal(times, states.t) and np.array_equal(q, states.q) and words in said


def test_a_page_holds_no_more_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    model = system("robots/talos.mbsd")
    states = swinging(model, 1000)
    text = page(model, AnimatedMotion(replace(states, v=None), "talos"))
    shown = data(text)
    frames = len(floats(shown["t"]))
    assert frames < 600 and frames * shown["moving"] * 3 <= pages.MOST_NUMBERS
    assert f"Frames: {frames} of 1,000 rows." in text and len(text) < 2_200_000


# --- what a page shows -------------------------------------------------------------------------------------


def test_a_box_has_the_sides_of_the_homogeneous_one() -> None:
    """m = 12, sides 1, 2, 3 m: J = m/12 (b² + c², …) = (13, 10, 5)."""
    model = read_text("z g1-y $12 [13, 10, 5] {0, 0, 0}", format="mbsd").system
    shown = data(page(model, AnimatedMotion(swinging(model), "box")))
    at = places(shown)
    ((_, centre, *ends),) = shown["solids"]
    sides = [2 * np.linalg.norm(at(end, 3) - at(centre, 3)) for end in ends]
    assert sides == pytest.approx([1, 2, 3], rel=1e-5)


def test_boxes_stand_along_the_principal_axes() -> None:
    """In the world J = m/3 (Σ|h|² E - Σ h hᵀ) of the half-axes h of a box: of every body of a robot, R J Rᵀ."""
    model = system("robots/panda.mbsd")
    states = swinging(model, 3)
    shown = data(page(model, AnimatedMotion(replace(states, v=None), "panda")))
    at, found = places(shown), poses(model)
    q = dict(zip(model.coordinate_names, states.q[1].tolist(), strict=True))
    values = environment(model, [State(states.t[1], q)])[0]
    assert len(shown["solids"]) > 8
    for number, centre, *ends in shown["solids"]:
        body = model.bodies[number]
        rows = [evaluate(row, values) for row in (*found[body.name].R, *body.inertia.matrix())]
        R, J = np.array(rows[:3], dtype=float), np.array(rows[3:], dtype=float)
        mass = float(evaluate([body.inertia.mass], values)[0])
        h = np.array([at(end, 1) - at(centre, 1) for end in ends])
        box = mass / 3 * (np.sum(h * h) * np.eye(3) - h.T @ h)
        if min(np.linalg.eigvalsh(J)) * 2 < np.trace(J):  # else no box has it
            assert box == pytest.approx(R @ J @ R.T, abs=1e-3 * np.trace(J))


@pytest.mark.parametrize(
    ("text", "flat", "toward"),
    [
        ("z i > z i ; g-y", True, (0, 0, 1)),
        ("y i > y i ; g-z", True, (0, -1, 0)),
        ("x j > x j ; g-z", True, (1, 0, 0)),
        ("z i > y i ; g-z", False, None),
    ],
)
def test_planar_mechanisms_face_who_looks(text: str, flat: bool, toward: tuple[int, ...] | None) -> None:
    model = read_text(text, format="mbsd").system
    shown = data(page(model, AnimatedMotion(swinging(model), "flat")))
    assert shown["flat"] is flat
    right, up, eye = np.array(shown["axes"])
    assert np.cross(right, up) == pytest.approx(eye) and np.linalg.norm(eye) == pytest.approx(1)
    assert toward is None or tuple(eye) == toward
    assert np.dot(up, shown["gravity"]) < 0


@pytest.mark.parametrize(
    ("duration", "rate"),
    [(10.0, 1), (2.0, 1), (60.0, 1), (0.05, 0.005), (1.0, 0.1), (1e4, 1000), (0.0, 1), (0.3, 0.02)],
)
def test_a_run_is_played_in_comfortable_time(duration: float, rate: float) -> None:
    assert pages._rate(duration) == pytest.approx(rate)


def test_what_falls_far_is_followed() -> None:
    model = read_text("u z i", format="mbsd").system
    t = np.linspace(0, 1, 5)
    near, far = (np.stack([k * t, t], axis=1) for k in (1.0, 100.0))
    assert not data(page(model, AnimatedMotion(States(t, near), "near")))["follow"]
    assert data(page(model, AnimatedMotion(States(t, far), "far")))["follow"]


def test_the_coordinates_that_move_most_are_plotted_beside_the_energies() -> None:
    model = system("robots/talos.mbsd")
    states = swinging(model, 5)
    q = states.q * np.linspace(0, 1, states.q.shape[1])
    energies = {"kinetic": np.array([5.0, 4, 3, 2, 1]), "work": np.full(5, np.nan)}
    shown = data(page(model, AnimatedMotion(States(states.t, q), "talos", energies=energies)))
    assert [plot["title"] for plot in shown["plots"]] == ["energies, J", "6 of 32 coordinates, rad"]
    ((name, kinetic),) = shown["plots"][0]["lines"]
    assert name == "kinetic" and floats(kinetic).tolist() == [5, 4, 3, 2, 1]
    reach = dict(zip(model.coordinate_names, np.ptp(q, axis=0), strict=True))
    assert {n for n, _ in shown["plots"][1]["lines"]} == set(sorted(reach, key=lambda n: -reach[n])[:6])


class Attributes(HTMLParser):
    """Names of tags and of their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}


def hostile() -> System:
    """Names that would end a script, and a title that would be an element."""
    model = system("mbsd/double_pendulum.mbsd")
    first, second = model.bodies
    bodies = (replace(first, name=HOSTILE), replace(second, parent=HOSTILE))
    return replace(model, name=f"<b>{HOSTILE}", bodies=bodies)


def test_names_are_escaped_and_nothing_is_loaded() -> None:
    model = hostile()
    text = page(model, AnimatedMotion(swinging(model), f"Motion of {model.name}", [HOSTILE]))
    assert text.count("</script>") == 2 and "<img" not in text and "<b>" not in text
    assert data(text)["bodies"][0] == HOSTILE
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    assert "://" not in text and not re.search(r"\b(url|import|fetch|XMLHttpRequest|WebSocket)\s*\(", text)
    found = Attributes()
    found.feed(text)
    assert not {"src", "href", "onerror", "srcset", "action"} & found.names and "img" not in found.tags


def test_the_same_motion_gives_the_same_bytes() -> None:
    model = system("mbsd/four_bar.mbsd")
    one, two = (page(model, AnimatedMotion(swinging(model), "twice")) for _ in range(2))
    assert one == two


# --- in a browser ------------------------------------------------------------------------------------------

needs_browser = pytest.mark.skipif(program() is None, reason="Chromium, which opens the page, is not installed")
INKED = """(() => { const own = document.getElementById('scene'), copy = document.createElement('canvas');
copy.width = own.width; copy.height = own.height;
const pen = copy.getContext('2d', { willReadFrequently: true }); pen.drawImage(own, 0, 0);
const d = pen.getImageData(0, 0, copy.width, copy.height).data;
let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()"""
#: Where the scene has the mass centre that is farthest to the right.
MASS = """(() => { const own = document.getElementById('scene'), copy = document.createElement('canvas');
copy.width = own.width; copy.height = own.height;
const pen = copy.getContext('2d', { willReadFrequently: true }); pen.drawImage(own, 0, 0);
const d = pen.getImageData(0, 0, copy.width, copy.height).data;
const mass = i => d[4 * i] === 179 && d[4 * i + 1] === 84 && d[4 * i + 2] === 30;
const dots = [...Array(d.length / 4).keys()].filter(mass);
const right = dots.reduce((a, b) => b % copy.width > a % copy.width ? b : a);
return [right % copy.width, Math.floor(right / copy.width)]; })()"""
SHOWN = "document.getElementById('scene').toDataURL()"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


def quiet(at: Browser) -> None:
    """It had nothing to complain of, asked for nothing, and is no wider than the screen."""
    assert at.said == [] and at.asked == []
    assert at.value("document.documentElement.scrollWidth <= innerWidth")


@needs_browser
@pytest.mark.slow
def test_an_event_that_is_clicked_is_shown(opened: Browser, tmp_path: Path, limited: System) -> None:
    t = np.array([0.0, 0.25, 0.5, 1.0])
    motion = AnimatedMotion(States(t, t[:, None]), "arm", events=TOLD)
    (tmp_path / "e.html").write_text(page(limited, motion), encoding="utf-8")
    opened.open(tmp_path / "e.html")
    assert opened.value("document.querySelectorAll('#events li').length") == 3
    seen = [opened.value(SHOWN)]
    opened.value("document.querySelectorAll('#events button')[1].click()")
    assert opened.value("document.body.dataset.frame") == "2" and opened.value(SHOWN) not in seen
    said = "document.querySelector('#events .past button').textContent"
    assert opened.value(said) == "0.250000 s: impact elbow_stop, elbow = 0.2500 rad"
    assert opened.value("document.querySelectorAll('#events .past').length") == 2
    assert opened.value("getComputedStyle(document.querySelector('#events li'), '::before').content") == "none"
    quiet(opened)


@needs_browser
@pytest.mark.slow
def test_it_plays_turns_and_goes_where_the_slider_is(opened: Browser, tmp_path: Path) -> None:
    model = system("mbsd/four_bar.mbsd")
    states = swinging(model)
    energies = {"kinetic": np.sum(states.v**2, axis=1)} if states.v is not None else {}
    (tmp_path / "a.html").write_text(
        page(model, AnimatedMotion(states, "Four-bar", energies=energies)), encoding="utf-8"
    )
    opened.open(tmp_path / "a.html")
    assert opened.value(INKED) > 1000
    seen = [opened.value(SHOWN)]
    pictures = [opened.picture()]
    for act in (
        lambda: opened.value("document.getElementById('play').click()"),
        lambda: opened.key(" "),
        lambda: opened.value("(t => { t.value = t.max; t.oninput(); })(document.getElementById('time'))"),
        lambda: opened.drag((400, 400), (480, 430)),
        lambda: opened.wheel((400, 400), -300),
        lambda: opened.value("document.getElementById('reset').click()"),
    ):
        act()
        if len(seen) == 1:
            opened.until("+document.body.dataset.frame > 3")
        seen.append(opened.value(SHOWN))
        pictures.append(opened.picture())
        assert opened.value(INKED) > 1000
    assert all(a != b for a, b in pairwise([*seen[:2], *seen[3:]])) and len(set(pictures)) >= 6
    assert opened.value("document.getElementById('play').textContent") == "Play", "Space has stopped it"
    opened.value("document.getElementById('speed').value = '4'; document.getElementById('play').click()")
    last = opened.value("+document.getElementById('time').max")
    for part in ("< 0.3", "> 0.6", "< 0.3"):
        opened.until(f"document.body.dataset.frame / {last} {part}")
    opened.key(" ")
    assert opened.value("document.getElementById('time').getAttribute('aria-valuetext')").endswith(" s")
    quiet(opened)


@needs_browser
@pytest.mark.slow
def test_keys_fingers_and_clicks(opened: Browser, tmp_path: Path) -> None:
    """Arrows turn, two fingers zoom, Shift moves, a click on a mass centre traces it, one on a plot goes there."""
    model = system("mbsd/double_pendulum.mbsd")
    (tmp_path / "k.html").write_text(page(model, AnimatedMotion(swinging(model), "keys")), encoding="utf-8")
    opened.open(tmp_path / "k.html")
    opened.value("document.getElementById('scene').focus()")
    left, top = opened.value("(r => [r.left, r.top])(document.getElementById('scene').getBoundingClientRect())")
    seen = [opened.value(SHOWN)]
    for act in (
        lambda: opened.key("ArrowLeft"),
        lambda: opened.key("ArrowUp"),
        lambda: opened.key("+"),
        lambda: opened.touch(((300, 400), (400, 400)), ((250, 400), (450, 420))),
        lambda: opened.drag((left + 50, top + 50), (left + 90, top + 80)),
    ):
        act()
        seen.append(opened.value(SHOWN))
    assert len(set(seen)) == len(seen)
    opened.key("0")
    assert opened.value(SHOWN) == seen[0], "as it was at first"
    x, y = opened.value(MASS)
    opened.drag((left + 50, top + 50), (left + 80, top + 70), shift=True)
    assert opened.value(MASS) == pytest.approx([x + 30, y + 20], abs=2), "moved with the hand"
    opened.key("0")
    for _ in range(4):
        opened.key("ArrowRight")
    assert x - opened.value(MASS)[0] > 5, "a plane that is turned is narrower"
    opened.key("0")
    opened.value("(s => { s.value = ''; s.onchange({ target: s }); })(document.getElementById('trace'))")
    bare = opened.value(INKED)
    x, y = opened.value(MASS)
    opened.drag((left + x, top + y), (left + x, top + y))
    assert opened.value("document.getElementById('trace').value") == "1" and opened.value(INKED) > bare
    px, py = opened.value("(r => [r.right - 6, r.top + 40])(document.querySelector('.plot').getBoundingClientRect())")
    opened.drag((px, py), (px, py))
    assert opened.value("document.body.dataset.frame === document.getElementById('time').max")
    quiet(opened)


@needs_browser
@pytest.mark.slow
def test_hostile_names_are_text(opened: Browser, tmp_path: Path) -> None:
    model = hostile()
    (tmp_path / "h.html").write_text(page(model, AnimatedMotion(swinging(model), model.name)), encoding="utf-8")
    opened.open(tmp_path / "h.html")
    assert opened.value("document.querySelector('h1').textContent") == f"<b>{HOSTILE}"
    assert opened.value("document.querySelectorAll('img, b').length") == 0
    assert opened.value("[...document.getElementById('trace').options].map(o => o.text)")[2] == HOSTILE
    quiet(opened)


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)], ids=["wide and light", "narrow and dark"])
def test_mechanisms_of_every_kind_are_drawn(opened: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    for name in FIXTURES:
        model = system(name)
        (tmp_path / "m.html").write_text(page(model, AnimatedMotion(swinging(model), name)), encoding="utf-8")
        opened.open(tmp_path / "m.html", width, dark)
        for solids in ("", "box", "ball"):
            opened.value(f"(s => {{ s.value = '{solids}'; s.onchange(); }})(document.getElementById('solids'))")
            assert opened.value(INKED) > 1000
        back = opened.value("getComputedStyle(document.body).backgroundColor")
        assert back == ("rgb(18, 24, 31)" if dark else "rgb(255, 255, 255)")
        quiet(opened)
