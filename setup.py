"""Maps the top-level folders onto one import name, `mbconcord`.

The list is computed, so a new folder ships without an edit here. An editable install gets links for type checkers. The
project's address is taken from ``repository-code`` of CITATION.cff, once it is there; README's links lead to it.
"""

import re
from pathlib import Path
from typing import ClassVar

from setuptools import Command, setup
from setuptools.command.build import build

PARTS = ("model", "converters", "formalisms", "kernels", "simulation", "validation", "reports", "fixtures")
ROOT = Path(__file__).resolve().parent


def packages_below(folder: str, name: str) -> dict[str, str]:
    """Map import names to folders: a part itself and every package below it."""
    found = {}
    for init in sorted((ROOT / folder).rglob("__init__.py")):
        path = init.parent.relative_to(ROOT)
        inner = path.parts[1:]
        found[".".join((name, *inner))] = path.as_posix()
    return found


class BuildTypes(Command):
    """Command that makes the links which type checkers follow in an editable install.

    They read no import finder, but folders in ``.pth`` files, and in such a folder the folder ``mbconcord-stubs``
    (PEP 561): there each part is linked under its import name. Python itself imports nothing from it, since no module
    can have that name. In any other install, whose files lie under their names, there is nothing to do.
    """

    def initialize_options(self) -> None:
        self.editable_mode = False

    def finalize_options(self) -> None:
        pass

    def run(self) -> None:
        if self.editable_mode:
            try:
                farm = linked(ROOT / "build" / "types" / "mbconcord-stubs").parent
            except OSError as problem:  # a system that makes no links
                self.warn(f"type checkers will not follow this editable install: {problem}")
                return
            site = Path(self.get_finalized_command("install").install_purelib)
            site.mkdir(parents=True, exist_ok=True)
            (site / "mbconcord-types.pth").write_text(f"{farm}\n", encoding="utf-8")

    def get_source_files(self) -> list[str]:
        return []

    def get_outputs(self) -> list[str]:
        return []

    def get_output_mapping(self) -> dict[str, str]:
        return {}


def linked(folder: Path) -> Path:
    """Empty a folder and fill it with links to what ``app`` holds and to the other parts; return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    inside = [path for path in (ROOT / "app").iterdir() if not path.name.startswith("__pycache__")]
    for path in (*inside, *(ROOT / part for part in PARTS)):
        (folder / path.name).symlink_to(path, target_is_directory=path.is_dir())
    return folder


class Build(build):
    """The usual build steps, and :class:`BuildTypes`."""

    sub_commands: ClassVar = [*build.sub_commands, ("build_types", None)]


def addresses(citation: str) -> dict[str, str]:
    """Map names of links to addresses, from the text of CITATION.cff; empty if it names no repository."""
    found = re.search(r"^repository-code: [\"']?(https://[^\s\"']+?)/?[\"']?$", citation, re.MULTILINE)
    if not found:
        return {}
    pages = {"Changelog": "CHANGELOG.md", "Documentation": "docs/index.md"}
    urls = {name: f"{found[1]}/blob/HEAD/{file}" for name, file in pages.items()}
    return {"Source": found[1], "Issues": f"{found[1]}/issues", **urls}


def shown_elsewhere(readme: str, source: str) -> str:
    """Return README for a package index: relative links and pictures made absolute, or removed without ``source``."""
    if source:
        readme = re.sub(r"\]\((?!https?:|#)([^)]+)\)", rf"]({source}/blob/HEAD/\1)", readme)
        return re.sub(r'src="(?!https?:)([^"]+)"', rf'src="{source}/raw/HEAD/\1"', readme)
    readme = re.sub(r"^<img [^>]*>\n", "", readme, flags=re.MULTILINE)
    return re.sub(r"(?<!\!)\[([^][]+)\]\((?!https?:|#)[^)]+\)", r"\1", readme)


folders = packages_below("app", "mbconcord")
for part in PARTS:
    folders |= packages_below(part, f"mbconcord.{part}")

urls = addresses((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
setup(
    long_description=shown_elsewhere((ROOT / "README.md").read_text(encoding="utf-8"), urls.get("Source", "")),
    long_description_content_type="text/markdown",
    project_urls=urls,
    packages=sorted(folders),
    package_dir=folders,
    package_data={
        "": [
            "py.typed",
            "*.pyi",
            "*.lark",
            "*.json",
            "argued.toml",
            "layout.txt",
            "probes.toml",
            "templates/*",
            "page/*",
            "*.c",
            "*.cpp",
        ],
        "mbconcord.fixtures": ["**/*"],
    },
    include_package_data=False,
    cmdclass={"build": Build, "build_types": BuildTypes},
)
