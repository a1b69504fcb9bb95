#include "{name}.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* States that a batch takes at once. */
#ifndef {N}_LANES
#define {N}_LANES {lanes}
#endif

{sincos}
#define LANES 1
#define LANED(name) {name}_one_##name
#include "{name}_steps.h"
#undef LANES
#undef LANED

#ifndef {N}_ONE
#define LANES {N}_LANES
#define LANED(name) {name}_some_##name
#include "{name}_steps.h"
#undef LANES
#undef LANED
#endif

void {name}_initial(double state[])
{{
{initial}
}}

void {name}_values(double parameters[])
{{
{values}
}}

void {name}_evaluate(const double state[], const double parameters[], double results[])
{{
    {name}_one_run(state, parameters, results);
}}

#ifndef {N}_ONE
void {name}_batch(size_t count, const double states[], const double parameters[], double results[])
{{
    double s[{N}_STATE * {N}_LANES], r[{N}_RESULTS * {N}_LANES];
    for (size_t first = 0; first < count; first += {N}_LANES) {{
        const size_t left = count - first;
        const size_t lanes = left < {N}_LANES ? left : {N}_LANES;
        for (size_t l = 0; l < {N}_LANES; ++l) {{
            const double *from = states + (first + (l < lanes ? l : lanes - 1)) * {N}_STATE;
            for (size_t k = 0; k < {N}_STATE; ++k) s[k * {N}_LANES + l] = from[k];
        }}
        {name}_some_run(s, parameters, r);
        for (size_t l = 0; l < lanes; ++l) {{
            double *to = results + (first + l) * {N}_RESULTS;
            for (size_t k = 0; k < {N}_RESULTS; ++k) to[k] = r[k * {N}_LANES + l];
        }}
    }}
}}
#endif
