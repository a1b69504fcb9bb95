"""Maps the top-level folders onto one import name, `mbconcord`.

The list is computed, so a new folder ships without an edit here.
"""

from pathlib import Path

from setuptools import setup

PARTS = ("model", "converters", "formalisms", "simulation", "validation", "reports", "fixtures")
ROOT = Path(__file__).parent


def packages_below(folder: str, name: str) -> dict[str, str]:
    """Import names and folders of a part: itself and every package below it."""
    found = {}
    for init in sorted((ROOT / folder).rglob("__init__.py")):
        path = init.parent.relative_to(ROOT)
        inner = path.parts[1:]
        found[".".join((name, *inner))] = path.as_posix()
    return found


folders = packages_below("app", "mbconcord")
for part in PARTS:
    folders |= packages_below(part, f"mbconcord.{part}")

setup(
    packages=sorted(folders),
    package_dir=folders,
    package_data={
        "": ["py.typed", "*.pyi", "*.lark", "*.json", "layout.txt", "templates/*"],
        "mbconcord.fixtures": ["**/*"],
    },
    include_package_data=False,
)
