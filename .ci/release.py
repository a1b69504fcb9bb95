"""Make a release, all but the upload: ``python .ci/release.py [make|notes|cut VERSION]``. docs/releases.md tells of it.

Signs nothing and uploads nothing. What is built is the last commit, in a clone of it, not what lies in the folder.
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
OLDEST, NEWEST = 11, 20
#: Nobody but the owner knows these: file, what stands there as long as it is not filled in, what it shall say.
OWN = (
    (
        "CITATION.cff",
        r"\A(?![\s\S]*^repository-code: )",
        "repository-code: the links, and the pictures of README, of the index's page",
    ),
    ("CITATION.cff", r"name: The mbconcord authors", "authors: who is cited"),
    ("pyproject.toml", r"The mbconcord authors", "authors: who the index names"),
    ("LICENSE", r"the mbconcord authors", "who holds the copyright"),
)
#: What an installed distribution is asked: warnings are errors, and the model lies in the package.
SMOKE = (
    "import sys, mbconcord, mbconcord.fixtures as f; from mbconcord.cli import main; "
    "assert mbconcord.check(f.folder('mbsd') / 'double_pendulum.mbsd').verdict == 'agrees'; "
    "assert mbconcord.__version__ == sys.argv[1] and 'site-packages' in mbconcord.__file__; "
    "sys.exit(main(['doctor']))"
)


def make() -> int:
    """Build, check and install; print what is missing for an upload, or the one command that uploads."""
    missing = unready()
    out = ROOT / "dist"
    with tempfile.TemporaryDirectory() as folder:
        first, second = (build(Path(folder) / name) for name in ("first", "second"))
        if first[0].read_bytes() != second[0].read_bytes():
            sys.exit(f"two builds of {first[0].name} are not the same bytes")
        print(f"{first[0].name}: two builds, the same bytes")
        run(sys.executable, "-m", "twine", "check", "--strict", *first)
        for python in pythons():
            for distribution in first:
                install(python, distribution, Path(folder) / "environment")
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        made = [Path(shutil.copy(path, out)) for path in first]
    (out / "notes.md").write_text(notes(version()), encoding="utf-8")
    print(f"notes: {(out / 'notes.md').relative_to(ROOT)}")
    if left := list_unfilled():
        print("the owner fills in, before the first upload:", *left, sep="\n  ")
    if missing:
        print("not ready:", *missing, sep="\n  ")
        return 1
    print(f"twine upload {' '.join(str(path.relative_to(ROOT)) for path in made)}")
    print("ready: 1 command uploads")
    return 0


def unready() -> list[str]:
    """Return what stands between this commit and an upload."""
    found = []
    if read_output("git", "status", "--porcelain"):
        found.append("files are changed or new: commit them; what is built is the last commit")
    if notes("Unreleased").strip():
        again = (
            f"{'' if find_tagged(version()) else f'{version()} again, as no tag has it, or '}a number above {version()}"
        )
        found.append(f"CHANGELOG.md has lines under Unreleased: python .ci/release.py cut VERSION ({again})")
    if not notes(version()).strip():
        found.append(f"CHANGELOG.md says nothing of {version()}")
    if f"\nversion: {version()}\n" not in text("CITATION.cff"):
        found.append(f"CITATION.cff is not of {version()}")
    if (tagged := find_tagged(version())) and tagged != read_output("git", "rev-parse", "HEAD"):
        found.append(f"v{version()} is the tag of another commit: cut a number above {version()}")
    return found


def list_unfilled() -> list[str]:
    """Return what the owner alone can fill in; docs/releases.md lists it too."""
    there = [(file, found, what) for file, found, what in OWN if (ROOT / file).exists()]
    return [f"{file}: {what}" for file, found, what in there if re.search(found, text(file), re.MULTILINE)]


def build(folder: Path) -> tuple[Path, Path]:
    """Return the wheel and the source distribution of the last commit; the wheel is built from the latter."""
    run("git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), folder)
    epoch = {"SOURCE_DATE_EPOCH": read_output("git", "log", "-1", "--format=%ct")}
    done = run(sys.executable, "-m", "build", folder, environment=epoch, quiet=True)
    if "no files found" in done:
        sys.exit("\n".join(line for line in done.splitlines() if "no files found" in line))
    (wheel,) = (folder / "dist").glob("*.whl")
    (source,) = (folder / "dist").glob("*.tar.gz")
    return wheel, source


def pythons() -> list[str]:
    """Return one interpreter of every version from 3.11 on that starts."""
    found = {}
    for minor in range(OLDEST, NEWEST):
        name = f"python3.{minor}"
        kept = Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}")
        for candidate in (*map(str, kept), shutil.which(name), sys.executable):
            code = f"import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, {minor}))"
            if candidate and not subprocess.run([candidate, "-c", code], capture_output=True).returncode:
                found[minor] = candidate
                break
    return list(found.values())


def install(python: str, distribution: Path, environment: Path) -> None:
    """Install a distribution into an empty environment, and run it there."""
    shutil.rmtree(environment, ignore_errors=True)
    run(python, "-m", "venv", environment)
    own = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(own, "-m", "pip", "install", "--quiet", distribution, quiet=True)
    run(own, "-W", "error", "-I", "-c", SMOKE, version(), cwd=environment, quiet=True)
    said = read_output(own, "-c", "import platform; print(platform.python_version())")
    print(f"Python {said}: {distribution.name} installs, checks and passes its doctor", flush=True)


def notes(heading: str) -> str:
    """Return what the changelog says under a heading."""
    found = re.search(rf"^## \[{re.escape(heading)}\].*\n([\s\S]*?)(?=^## |\Z)", text("CHANGELOG.md"), re.MULTILINE)
    return found[1].strip() + "\n" if found else ""


def cut(number: str) -> int:
    """Give what is unreleased a number and today's date, in every file that holds them.

    A version that is cut and not tagged is cut again by its own number: it takes what has come since.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", number):
        sys.exit(f"found {number!r}, expected three numbers, for example {version()}")
    if [*map(int, number.split("."))] < [*map(int, version().split("."))] or find_tagged(number):
        sys.exit(f"found {number}, expected a number above {version()}, or this one as long as no tag has it")
    today = f"{datetime.date.today():%Y-%m-%d}"
    heading = f"## [Unreleased]\n\n## [{number}] - {today}\n"
    if earlier := notes(number):
        heading += f"\n{join_groups(earlier, notes('Unreleased'))}\n"
    section = rf"[\s\S]*?^## \[{re.escape(number)}\].*\n[\s\S]*?(?=^## |\Z)" if earlier else ""
    for file, pattern, new in (
        ("CHANGELOG.md", rf"^## \[Unreleased\]\n{section}", heading),
        ("app/__init__.py", VERSION.pattern, f'__version__ = "{number}"'),
        ("CITATION.cff", r"^version: .+$", f"version: {number}"),
        ("CITATION.cff", r"^date-released: .+$", f"date-released: {today}"),
    ):
        done = re.sub(pattern, lambda _, new=new: new, text(file), count=1, flags=re.MULTILINE)
        (ROOT / file).write_text(done, encoding="utf-8")
    return 0


