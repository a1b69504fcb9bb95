/* An FMU over functions of equations of motion: FMI 2.0 or 3.0 (FMI_VERSION), Model Exchange and Co-Simulation. It has
   no events but one: a machine with constraints (ROWS) puts its state back onto them. config.h holds the numbers of the model and includes its functions; this text is the same for all models.
   It and the fmi*.h files may be used, changed and passed on without conditions (0BSD). */

#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi.h"

/* Value references: time, states q and v, their derivatives, what is set (inputs, parameters), energies. */
enum { NX = 2 * COORDINATES, VR_X = 1, VR_DX = VR_X + NX, VR_P = VR_DX + NX, VR_E = VR_P + SET, VR_END = VR_E + ENERGIES };

typedef struct {
    double t, x[NX], p[SET + !SET], a[COORDINATES], tolerance, h;
#if ROWS
    double extra[EXTRA + !EXTRA]; /* coordinates of cut joints: no states, they follow */
#endif
    int32_t known; /* whether a is that of t, x, p */
} Data;

typedef struct {
    Data d;
#if FMI_VERSION == 3
    Log log;
    void *environment;
#else
    Callbacks calls;
    char name[64];
#endif
} Component;

static Status fail(Component *c, const char *text);

static void begin(Data *d)
{
    memset(d, 0, sizeof *d);
    memcpy(d->x, start, sizeof d->x);
    memcpy(d->p, values, sizeof d->p);
#if ROWS
    memcpy(d->extra, extra, sizeof d->extra);
#endif
    d->tolerance = TOLERANCE;
}

static void place(double t, const double *x, double *s)
{
    memset(s, 0, STATE * sizeof *s);
    s[0] = t;
    memcpy(s + 1, x, NX * sizeof *x);
}

/* Whether all are numbers; accelerations at a singular position are none. */
static int are_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (!isfinite(x[i])) return 0;
    return 1;
}

#if ROWS
#include "closed.h"
#else
#define project(d) ((void)(d), 1)
#define is_off(d) ((void)(d), 0)
#endif

static void slope(const Data *d, double t, const double *x, double *dx)
{
    double s[STATE];
    place(t, x, s);
    memcpy(dx, x + COORDINATES, COORDINATES * sizeof *x);
    evaluate_motion(s, d->p, dx + COORDINATES);
}

static const double *accelerations(Data *d)
{
    if (!d->known) {
        double dx[NX];
        Data near = *d;
        (void)project(&near);
        slope(&near, d->t, near.x, dx);
        memcpy(d->a, dx + COORDINATES, sizeof d->a);
        d->known = 1;
    }
    return d->a;
}

