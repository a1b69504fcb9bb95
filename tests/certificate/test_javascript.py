"""The second verifier, in JavaScript, has the exit codes of the first for every vector and every forgery."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from .test_hostile import HOSTILE
from .test_verify import EXPECTED, bound, judge
from .written import PLANE, PROVED, REFUSED, VECTORS, cut_at_lines, edit_characters, of_high_degree, seal, write

PAGE: Final = Path(__file__).parents[2] / "docs/site/static/verify.html"
SCRIPT: Final = PAGE.with_name("verify_certificate.js")
NODE: Final = shutil.which("node")
VERDICTS: Final = {"refused": 1, "not readable": 2}
CASES: Final = {
    **{name: ((VECTORS / name).read_bytes(), EXPECTED[name]["exit"]) for name in EXPECTED if name != "difference.cert"},
    **{name: (data, 0) for name, (data, _) in PROVED.items()},
    **{name: (data, code) for name, (data, code, _) in REFUSED.items()},
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what the script says of every case, in one run."""
    answers = ask([data for data, _ in CASES.values()], tmp_path_factory.mktemp("cases"))
    return dict(zip(CASES, answers, strict=True))


def ask(texts: Sequence[bytes], folder: Path) -> list[str]:
    """Return what the script says of certificates, in one run."""
    if NODE is None:
        pytest.skip("node, which runs JavaScript outside of a browser, is not installed")
    files = [folder / f"{k}.cert" for k in range(len(texts))]
    for file, data in zip(files, texts, strict=True):
        file.write_bytes(data)
    done = subprocess.run([NODE, str(SCRIPT), *map(str, files)], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 2)
    return re.split(rf"(?m)^{re.escape(str(folder))}/\d+\.cert: ", done.stdout)[1:]


@pytest.mark.slow
def test_its_bound_counts_long_numbers_that_are_written_short(tmp_path: Path) -> None:
    answers = ask([of_high_degree("1"), of_high_degree("1e999"), b""], tmp_path)
    assert bound(answers[0]) - bound(answers[1]) in (4, 5, 6)


def test_what_is_not_said_of_rows_is_told(tmp_path: Path) -> None:
    rows = write(PLANE.format("row x; row y"), "program p m; n 1; n 0; out M 0 1 1 0; out h 1 1; end")
    assert "nothing is said of gravity, applied, D, gamma." in ask([rows, b""], tmp_path)[0]


@pytest.mark.slow
@pytest.mark.parametrize("added", (13, *(pytest.param(n, marks=pytest.mark.rest) for n in (1, 31))))
def test_edits_of_one_character_have_the_verdicts_of_the_other_program(added: int, tmp_path: Path) -> None:
    pendulum = (VECTORS / "pendulum.cert").read_bytes()
    texts = [seal(text) for _, text in edit_characters(pendulum, added)]
    found = [VERDICTS.get(answer.partition(":")[0], 0) for answer in ask(texts, tmp_path)]
    assert found == [judge(data)[0] for data in texts]


@pytest.mark.slow
def test_what_ends_after_any_line_has_the_verdicts_of_the_other_program(tmp_path: Path) -> None:
    texts = [cut for name in ("pendulum", "four_bars") for cut in cut_at_lines((VECTORS / f"{name}.cert").read_bytes())]
    found = [VERDICTS.get(answer.partition(":")[0], 0) for answer in ask(texts, tmp_path)]
    assert found == [judge(data)[0] for data in texts]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in HOSTILE if name not in ("a folder", "nothing")])
def test_hostile_texts_have_the_verdicts_of_the_other_program(name: str, tmp_path: Path) -> None:
    if NODE is None:
        pytest.skip("node, which runs JavaScript outside of a browser, is not installed")
    make, words = HOSTILE[name]
    make(tmp_path / "hostile.cert")
    done = subprocess.run(
        [NODE, str(SCRIPT), str(tmp_path / "hostile.cert")], capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.returncode) == ("", 1 if words.startswith("refused") else 2), done.stdout[:300]


@pytest.mark.parametrize("name", CASES)
def test_verdicts_are_those_of_the_other_program(said: dict[str, str], name: str) -> None:
    assert VERDICTS.get(said[name].partition(":")[0], 0) == CASES[name][1], said[name]


@pytest.mark.parametrize("name", PROVED)
def test_what_is_proved_is_the_same(said: dict[str, str], name: str) -> None:
    lines = said[name].splitlines()
    assert PROVED[name][1] in lines
    assert [line.partition(" ")[0] for line in lines[-3:]] == ["Each", "A", "Assumed:"]


def test_the_page_says_what_is_proved(tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("Chromium, which runs the page, is not installed")
    text = (VECTORS / "pendulum.cert").read_text("ascii")
    drop = f"<script>show(new File([{text!r}], 'pendulum.cert'))</script>"
    (tmp_path / "page.html").write_text(PAGE.read_text("utf-8").replace("</html>", f"{drop}</html>"), "utf-8")
    shutil.copy(SCRIPT, tmp_path)
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=20000"]
    words += [f"--user-data-dir={tmp_path / 'profile'}", f"file://{tmp_path / 'page.html'}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "M: mechanics of pendulum = hand" in done.stdout
    assert "A file that is wrong in this passes with a probability below 2^-" in done.stdout
