"""The wheel and the source distribution: complete, and running from any directory."""

import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import mbconcord

from .test_rooms import rooms

ROOT = Path(mbconcord.__file__).parent.parent

pytestmark = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="needs the source tree: runs from a checkout, not from a wheel"
)


def run(*command, **kwargs):
    result = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, **kwargs)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the project's files."""
    source = tmp_path_factory.mktemp("source")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("needs git to tell the project's files from others")
    for name in tracked.stdout.splitlines():
        if (ROOT / name).exists():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    return source


@pytest.fixture(scope="module")
def distributions(source, tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    run("-m", "build", "--no-isolation", "--outdir", out, source)
    (wheel,) = out.glob("*.whl")
    (sdist,) = out.glob("*.tar.gz")
    return wheel, sdist


def test_every_room_of_the_package_ships() -> None:
    """setup.py finds a room by its ``__init__.py``, and so do relative imports of tests."""
    bare = [room for room, folder in rooms().items() if not (folder / "__init__.py").exists()]
    assert sorted(bare) == ["docs/examples", "docs/examples/ci/tests", "docs/site"]


@pytest.mark.slow
def test_the_wheel_holds_every_data_file(distributions):
    names = set(zipfile.ZipFile(distributions[0]).namelist())
    for folder in ("model", "converters", "formalisms", "kernels", "simulation", "validation", "reports", "fixtures"):
        for path in (ROOT / folder).rglob("*"):
            hidden = any(p.startswith((".", "__pycache__")) for p in path.relative_to(ROOT).parts)
            if path.is_file() and not hidden and path.suffix not in (".pyc",):
                assert f"mbconcord/{path.relative_to(ROOT).as_posix()}" in names


@pytest.mark.slow
def test_the_wheel_holds_the_package_alone(distributions):
    top = {name.split("/")[0] for name in zipfile.ZipFile(distributions[0]).namelist()}
    assert top == {"mbconcord", f"mbconcord-{mbconcord.__version__}.dist-info"}
    assert not any(name.startswith("mbconcord/tests/") for name in zipfile.ZipFile(distributions[0]).namelist())


@pytest.mark.slow
def test_the_source_distribution_holds_every_file(source, distributions):
    with tarfile.open(distributions[1]) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    there = {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}
    made = {name for name in there if name.startswith(("build/", "mbconcord.egg-info/", "dist/"))}
    assert there - made - inside == {".gitignore"}


@pytest.fixture(scope="module")
def script():
    """The names of setup.py, which set nothing up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("setuptools.setup", lambda **_: None)
        return runpy.run_path(str(ROOT / "setup.py"))


def test_readme_elsewhere_has_whole_addresses_or_none(script):
    readme = (ROOT / "README.md").read_text("utf-8")
    source = "https://example.org/me/it"
    for text, count in ((script["shown_elsewhere"](readme, source), 20), (script["shown_elsewhere"](readme, ""), 0)):
        prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        links = re.findall(r"\]\(([^)#][^)]*)\)|src=\"([^\"]+)", prose)
        assert len(links) >= count and all(a.startswith(source) or b.startswith(source) for a, b in links), links
    assert "[evidence]" not in script["shown_elsewhere"](readme, "") and "evidence" in readme


def test_addresses_come_from_the_citation(script):
    assert script["addresses"]("title: a\n") == {}
    found = script["addresses"]('title: a\nrepository-code: "https://example.org/me/it/"\n')
    assert found["Source"] == "https://example.org/me/it" and found["Issues"] == "https://example.org/me/it/issues"
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert [author["name"] for author in project["authors"]] == re.findall(r"^  - name: (.+)$", citation, re.MULTILINE)


@pytest.mark.slow
def test_the_installed_wheel_runs_from_any_directory_and_finds_its_fixtures(distributions, tmp_path):
    site = tmp_path / "site"
    run("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, distributions[0])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r}); import mbconcord, mbconcord.fixtures as f;"
        f"assert mbconcord.__file__.startswith({str(site)!r}), mbconcord.__file__;"
        "from mbconcord.cli import main;"
        "sys.exit(main(['check', str(f.folder('mbsd') / 'double_pendulum.mbsd')]))"
    )
    assert "agrees" in run("-S", "-c", with_site_packages(code), cwd=elsewhere)


SCRIPT = Path(__file__).with_name("typed_script.py")
#: What a type checker must object to, or it has not followed the package.
WRONG = """import mbconcord as mb
mb.chek
mb.check("a").verdict + 1
mb.compile("a", 3)
mb.Mechanism("a").turns("q", upon="z")
x: int = mb.evaluate("a")["M"]
"""


@pytest.fixture(scope="module")
def types_known(tmp_path_factory):
    """What a type checker keeps between runs: of Python's and NumPy's files, and of ours by their bytes."""
    return tmp_path_factory.mktemp("types")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_a_type_checker_follows_the_package(kind, source, distributions, types_known, tmp_path):
    """A user's script over all public names passes, and each wrong line of another is found."""
    if find_spec("mypy") is None:
        pytest.skip("needs mypy")
    wheel = distributions[0] if kind == "wheel" else editable_wheel(source, tmp_path)
    run("-m", "venv", "--without-pip", tmp_path / "venv")
    (site,) = (tmp_path / "venv").glob("**/site-packages")
    zipfile.ZipFile(wheel).extractall(site)
    others = [p for p in sys.path if p.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join(others))  # NumPy; their own .pth files count for nothing here
    (tmp_path / "right.py").write_bytes(SCRIPT.read_bytes())
    (tmp_path / "wrong.py").write_text(WRONG)
    (python,) = (tmp_path / "venv").glob("*/python")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", types_known, "--python-executable", python]
    command += ["right.py", "wrong.py"]
    told = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=tmp_path).stdout
    found = dict.fromkeys(line.partition(": error: ")[0] for line in told.splitlines() if ": error: " in line)
    assert list(found) == [f"wrong.py:{i}" for i in range(2, WRONG.count("\n") + 1)], told


def editable_wheel(source, out):
    """What `pip install -e` installs, made from a copy of the project."""
    code = f"from setuptools.build_meta import build_editable; build_editable({str(out)!r})"
    run("-c", code, cwd=source)
    (wheel,) = out.glob("*.whl")
    return wheel


def test_the_script_of_types_uses_every_public_name():
    text = SCRIPT.read_text("utf-8")
    assert [name for name in mbconcord._PUBLIC if not re.search(rf"\bmb\.{name}\b", text)] == []


def with_site_packages(code: str) -> str:
    """The code with this environment's packages on the path, but not its editable install."""
    paths = [p for p in sys.path if p.endswith("site-packages")]
    return f"import sys; sys.path += {paths!r}; {code}"
