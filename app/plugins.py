"""Entry points by which installed packages add formalisms, formats and witnesses, and imports of what texts name."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def import_named(target: str) -> Any:
    """Import a module and return what ``module:name`` names in it."""
    module, _, name = target.partition(":")
    return attrgetter(name)(import_module(module))


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of installed packages in a group ``mbconcord.…``, read only if there may be some."""
    finders = tuple(finder for finder in sys.meta_path if hasattr(finder, "find_distributions"))
    if not _may_list(tuple(sys.path), finders):
        return ()
    from importlib import metadata  # not before: it is slow, and few packages bring any

    return tuple(metadata.entry_points(group=group))


@cache
def _may_list(folders: tuple[str, ...], finders: tuple[object, ...]) -> bool:
    """Return False if no package in these folders declares entry points for mbconcord; True if that cannot be seen."""
    if finders != (PathFinder,):
        return True
    for folder in folders:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208
        except NotADirectoryError:  # an archive
            return True
        except OSError:
            continue
        for name in names:
            if name.lower().endswith((".dist-info", "egg-info")):
                try:
                    if b"[mbconcord." in Path(folder, name, "entry_points.txt").read_bytes():
                        return True
                except OSError:
                    continue
    return False
