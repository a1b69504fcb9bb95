"""The test program that is shipped: the library's results against stored numbers, each within its own bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .library import Library
from .texts import literal


@dataclass(frozen=True)
class Known:
    """Stored numbers.

    Attributes
    ----------
    parameters : (parameters,)
    states : (n, state)
    expected : (n, results)
        Rounded from many digits.
    bounds : (n, results)
        How far rounding alone may move each result.
    """

    parameters: Sequence[float]
    states: Sequence[Sequence[float]]
    expected: Sequence[Sequence[float]]
    bounds: Sequence[Sequence[float]]


def trial(library: Library, known: Known) -> dict[str, str]:
    """Name of the file -> its text."""
    text = PROGRAM.format(
        name=library.plain,
        N=library.upper,
        count=len(known.states),
        parameters=_row([*known.parameters, 0.0]),
        states=_rows(known.states),
        expected=_rows(known.expected),
        bounds=_rows(known.bounds),
    )
    return {f"{library.plain}_test.c": text}


def _rows(rows: Sequence[Sequence[float]]) -> str:
    return ",\n".join(f"    {{\n{_row(row)}\n    }}" for row in rows)


def _row(row: Sequence[float]) -> str:
    """A number a line."""
    return ",\n".join(f"        {literal(x)}" for x in row)


PROGRAM = """\
/* The results of {name} at {count} states, one by one and in batches, against numbers that were computed in many
   digits. Fails where one of them is farther off than the rounding of its own operations explains. */

#include "{name}.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT {count}
/* Batches of every length up to this: the last block of most is not full. */
#define LONGEST 19

/* One number more than there are parameters, as there may be none. */
static const double parameters[{N}_PARAMETERS + 1] = {{
{parameters}
}};

static const double states[COUNT][{N}_STATE] = {{
{states}
}};

static const double expected[COUNT][{N}_RESULTS] = {{
{expected}
}};

static const double bounds[COUNT][{N}_RESULTS] = {{
{bounds}
}};

static double many[LONGEST][{N}_STATE], found[LONGEST + 1][{N}_RESULTS];
static double farthest = 0.0;

/* How many results of a state are wrong; a result that is no number is. */
static int wrong(int state, const double results[])
{{
    int count = 0;
    for (int i = 0; i < {N}_RESULTS; ++i) {{
        const double off = fabs(results[i] - expected[state][i]);
        const double bound = bounds[state][i];
        if (!(off <= bound)) {{
            if (++count <= 5) {{
                printf("state %d, result %d: %.17g, expected %.17g within %.2g\\n", state, i, results[i],
                       expected[state][i], bound);
            }}
        }} else if (off > farthest * bound) {{
            farthest = off / bound;
        }}
    }}
    return count;
}}

int main(void)
{{
    int count = 0;
    for (int i = 0; i < COUNT; ++i) {{
        double one[{N}_RESULTS];
        {name}_evaluate(states[i], parameters, one);
        count += wrong(i, one);
    }}
    for (int n = 1; n <= LONGEST; ++n) {{
        for (int k = 0; k < n; ++k) memcpy(many[k], states[k % COUNT], sizeof many[k]);
        for (int k = 0; k < {N}_RESULTS; ++k) found[n][k] = -1.0;
        {name}_batch((size_t)n, many[0], parameters, found[0]);
        for (int k = 0; k < n; ++k) count += wrong(k % COUNT, found[k]);
        for (int k = 0; k < {N}_RESULTS; ++k) {{
            if (found[n][k] != -1.0) {{
                printf("a batch of %d states writes beyond its end\\n", n);
                return 1;
            }}
        }}
    }}
    if (count) {{
        printf("{name}: %d results are wrong\\n", count);
        return 1;
    }}
    printf("{name}: %d results at %d states are right, the farthest off by %.2g of its bound\\n",
           (int){N}_RESULTS, COUNT, farthest);
    return 0;
}}
"""
