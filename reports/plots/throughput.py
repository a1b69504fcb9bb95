"""How many models were done when, as a small picture: pauses and slow hours show."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model.shown import count

#: Columns at most, and their sizes.
MOST, WIDTH, HEIGHT, LEFT, BELOW = 48, 12.0, 60.0, 6.0, 22.0


def bins(times: Sequence[float]) -> tuple[list[int], float]:
    """How many of these times fall into each of equal spans, from the first to the last, and the span (s).

    The times are of one clock, in any order; one that was set while they were taken gives a longer picture, no more.
    """
    begin, end = min(times), max(times)
    span = max((end - begin) / MOST, 1.0)
    found = [0] * (int((end - begin) / span) + 1)
    for time in times:
        found[int((time - begin) / span)] += 1
    return found[:MOST] if len(found) <= MOST else [*found[: MOST - 1], sum(found[MOST - 1 :])], span


def throughput(times: Sequence[float]) -> str:
    """An SVG with a column for every span of time, as high as many models came in it; empty of fewer than two."""
    if len(times) < 2:
        return ""
    found, span = bins(times)
    width, height = 2 * LEFT + WIDTH * max(len(found), 24), HEIGHT + BELOW + 14
    most = max(found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="histogram" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{count(len(times), 'model')} in {_long(max(times) - min(times))}</title>",
    ]
    for column, done in enumerate(found):
        size = HEIGHT * done / most
        x = LEFT + WIDTH * column
        if done:
            parts.append(
                f'<rect x="{x + 1:g}" y="{14 + HEIGHT - size:.1f}" width="{WIDTH - 2:g}" height="{size:.1f}"/>'
            )
    said = f"a column is {_long(span)}, the highest {count(most, 'model')}"
    parts.append(f'<text class="axis" x="{width / 2:g}" y="{14 + HEIGHT + 16:g}">{said}</text></svg>')
    return "".join(parts)


def _long(seconds: float) -> str:
    for size, unit in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"
