"""The garbage collector of cycles: graphs have none, and the search takes as long as building them.

Objects made meanwhile are young when the collector is on again, and the next allocation would have it search them all
at once. So they are moved to the oldest generation, which is searched when much has been added to it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """Suspend cyclic garbage collection while a graph or a plan is built, then skip its objects in later searches."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            _age_objects()
            gc.enable()


def _age_objects() -> None:
    """Move all objects to the oldest generation, unless the program itself has frozen some.

    Nothing is done if too few objects were made for a search: counting frozen objects counts all of them.
    """
    if gc.get_count()[0] > gc.get_threshold()[0] and not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