#ifdef STEP
/* Runge and Kutta's fourth order in equal steps of at most STEP: the work is known beforehand. */
static int integrate(Data *d, double end)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const double begun = d->t, steps = fmax(1, ceil((end - begun) / STEP - 1e-6)), h = (end - begun) / steps;
    double k[NX], y[NX], sum[NX];
    if (!(steps <= 1e6)) return 0;
    d->known = 0;
    for (double n = 0; n < steps; ++n) {
        memcpy(sum, d->x, sizeof sum);
        memset(k, 0, sizeof k);
        for (int s = 0; s < 4; ++s) {
            for (int i = 0; i < NX; ++i) y[i] = d->x[i] + c[s] * h * k[i];
            slope(d, begun + (n + c[s]) * h, y, k);
            for (int i = 0; i < NX; ++i) sum[i] += b[s] * h * k[i];
        }
        for (int i = 0; i < NX; ++i)
            if (!isfinite(sum[i])) return 0;
        memcpy(d->x, sum, sizeof sum);
        d->t = n + 1 < steps ? begun + (n + 1) * h : end;
        if (!project(d)) return 0;
    }
    return 1;
}
#else
/* Dormand and Prince 5(4); the error of the embedded method controls the steps. */
static int integrate(Data *d, double end)
{
    static const double c[7] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
    static const double b[7][6] = {
        {0},
        {1. / 5},
        {3. / 40, 9. / 40},
        {44. / 45, -56. / 15, 32. / 9},
        {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
        {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
        {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
    static const double e[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
    double k[7][NX], y[NX], t = d->t, h = d->h > 0 ? d->h : (end - d->t) / 8;
    long left = 1000000;
    slope(d, t, d->x, k[0]);
    d->known = 0;
    while (t < end && left-- > 0) {
        const int last = t + h * 1.0000001 >= end;
        const double now = last ? end - t : h;
        double error = 0;
        for (int s = 1; s < 7; ++s) {
            for (int i = 0; i < NX; ++i) {
                double sum = 0;
                for (int j = 0; j < s; ++j) sum += b[s][j] * k[j][i];
                y[i] = d->x[i] + now * sum;
            }
            slope(d, t + c[s] * now, y, k[s]);
        }
        for (int i = 0; i < NX; ++i) {
            double off = 0;
            for (int s = 0; s < 7; ++s) off += e[s] * k[s][i];
            off *= now / (d->tolerance * (1 + fmax(fabs(d->x[i]), fabs(y[i]))));
            error += off * off;
        }
        error = sqrt(error / NX);
        if (error <= 1) {
            t = last ? end : t + now;
            memcpy(d->x, y, sizeof y);
            memcpy(k[0], k[6], sizeof y);
            d->t = t;
            if (!project(d)) return 0;
            if (ROWS) slope(d, t, d->x, k[0]);
        }
        double factor = error > 0 ? 0.9 * pow(error, -0.2) : error == 0 ? 5 : 0; /* 0: the error is no number */
        factor = factor > 5 ? 5 : factor > 0.1 ? factor : 0.1;
        if (!last || factor < 1) h = now * factor;
        if (!(h > 1e-14 * (fabs(t) + 1)) && t < end) return 0;
    }
    d->h = h;
    return t >= end;
}
#endif

static int get(Data *d, Reference r, double *value)
{
    if (r < VR_X) *value = d->t;
    else if (r < VR_DX) *value = d->x[r - VR_X];
    else if (r < VR_DX + COORDINATES) *value = d->x[r - VR_DX + COORDINATES];
    else if (r < VR_P) *value = accelerations(d)[r - VR_DX - COORDINATES];
    else if (r < VR_E) *value = d->p[r - VR_P];
#if ENERGIES
    else if (r < VR_END) {
        double s[STATE], energies[ENERGIES];
        place(d->t, d->x, s);
        evaluate_energies(s, d->p, energies);
        *value = energies[r - VR_E];
    }
#endif
    else return 0;
    return 1;
}

static int set(Data *d, Reference r, double value)
{
    if (r >= VR_X && r < VR_DX) d->x[r - VR_X] = value;
    else if (r >= VR_P && r < VR_E) d->p[r - VR_P] = value;
    else return 0;
    d->known = 0;
    return 1;
}

/* Changes of unknowns with those of states and efforts; 0 where one has no derivative. */
static int differentiate(Data *d, const Reference *unknown, size_t m, const Reference *known, size_t n,
                         const double *seed, double *change)
{
#if SLOPES
    enum { N = COORDINATES };
    double s[STATE], r[N * (NX + INPUTS) + ENERGIES * NX + 1], dx[NX] = {0}, du[N] = {0};
    for (size_t k = 0; k < n; ++k) {
        if (known[k] >= VR_X && known[k] < VR_DX) dx[known[k] - VR_X] += seed[k];
        else if (known[k] >= VR_P && known[k] < VR_P + INPUTS) du[known[k] - VR_P] += seed[k];
        else return 0;
    }
    place(d->t, d->x, s);
    evaluate_slopes(s, d->p, r);
    for (size_t k = 0; k < m; ++k) {
        const Reference at = unknown[k];
        double sum = 0;
        if (at >= VR_X && at < VR_DX) sum = dx[at - VR_X];
        else if (at >= VR_DX && at < VR_DX + N) sum = dx[at - VR_DX + N];
        else if (at >= VR_DX + N && at < VR_P) {
            const double *row = r + (at - VR_DX - N) * N, *push = r + N * NX + (at - VR_DX - N) * INPUTS;
            for (int i = 0; i < N; ++i) sum += row[i] * dx[i] + row[N * N + i] * dx[N + i];
            for (int i = 0; i < INPUTS; ++i) sum += push[i] * du[i];
        } else if (at >= VR_E && at < VR_END) {
            const double *row = r + N * (NX + INPUTS) + (at - VR_E) * NX;
            for (int i = 0; i < NX; ++i) sum += row[i] * dx[i];
        } else return 0;
        change[k] = sum;
    }
    return 1;
#else
    (void)d, (void)unknown, (void)m, (void)known, (void)n, (void)seed, (void)change;
    return 0;
#endif
}

static Status get_all(Component *c, const Reference r[], size_t n, double value[])
{
    for (size_t k = 0; k < n; ++k)
        if (!get(&c->d, r[k], value + k)) return fail(c, "there is no variable with this value reference");
    return are_finite(value, n) ? OK : fail(c, "a variable has no value at this state and these parameters");
}

static Status set_all(Component *c, const Reference r[], size_t n, const double value[])
{
    if (!are_finite(value, n)) return fail(c, "a value to set is no finite number");
    for (size_t k = 0; k < n; ++k)
        if (!set(&c->d, r[k], value[k])) return fail(c, "there is no variable to set with this value reference");
    return OK;
}

static Status step(Component *c, double t, double h)
{
    if (!(h > 0) || !isfinite(t + h)) return fail(c, "the step does not go forward");
    c->d.t = t;
    return integrate(&c->d, t + h) ? OK : fail(c, "no step leads on: the position is singular, or the tolerance too small");
}

static void begin_at(Component *c, int has_tolerance, double tolerance, double t)
{
    c->d.t = t;
    c->d.known = 0;
    if (has_tolerance && tolerance > 0) c->d.tolerance = tolerance;
}

#define COMPONENT ((Component *)i)
#define NOTHING(name) EXPORT Status NAMED(name)(void *i) { (void)i; return OK; }

EXPORT const char *NAMED(GetVersion)(void) { return FMI_VERSION == 3 ? "3.0" : "2.0"; }

EXPORT Status NAMED(SetDebugLogging)(void *i, Boolean on, size_t n, const char *const categories[])
{
    (void)i, (void)on, (void)n, (void)categories;
    return OK;
}

EXPORT void NAMED(FreeInstance)(void *i) { free(i); }

EXPORT Status NAMED(ExitInitializationMode)(void *i)
{
    return project(&COMPONENT->d) ? OK : fail(i, "the constraints do not close near this start");
}
NOTHING(EnterEventMode)
NOTHING(EnterContinuousTimeMode)
NOTHING(Terminate)

EXPORT Status NAMED(Reset)(void *i)
{
    begin(&COMPONENT->d);
    return OK;
}

EXPORT Status NAMED(SetTime)(void *i, double t)
{
    COMPONENT->d.t = t;
    COMPONENT->d.known = 0;
    return OK;
}

EXPORT Status NAMED(SetContinuousStates)(void *i, const double x[], size_t n)
{
    if (n != NX) return fail(i, "the FMU has another number of states");
    memcpy(COMPONENT->d.x, x, sizeof COMPONENT->d.x);
    COMPONENT->d.known = 0;
    return OK;
}

EXPORT Status NAMED(GetContinuousStates)(void *i, double x[], size_t n)
{
    if (n != NX) return fail(i, "the FMU has another number of states");
    memcpy(x, COMPONENT->d.x, sizeof COMPONENT->d.x);
    return OK;
}

static Status derivatives(Component *c, double dx[], size_t n)
{
    if (n != NX) return fail(c, "the FMU has another number of states");
    memcpy(dx, c->d.x + COORDINATES, COORDINATES * sizeof *dx);
    memcpy(dx + COORDINATES, accelerations(&c->d), COORDINATES * sizeof *dx);
    return are_finite(dx, n) ? OK : fail(c, "there are no accelerations at this state");
}

EXPORT Status NAMED(GetEventIndicators)(void *i, double z[], size_t n)
{
    (void)z;
    return n ? fail(i, "there are no event indicators") : OK;
}

EXPORT Status NAMED(GetNominalsOfContinuousStates)(void *i, double x[], size_t n)
{
    if (n != NX) return fail(i, "the FMU has another number of states");
    for (size_t k = 0; k < n; ++k) x[k] = 1;
    return OK;
}

static Status copy_state(Component *c, const void *from, void **to)
{
    if (!*to) *to = malloc(sizeof(Data));
    if (!*to) return fail(c, "there is no memory for a state");
    memcpy(*to, from, sizeof(Data));
    return OK;
}

static Status serialize(Component *c, const void *state, char bytes[], size_t n)
{
    if (n < sizeof(Data)) return fail(c, "the buffer is shorter than a state");
    memcpy(bytes, state, sizeof(Data));
    return OK;
}

static Status free_state(void **state)
{
    free(*state);
    *state = NULL;
    return OK;
}

#if FMI_VERSION == 3
#include "fmi3.h"
#else
#include "fmi2.h"
#endif
