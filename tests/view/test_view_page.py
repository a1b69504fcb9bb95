"""The page in a browser: what a person who has never used a shell does with two robots, and with one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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


def test_two_robots_are_dropped_and_the_wrist_is_lit_with_its_cause(
    page: Browser, robots: tuple[Path, Path], tmp_path: Path
) -> None:
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    show(page, *robots)
    assert text_of(page, ".verdict") == "not the same machine"
    assert "wrist_3_link mass" in text_of(page, "#pane")
    lit = page.value("models.map(m => [...m.lit].map(k => m.facts.bodies[k].name))")
    assert lit == [["wrist_3_link"], ["wrist_3_link"]]
    click(page, "Save the report")
    page.until("document.getElementById('said').textContent === 'Saved: compare.txt'")
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


def test_a_server_that_stops_is_said_on_the_page(page: Browser, robots: tuple[Path, Path], tmp_path: Path) -> None:
    with serve() as (server, address):
        kept, page.address = page.address, address  # type: ignore[attr-defined]
        try:
            show(page, robots[0])
            server.kill()
            server.wait()
            click(page, "Check again")
            page.until("document.getElementById('said').className === 'bad'")
        finally:
            page.address = kept  # type: ignore[attr-defined]
    assert "it has been stopped" in text_of(page, "#said")
    assert page.value("!document.body.dataset.working")
    page.said.clear()


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


@pytest.mark.parametrize(("width", "dark"), [(390, False), (1280, True), (390, True)])
def test_it_fits_a_narrow_screen_and_a_dark_one(
    page: Browser, robots: tuple[Path, Path], width: int, dark: bool
) -> None:
    show(page, robots[0], width=width, dark=dark)
    for tab in ("Model", "State", "Check", "Convert", "Motion"):
        click(page, tab)
        assert page.value("document.documentElement.scrollWidth <= innerWidth"), tab
    back = page.value("getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") is not dark


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
