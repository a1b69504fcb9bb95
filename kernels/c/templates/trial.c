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
                printf("state %d, result %d: %.17g, expected %.17g within %.2g\n", state, i, results[i],
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
                printf("a batch of %d states writes beyond its end\n", n);
                return 1;
            }}
        }}
    }}
    if (count) {{
        printf("{name}: %d results are wrong\n", count);
        return 1;
    }}
    printf("{name}: %d results at %d states are right, the farthest off by %.2g of its bound\n",
           (int){N}_RESULTS, COUNT, farthest);
    return 0;
}}
