"""The page in a browser: what a person who has never used a shell does with two robots, and with one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mbconcord.converters.registry import read, write
from mbconcord.fixtures import folder

from ..reports.browser import Browser, browser, program

pytest.importorskip("starlette", reason="the extra [view] is not installed: starlette")
pytest.importorskip("uvicorn", reason="the extra [view] is not installed: uvicorn")
pytestmark = [
    pytest.mark.slow, pytest.mark.skipif(program() is None, reason="there is no Chromium to show the page in"),
]  # fmt: skip


#: The rules of accessibility, axe-core: https://www.npmjs.com/package/axe-core, of the Mozilla Public License.
AXE = Path(os.environ.get("AXE_CORE") or Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js")


@contextmanager
def serve() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a server, and give its process and its address."""
    server = subprocess.Popen(
        [sys.executable, "-m", "mbconcord", "view", "--no-browser", "--json"], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        yield server, json.loads(server.stdout.readline())["address"]
    finally:
        server.terminate()
        server.wait()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with serve() as (_, address), browser(tmp_path_factory.mktemp("profile")) as found:
        found.call("DOM.enable")
        found.address = address  # type: ignore[attr-defined]
        yield found


def show(page: Browser, *files: Path, width: int = 1280, dark: bool = False) -> None:
    """Open the page anew and give it files as the button does, each by itself as a person drops one after the other."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    page.call("Emulation.setDeviceMetricsOverride", **size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    page.call("Emulation.setEmulatedMedia", features=[scheme])
    page.call("Page.navigate", url=page.address)  # type: ignore[attr-defined]
    page.until("document.body && document.body.dataset.ready === 'yes' && !document.body.dataset.models")
    for k, file in enumerate(files, 1):
        root = page.call("DOM.getDocument")["root"]["nodeId"]
        node = page.call("DOM.querySelector", nodeId=root, selector="#files")["nodeId"]
        page.call("DOM.setFileInputFiles", files=[str(file)], nodeId=node)
        page.until(f"document.body.dataset.models === '{k}'")
        page.until("!document.body.dataset.working")


def text_of(page: Browser, selector: str) -> Any:
    return page.value(f"(document.querySelector({selector!r}) || {{}}).textContent")


def click(page: Browser, label: str) -> None:
    page.value(f"[...document.querySelectorAll('button')].find(b => b.textContent.startsWith({label!r})).click()")


@pytest.fixture(scope="module")
def robots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A UR5 and another whose last wrist is heavier."""
    home = tmp_path_factory.mktemp("robots")
    one = write(read(folder() / "robots/ur5.mbsd").system, "urdf").text
    other = '<mass value="0.25"/>'.join(one.rsplit('<mass value="0.1879"/>', 1))
    assert other != one
    for name, content in (("ur5.urdf", one), ("ur5_heavy.urdf", other)):
        (home / name).write_text(content, "utf-8")
    return home / "ur5.urdf", home / "ur5_heavy.urdf"


def middle(page: Browser, selector: str) -> tuple[float, float]:
    """The middle of what a selector finds, where a person points at it."""
    x, y = page.value(
        f"(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'nearest'}});"
        " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
    )
    return x, y


def rest(page: Browser, models: int) -> None:
    """Wait until so many models are shown and nothing works."""
    page.until(f"document.body.dataset.models === '{models}' && !document.body.dataset.working")


def keep(page: Browser, name: str) -> None:
    """Keep a picture of the page for docs, if the environment asks for it: VIEW_PICTURES=docs/pictures."""
    if home := os.environ.get("VIEW_PICTURES"):
        Path(home, name).write_bytes(page.picture("webp"))


def test_two_robots_are_dropped_the_wrist_is_lit_its_cause_read_and_the_report_saved(
    page: Browser, robots: tuple[Path, Path], tmp_path: Path
) -> None:
    """As a person does who has never used a shell, with the mouse alone: drop, look, read, save."""
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    show(page)
    keep(page, "view_empty.webp")
    page.drop(middle(page, "#empty"), *robots)
    rest(page, 2)
    assert text_of(page, ".verdict") == "not the same machine"
    assert "The cause: wrist_3_link mass, 0.1879 in A and 0.25 in B." in text_of(page, "#pane")
    lit = page.value("models.map(m => [...m.lit].map(k => m.facts.bodies[k].name))")
    assert lit == [["wrist_3_link"], ["wrist_3_link"]]
    keep(page, "view.webp")
    page.press(middle(page, "#overlay"))
    assert page.value("[...document.querySelectorAll('figure')].filter(f => !f.hidden).length") == 1
    page.press(middle(page, "#pane button.main"))
    page.until("document.getElementById('said').textContent === 'Saved: compare.txt'")
    while not (tmp_path / "compare.txt").is_file():
        page.value("0")
    assert "wrist_3_link mass" in (tmp_path / "compare.txt").read_text("utf-8")
    keep(page, "view_saved.webp")
    assert page.value("pair.found.command") == "mbconcord compare ur5.urdf ur5_heavy.urdf --why"
    assert page.said == []


@pytest.mark.parametrize(
    ("old", "new"), [('xyz="0 0.093 0"', 'xyz="0 0.0931 0"'), ('name="q5"', 'name="bend"')], ids=["joint", "name"]
)
def test_a_joint_that_differs_is_lit_in_both_pictures(
    page: Browser, robots: tuple[Path, Path], tmp_path: Path, old: str, new: str
) -> None:
    """Also where it has another name in the other file, and what differs is moved along with it."""
    other = tmp_path / "other.urdf"
    text = robots[0].read_text("utf-8").replace(old, new).replace('xyz="0 0.093 0"', 'xyz="0 0.0931 0"')
    other.write_text(text, "utf-8")
    show(page, robots[0], other)
    assert text_of(page, ".verdict").startswith("not the same machine")
    assert page.value("models.map(m => [...m.joints])") == [["q5"], ["bend" if "bend" in new else "q5"]]


def test_a_changed_parameter_is_seen_in_the_picture_and_the_numbers(page: Browser, tmp_path: Path) -> None:
    model = tmp_path / "маятник.mbsd"
    model.write_text("z i(l) $(m) g9.81-y ; l=1, m=2", "utf-8")
    show(page, model)
    click(page, "Model")
    before = page.value("JSON.stringify(models[0].facts.picture.fixed)")
    page.value(
        "(() => { const l = [...document.querySelectorAll('label.coordinate')].find(x => x.textContent.startsWith('l'))"
        ".querySelector('input'); l.value = '2'; l.dispatchEvent(new Event('change')); })()"
    )
    page.until("models[0].numbers && !models[0].moving")
    assert page.value("models[0].numbers.numbers.M[0][0]") == pytest.approx(8)
    assert page.value("JSON.stringify(models[0].facts.picture.fixed)") != before


@contextmanager
def own_server(page: Browser) -> Iterator[subprocess.Popen[str]]:
    """A server for one test alone, which may kill it or its processes; the page leaves it before it stops."""
    kept = page.address  # type: ignore[attr-defined]
    with serve() as (server, page.address):  # type: ignore[attr-defined]
        try:
            yield server
        finally:
            page.address = kept  # type: ignore[attr-defined]
            page.call("Page.navigate", url="about:blank")


@pytest.mark.parametrize("touched", [True, False], ids=["touched", "untouched"])
def test_a_server_that_stops_is_said_on_the_page(page: Browser, robots: tuple[Path, Path], touched: bool) -> None:
    with own_server(page) as server:
        show(page, robots[0])
        server.kill()
        server.wait()
        if touched:
            click(page, "Check again")
        page.until("document.getElementById('said').className === 'bad'")
        assert "it has been stopped" in text_of(page, "#said")
        assert page.value("!document.body.dataset.working")
    page.said.clear()


def test_a_second_tab_has_models_of_its_own(page: Browser, robots: tuple[Path, Path], tmp_path: Path) -> None:
    """It is opened without the token, as a person does who copies the address from the first."""
    show(page, robots[0])
    with page.second(page.value("location.href")):
        page.until("document.body && document.body.dataset.ready === 'yes'")
        assert page.value("models.length") == 0
        page.drop(middle(page, "#empty"), robots[1])
        rest(page, 1)
        assert page.value("models[0].name") == "ur5_heavy.urdf" and text_of(page, ".verdict") == "agrees"
    assert page.value("models.map(m => m.name)") == ["ur5.urdf"]
    click(page, "Check again")
    page.until("!document.body.dataset.working")
    assert text_of(page, ".verdict") == "agrees"


def kill_workers(server: int) -> None:
    """Kill the processes that the server's own process for forking has forked."""
    for forking in Path(f"/proc/{server}/task/{server}/children").read_text().split():
        for worker in Path(f"/proc/{forking}/task/{forking}/children").read_text().split():
            os.kill(int(worker), signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children of a process are found in /proc alone")
def test_a_killed_process_is_said_and_the_page_goes_on(page: Browser, robots: tuple[Path, Path]) -> None:
    with own_server(page) as server:
        show(page, robots[0])
        click(page, "Check again")
        while page.value("document.body.dataset.working"):
            kill_workers(server.pid)
        assert text_of(page, ".verdict") == "stopped" and "was ended" in text_of(page, "#pane")
        click(page, "Check again")
        page.until("!document.body.dataset.working")
        assert text_of(page, ".verdict") == "agrees"
        click(page, "State")
        kill_workers(server.pid)
        click(page, "Numbers here")
        page.until("models[0].numbers || document.getElementById('said').className === 'bad'")
        click(page, "Numbers here")
        page.until("models[0].numbers && !models[0].moving")
    assert page.said == []


def test_bad_files_are_said_and_the_next_one_is_read(page: Browser, robots: tuple[Path, Path], tmp_path: Path) -> None:
    laughs = '<!ENTITY a "ha">' + "".join(f'<!ENTITY {b} "{f"&{a};" * 99}">' for a, b in pairwise("abcdefghi"))
    (tmp_path / "bomb.urdf").write_text(f'<!DOCTYPE robot [{laughs}]><robot name="&i;"/>', "utf-8")
    (tmp_path / "binary.urdf").write_bytes(bytes(range(256)) * 40)
    with (tmp_path / "large.urdf").open("wb") as large:
        large.truncate(200_000_000)
    (tmp_path / "many").mkdir()
    for k in range(200):
        (tmp_path / f"many/{k}.urdf").write_bytes(robots[0].read_bytes())
    show(page)
    for name in ("bomb", "binary"):
        page.drop(middle(page, "header"), tmp_path / f"{name}.urdf")
        page.until(f"models.some(m => m.name === '{name}.urdf')")
        assert text_of(page, ".verdict") == "not read" and text_of(page, "#said")
        assert "Mend the file and drop it again" in text_of(page, "#more")
    page.drop(middle(page, "header"), tmp_path / "large.urdf")
    page.until("document.getElementById('said').textContent.includes('200 MB; at most 100 MB')")
    page.drop(middle(page, "header"), tmp_path / "many")
    page.until("!document.getElementById('choice').hidden")
    assert page.value("document.querySelectorAll('#choice button').length") == 200
    page.key("Enter")
    rest(page, 1)
    page.until("models[0].name.startsWith('many/')")
    page.until("!document.body.dataset.working")
    assert text_of(page, ".verdict") == "agrees"
    assert page.said == []


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not at hand: npm install axe-core, or set AXE_CORE")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_rules_of_accessibility_hold_on_every_tab(page: Browser, robots: tuple[Path, Path], dark: bool) -> None:
    """Before anything is dropped, with two models, and with one of which numbers, losses and a motion are shown."""

    def require(what: str) -> None:
        page.until("!document.body.dataset.working && !models.some(m => m.moving)")
        found = "axe.run(document).then(r => r.violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 120))]))"
        assert page.value(found) == [], what

    rules = AXE.read_text("utf-8") + ";0"
    for files in ((), robots, robots[:1]):
        show(page, *files, dark=dark)
        page.value(rules)
        require("the page")
        for tab in ("Model", "State", "Check", "Convert", "Motion") if files else ():
            page.value(f"document.getElementById('tab{tab}').click()")
            if len(files) == 1 and tab != "Check":
                page.value("(document.querySelector('#pane button.main') || document.body).click()")
            if tab == "State":
                click(page, "Numbers here")
                page.until("models.some(m => m.numbers)")
            require(tab)


def test_one_robot_is_seen_checked_moved_converted_and_played(page: Browser, robots: tuple[Path, Path]) -> None:
    show(page, robots[0])
    assert text_of(page, ".verdict") == "agrees"
    click(page, "Save the report")
    page.until("document.getElementById('said').textContent === 'Saved: report.html'")
    click(page, "State")
    before = page.value("JSON.stringify(models[0].facts.picture.fixed)")
    page.value(
        "(() => { const s = document.querySelector('input[type=range]'); s.value = 1;"
        " s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change')); })()"
    )
    page.until("models[0].numbers && !models[0].moving")
    assert page.value("JSON.stringify(models[0].facts.picture.fixed)") != before
    assert page.value("models[0].numbers.q.q1") == pytest.approx(1, abs=0.01)
    click(page, "Convert")
    page.value("document.querySelector('#pane select').value = 'mjcf'")
    page.value("document.querySelector('#pane button.main').click()")
    page.until("models[0].results.convert && !document.body.dataset.working")
    assert text_of(page, ".verdict") == "read back: the same machine"
    assert "lost in" in text_of(page, "#pane") and text_of(page, "a.save").startswith("Save ur5_mjcf")
    click(page, "Motion")
    page.value("document.querySelector('#pane input').value = '0.1'")
    page.value("document.querySelector('#pane button.main').click()")
    page.until("(models[0].results.motion || {}).played || document.querySelector('#pane .bad')")
    assert page.value("document.querySelectorAll('.plot').length") >= 2
    assert page.said == []


@pytest.fixture(scope="module")
def russian(robots: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The two robots with long Russian names of files and bodies."""
    home = tmp_path_factory.mktemp("роботы")
    for robot, file in zip(robots, ("рука.urdf", "тяжёлая рука.urdf")):
        (home / file).write_text(robot.read_text("utf-8").replace("wrist_3_link", "кисть_руки_шестого_звена"), "utf-8")
    return home / "рука.urdf", home / "тяжёлая рука.urdf"


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, False), (1280, True), (390, True)])
def test_it_fits_a_narrow_screen_and_a_dark_one(
    page: Browser, robots: tuple[Path, Path], russian: tuple[Path, Path], width: int, dark: bool
) -> None:
    """With two models whose names are long and Russian, and with one whose numbers are wide."""
    for files in (russian, robots[:1]):
        show(page, *files, width=width, dark=dark)
        for tab in [*(["Compare"] if len(files) == 2 else []), "Model", "State", "Check", "Convert", "Motion"]:
            click(page, tab)
            if tab == "State":
                click(page, "Numbers here")
                page.until("models[current].numbers && !models[current].moving")
            assert page.value("document.documentElement.scrollWidth <= innerWidth"), tab
    back = page.value("getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") is not dark


def test_russian_names_are_on_the_page_in_its_files_and_in_what_is_copied(
    page: Browser, russian: tuple[Path, Path], tmp_path: Path
) -> None:
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    show(page, *russian)
    assert "The cause: кисть_руки_шестого_звена mass" in text_of(page, "#pane")
    assert page.value("pair.found.command") == "mbconcord compare 'рука.urdf' 'тяжёлая рука.urdf' --why"
    click(page, "Convert")
    page.value("document.querySelector('#pane select').value = 'sdf'")
    page.value("document.querySelector('#pane button.main').click()")
    page.until("models[1].results.convert && !document.body.dataset.working")
    page.value("document.querySelector('a.save').click()")
    while not (saved := [p for p in tmp_path.iterdir() if p.suffix == ".sdf"]):
        page.value("0")
    assert saved[0].name == "тяжёлая рука_sdf.sdf" and "кисть_руки" in saved[0].read_text("utf-8")


def test_what_a_model_says_is_text_and_a_broken_one_names_its_line(page: Browser, tmp_path: Path) -> None:
    bad = tmp_path / "плечо <img src=x onerror=alert(1)>.urdf"
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    name = "&lt;img src=x onerror=document.title=1&gt;"
    bad.write_text(f'<robot name="r"><link name="{name}">{mass}</link></robot>', "utf-8")
    show(page, bad)
    click(page, "Model")
    assert "<img src=x onerror=document.title=1>" in text_of(page, ".tree")
    assert page.value("document.images.length") == 0 and page.value("document.title") == "mbconcord view"
    broken = tmp_path / "broken.urdf"
    broken.write_text('<robot name="r">\n<link name="a">\n</robot>', "utf-8")
    show(page, broken)
    assert text_of(page, ".verdict") == "not read"
    assert "line 3" in text_of(page, "#pane") or "line 2" in text_of(page, "#pane")


def go(page: Browser, name: str, role: str = "") -> None:
    """Press Tab until what has the focus has a name that begins so, and the role if one is given."""
    named = "e.getAttribute('aria-label') || (e.labels && e.labels[0] || e).textContent"
    for _ in range(200):
        found, own = page.value(f"(e => [{named}, e.getAttribute('role') || ''])(document.activeElement)")
        if found.strip().startswith(name) and role in ("", own) and (role or own != "tab"):
            return
        page.key("Tab")
    raise AssertionError(f"Tab does not reach {name}")


def go_to_tab(page: Browser, name: str) -> None:
    """Go to the row of tabs, and along it with the arrows."""
    go(page, page.value("tab"), "tab")
    while page.value("tab") != name:
        page.key("ArrowRight")
        assert page.value("document.activeElement.id") == f"tab{page.value('tab')}"


def type_in(page: Browser, text: str) -> None:
    """Type over what the focused box holds."""
    page.value("document.activeElement.select()")
    for letter in text:
        page.key(letter)


def test_the_keyboard_alone_walks_the_seven_ways(page: Browser, tmp_path: Path) -> None:
    """One model, its check, two models, conversion, motion, what is copied, and parameters: nothing is clicked."""
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    one, other = tmp_path / "one.mbsd", tmp_path / "other.mbsd"
    one.write_text("z i(arm) $(m) > z i(arm) $(m) g9.81-y ; arm=1, m=2", "utf-8")
    other.write_text("z i(arm) $(m) > z i(arm) $(3) g9.81-y ; arm=1, m=2", "utf-8")
    show(page)
    page.call("Page.setInterceptFileChooserDialog", enabled=True)
    try:
        go(page, "Open files…")
        page.key("Enter")
        page.choose(one)
        rest(page, 1)
        assert text_of(page, ".verdict") == "agrees"
        go(page, "Save the report")
        page.key("Enter")
        page.until("document.getElementById('said').textContent === 'Saved: report.html'")
        go_to_tab(page, "Model")
        go(page, page.value("models[0].facts.bodies[0].name"))
        assert page.value("[...models[0].lit]") == [0]
        go(page, "arm")
        type_in(page, "2")
        page.key("Enter")
        page.until("models[0].set.arm === '2' && models[0].numbers && !models[0].moving")
        assert page.value("models[0].numbers.numbers.M[1][1]") == pytest.approx(8)
        go_to_tab(page, "State")
        go(page, "z1")
        for _ in range(3):
            page.key("ArrowRight")
        page.until("!models[0].moving")
        assert page.value("models[0].q.z1") > 0 and page.value("document.activeElement.type") == "range"
        go_to_tab(page, "Motion")
        go(page, "Until, s")
        type_in(page, "0.1")
        go(page, "Simulate")
        page.key("Enter")
        page.until("(models[0].results.motion || {}).played && !document.body.dataset.working")
        go(page, "Play")
        page.key("Enter")
        page.until("models[0].results.motion.played.frame > 0")
        go(page, "Copy as command line")
        page.key("Enter")
        page.until("document.getElementById('said').textContent.includes('mbconcord simulate one.mbsd --until 0.1')")
        assert "--set arm=2" in text_of(page, "#said")
        go_to_tab(page, "Convert")
        go(page, "Format")
        for letter in "urdf":
            page.key(letter)
        go(page, "Convert")
        page.key("Enter")
        page.until("models[0].results.convert && !document.body.dataset.working")
        go(page, "Save one_urdf")
        page.key("Enter")
        while not (tmp_path / "one_urdf.urdf").is_file():
            page.value("0")
        go(page, "Open files…")
        page.key("Enter")
        page.choose(other)
        rest(page, 2)
        page.until("pair")
        assert text_of(page, ".verdict") == "not the same machine"
        go(page, "Copy as Python")
        page.key("Enter")
        page.until("document.getElementById('said').textContent.includes(\"compare('one.mbsd', 'other.mbsd'\")")
    finally:
        page.call("Page.setInterceptFileChooserDialog", enabled=False)
    assert page.said == []


def test_the_keyboard_alone_reaches_every_tab_and_turns_the_picture(page: Browser, robots: tuple[Path, Path]) -> None:
    show(page, robots[0])
    page.value("document.querySelector('[role=tab][aria-selected=true]').focus()")
    seen = set()
    for _ in range(5):
        page.key("ArrowRight")
        seen.add(page.value("document.activeElement.textContent"))
    assert seen == {"Model", "State", "Check", "Convert", "Motion"}
    page.value("models[0].canvas.focus()")
    before = page.value("models[0].canvas.toDataURL()")
    page.key("ArrowRight")
    assert page.value("models[0].canvas.toDataURL()") != before
    unnamed = "x => !x.textContent && !x.labels?.length && !x.getAttribute('aria-label')"
    assert page.value(f"[...document.querySelectorAll('button, input, select, canvas')].filter({unnamed}).length") == 0
