/* {about} */

#ifndef {N}_INCLUDED
#define {N}_INCLUDED

#include <stddef.h>

#ifdef __cplusplus
extern "C" {{
#endif

{places}
/* The initial state of the model, and the values of its parameters; NAN where it has none. */
void {name}_initial(double state[]);
void {name}_values(double parameters[]);

/* The results at one state. */
void {name}_evaluate(const double state[], const double parameters[], double results[]);

/* The results at many states, which stand one after the other, as do the results; the same parameters for all.
   {N}_LANES states ({lanes} where the compiler is told no other number) are computed at once, in {stack} bytes of stack
   each. With {N}_LIBM defined sine and cosine are the C library's; with {N}_ONE there is no such function. */
void {name}_batch(size_t count, const double states[], const double parameters[], double results[]);

#ifdef __cplusplus
}}
#endif

#endif
