"""Search for the folder of a package in those of ``MBCONCORD_PACKAGES``; it imports nothing of mbconcord.

If the user names such folders, the xacro process imports this as ``ament_index_python.packages``.
"""

import os
from pathlib import Path


class PackageNotFoundError(KeyError):
    """The package does not exist."""

    def __str__(self) -> str:
        return f"no package {self.args[0]!r} in the folders of packages"


def get_package_share_directory(name: str) -> str:
    """Return the folder of a package: a folder of this name in one of the user's folders, or one of these itself."""
    for folder in os.environ.get("MBCONCORD_PACKAGES", "").split(os.pathsep):
        for path in (Path(folder) / name, Path(folder)):
            if path.name == name and path.is_dir():
                return str(path)
    raise PackageNotFoundError(name)