def join_groups(*sections: str) -> str:
    """Return one section of several: groups (``### Added``) of one name are one, in the order of the first section."""
    groups: dict[str, list[str]] = {"": []}
    for section in sections:
        first, *rest = re.split(r"^(### .+\n)", section, flags=re.MULTILINE)
        for title, lines in zip(("", *rest[::2]), (first, *rest[1::2]), strict=True):
            groups.setdefault(title, []).append(lines.rstrip() if not groups.get(title) else lines.strip())
    joined = ((title, "\n".join(filter(None, texts))) for title, texts in groups.items())
    return "\n\n".join(title + lines for title, lines in joined if lines) + "\n"


def find_tagged(number: str) -> str:
    """Return the commit that has the tag of a version, or nothing."""
    commit = "%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"  # of a tag with or without a message
    return read_output("git", "for-each-ref", f"--format={commit}", f"refs/tags/v{number}")


def version() -> str:
    """Return the one version."""
    found = VERSION.search(text("app/__init__.py"))
    assert found is not None
    return found[1]


def text(file: str) -> str:
    """Return the text of a file of the project."""
    return (ROOT / file).read_text(encoding="utf-8")


def read_output(*words: object) -> str:
    """Return what a command prints."""
    return subprocess.run([*map(str, words)], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def run(*words: object, cwd: Path = ROOT, environment: dict[str, str] | None = None, quiet: bool = False) -> str:
    """Run a command and return both of its streams where it is quiet; the release ends where it fails."""
    sys.stdout.flush()  # what was printed before stands before what the command prints
    sink = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if quiet else {}
    done = subprocess.run([*map(str, words)], cwd=cwd, env=os.environ | (environment or {}), text=True, **sink)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(f"{done.stdout or ''}\nended with {done.returncode}: {' '.join(map(str, words))}")
    return done.stdout or ""


if __name__ == "__main__":
    command = sys.argv[1:] or ["make"]
    if command == ["make"]:
        sys.exit(make())
    if command[0] == "cut" and len(command) == 2:
        sys.exit(cut(command[1]))
    if command == ["notes"]:
        print(notes(version()), end="")
        sys.exit(0)
    sys.exit(__doc__)
