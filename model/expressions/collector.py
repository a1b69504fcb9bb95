"""The collector of cycles: graphs have none, and looking for them takes as long as building them.

What was made meanwhile is young when the collector is on again, and the next object that is made would have it searched
all at once. So it is handed to the oldest generation, which is searched when much has been added to it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_search_for_cycles() -> Iterator[None]:
    """No cyclic garbage collection while a graph is built, or a plan of one run; then no search for what it left."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            _aged()
            gc.enable()


def _aged() -> None:
    """All objects to the oldest generation, unless the program keeps some apart from the collector itself.

    Where so few were made that no search is due, nothing is done: to ask what is kept apart is to count all of it.
    """
    if gc.get_count()[0] > gc.get_threshold()[0] and not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
