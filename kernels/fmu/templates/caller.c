/* Results of an FMU by its functions alone, for the test program of a library that computes them. */
#define FMI_VERSION {version}

#include "{name}.h"
#include "fmi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {{ N = {coordinates}, INPUTS = {inputs}, P = {parameters}, ENERGIES = {energies}, FIRST = 1 + 4 * N, RESULTS = {N}_RESULTS }};

Status NAMED(SetTime)(void *, double);
Status NAMED(SetContinuousStates)(void *, const double[], size_t);
Status NAMED(Terminate)(void *);
Status NAMED(ExitInitializationMode)(void *);
Status NAMED(EnterContinuousTimeMode)(void *);
void NAMED(FreeInstance)(void *);
#if FMI_VERSION == 3
void *NAMED(InstantiateModelExchange)(const char *, const char *, const char *, bool, bool, void *, Log);
Status NAMED(EnterInitializationMode)(void *, bool, double, double, bool, double);
Status NAMED(GetFloat64)(void *, const Reference[], size_t, double[], size_t);
Status NAMED(SetFloat64)(void *, const Reference[], size_t, const double[], size_t);
Status NAMED(GetContinuousStateDerivatives)(void *, double[], size_t);
Status NAMED(GetDirectionalDerivative)(void *, const Reference[], size_t, const Reference[], size_t, const double[],
                                       size_t, double[], size_t);
#define INSTANCE() NAMED(InstantiateModelExchange)("test", "{token}", "", false, false, NULL, NULL)
#define INITIALIZE(i, t) NAMED(EnterInitializationMode)(i, false, 0, t, false, 0)
#define GET(i, r, n, value) NAMED(GetFloat64)(i, r, n, value, n)
#define SET(i, r, n, value) NAMED(SetFloat64)(i, r, n, value, n)
#define DERIVATIVES NAMED(GetContinuousStateDerivatives)
#define CHANGE(i, u, m, k, seed, found) NAMED(GetDirectionalDerivative)(i, u, m, k, 1, seed, 1, found, m)
#else
void *NAMED(Instantiate)(const char *, Type, const char *, const char *, const Callbacks *, Boolean, Boolean);
Status NAMED(SetupExperiment)(void *, Boolean, double, double, Boolean, double);
Status NAMED(EnterInitializationMode)(void *);
Status NAMED(GetReal)(void *, const Reference[], size_t, double[]);
Status NAMED(SetReal)(void *, const Reference[], size_t, const double[]);
Status NAMED(GetDerivatives)(void *, double[], size_t);
Status NAMED(GetDirectionalDerivative)(void *, const Reference[], size_t, const Reference[], size_t, const double[],
                                       double[]);
#define INSTANCE() NAMED(Instantiate)("test", MODEL_EXCHANGE, "{token}", "", NULL, 0, 0)
#define INITIALIZE(i, t) (NAMED(SetupExperiment)(i, 0, 0, t, 0, 0) || NAMED(EnterInitializationMode)(i))
#define GET(i, r, n, value) NAMED(GetReal)(i, r, n, value)
#define SET(i, r, n, value) NAMED(SetReal)(i, r, n, value)
#define DERIVATIVES NAMED(GetDerivatives)
#define CHANGE(i, u, m, k, seed, found) NAMED(GetDirectionalDerivative)(i, u, m, k, 1, seed, found)
#endif

static Status results(void *i, const double state[], const double parameters[], double found[])
{{
    double dx[2 * N];
    Reference r[P + ENERGIES + 1];
    for (int k = 0; k < P + ENERGIES; ++k) r[k] = FIRST + k;
    if (INITIALIZE(i, state[0]) || SET(i, r, P, parameters) || NAMED(ExitInitializationMode)(i)) return ERROR;
    if (NAMED(EnterContinuousTimeMode)(i) || NAMED(SetTime)(i, state[0])) return ERROR;
    (void)DERIVATIVES(i, dx, 2 * N); /* at the start: nothing of it may be kept */
    if (NAMED(SetContinuousStates)(i, state + 1, 2 * N) || DERIVATIVES(i, dx, 2 * N)) return ERROR;
    if (memcmp(dx, state + 1 + N, N * sizeof *dx)) return ERROR; /* the derivatives of q are v */
    memcpy(found, dx + N, N * sizeof *dx);
    if (ENERGIES && GET(i, r + P, ENERGIES, found + N)) return ERROR;
#if {slopes}
    double column[N + ENERGIES], *matrices = found + N + ENERGIES, *gradients = matrices + N * (2 * N + INPUTS);
    Reference unknown[N + ENERGIES];
    for (int k = 0; k < N + ENERGIES; ++k) unknown[k] = k < N ? 1 + 3 * N + k : FIRST + P + k - N;
    for (int k = 0; k < 2 * N + INPUTS; ++k) {{
        const Reference known = k < 2 * N ? 1 + k : FIRST + k - 2 * N;
        const double seed = 1;
        if (CHANGE(i, unknown, N + ENERGIES, &known, &seed, column)) return ERROR;
        for (int j = 0; j < N; ++j)
            matrices[k < 2 * N ? k / N * N * N + j * N + k % N : 2 * N * N + j * INPUTS + k - 2 * N] = column[j];
        for (int j = 0; j < ENERGIES && k < 2 * N; ++j) gradients[j * 2 * N + k] = column[N + j];
    }}
#endif
    return OK;
}}

void {name}_evaluate(const double state[], const double parameters[], double found[])
{{
    void *i = INSTANCE();
    const Status status = i ? results(i, state, parameters, found) : ERROR;
    if (i) NAMED(Terminate)(i);
    if (i) NAMED(FreeInstance)(i);
    for (int k = 0; status && k < RESULTS; ++k) found[k] = NAN;
}}

void {name}_batch(size_t count, const double states[], const double parameters[], double found[])
{{
    for (size_t k = 0; k < count; ++k) {name}_evaluate(states + k * {N}_STATE, parameters, found + k * RESULTS);
}}
