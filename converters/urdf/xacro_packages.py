"""The folder of a package, out of those that ``MBCONCORD_PACKAGES`` names; it imports nothing of ours.

Where the user names such folders, the process of xacro finds this under the name ``ament_index_python.packages``.
"""

import os
from pathlib import Path


class PackageNotFoundError(KeyError):
    """There is no such package."""

    def __str__(self) -> str:
        return f"no package {self.args[0]!r} in the folders of packages"


def get_package_share_directory(name: str) -> str:
    """The folder of a package: one of that name in a folder that is named, or such a folder itself."""
    for folder in os.environ.get("MBCONCORD_PACKAGES", "").split(os.pathsep):
        for path in (Path(folder) / name, Path(folder)):
            if path.name == name and path.is_dir():
                return str(path)
    raise PackageNotFoundError(name)
