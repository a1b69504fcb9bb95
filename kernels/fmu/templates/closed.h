/* A machine with constraints: accelerations by Gauss's principle, and states put back onto the constraints by the
   smallest change in the metric of the mass matrix M = L L'. Rows that depend on longer ones are left out. config.h
   holds the numbers: ROWS of D a + rest = 0; CLOSING rows f = 0, S v + flow = 0, which have EXTRA coordinates of cut
   joints besides; the lengths that rows have, by which they are judged; WEIGHT, if constraints give inertia. */

/* A gap, as a part of what a row is made of, that is none; one that no step of an importer leaves. */
#define CLOSED 1e-9
#define FAR 1e-3

enum { N = COORDINATES, WIDE = COORDINATES + EXTRA };

/* Replace a positive matrix by L in its lower triangle; 0 where it is none. */
static int factorise(double *M)
{
    for (int j = 0; j < N; ++j)
        for (int i = j; i < N; ++i) {
            double sum = M[i * N + j];
            for (int k = 0; k < j; ++k) sum -= M[i * N + k] * M[j * N + k];
            if (i > j) M[i * N + j] = sum / M[j * N + j];
            else if (sum > 0 && isfinite(sum)) M[j * N + j] = sqrt(sum);
            else return 0;
        }
    return 1;
}

static void solve_lower(const double *L, double *x)
{
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < i; ++j) x[i] -= L[i * N + j] * x[j];
        x[i] /= L[i * N + i];
    }
}

static void solve_upper(const double *L, double *x)
{
    for (int i = N; i-- > 0;) {
        for (int j = i + 1; j < N; ++j) x[i] -= L[j * N + i] * x[j];
        x[i] /= L[i * N + i];
    }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* Add WEIGHT times D'D, in parts of what both are made of; return the factor. */
static double add_rows(double *M, const double *D, int m, int wide)
{
    double trace = 0, squares = 0;
    if (!WEIGHT) return 0;
    for (int i = 0; i < N; ++i) trace += M[i * N + i];
    for (int k = 0; k < m; ++k) squares += dot(D + k * wide, D + k * wide, N);
    const double sigma = squares > 0 ? (trace > 0 ? trace : 1) / squares : 0;
    for (int k = 0; k < m; ++k)
        for (int i = 0; i < N; ++i)
            for (int j = 0; j <= i; ++j) M[i * N + j] += sigma * D[k * wide + i] * D[k * wide + j];
    return sigma;
}

/* Find the shortest x with A x = b by the rows of A, the longest first; A and b are overwritten. */
static void shorten(int m, double *A, double *b, const double *lengths, double *x)
{
    double R[MOST * MOST], c[MOST], first = 0;
    int order[MOST], taken[MOST] = {0}, rank = 0;
    for (int k = 0; k < m; ++k) {
        const double length = fmax(sqrt(dot(A + k * N, A + k * N, N)), lengths[k]);
        for (int i = 0; i < N && length > 0; ++i) A[k * N + i] /= length;
        if (length > 0) b[k] /= length;
    }
    memset(x, 0, N * sizeof *x);
    while (rank < m && rank < N) {
        int p = -1;
        double best = 0;
        for (int k = 0; k < m; ++k) {
            const double square = taken[k] ? 0 : dot(A + k * N, A + k * N, N);
            if (square > best) best = square, p = k;
        }
        if (p < 0 || !(sqrt(best) > THRESHOLD * (rank ? first : 0))) break;
        double *row = A + p * N;
        for (int j = 0; j < rank; ++j) { /* once more, as rounding has left some of the earlier ones in it */
            const double *q = A + order[j] * N, part = dot(q, row, N);
            for (int i = 0; i < N; ++i) row[i] -= part * q[i];
            R[j * MOST + p] += part;
        }
        const double size = sqrt(dot(row, row, N));
        if (!(size > 0)) break;
        if (!rank) first = size;
        for (int i = 0; i < N; ++i) row[i] /= size;
        double sum = b[p];
        for (int j = 0; j < rank; ++j) sum -= R[j * MOST + p] * c[j];
        c[rank] = sum / size;
        taken[p] = 1;
        for (int i = 0; i < N; ++i) x[i] += c[rank] * row[i];
        for (int k = 0; k < m; ++k) {
            if (taken[k]) continue;
            const double part = dot(row, A + k * N, N);
            for (int i = 0; i < N; ++i) A[k * N + i] -= part * row[i];
            R[rank * MOST + k] = part;
        }
        order[rank++] = p;
    }
}

/* Accelerations; no numbers where there is no inertia. */
static void evaluate_motion(const double *s, const double *p, double *a)
{
    double r[N * N + N + ROWS * N + ROWS], A[ROWS * N], b[ROWS], y[N];
    double *M = r, *force = r + N * N, *D = force + N, *rest = D + ROWS * N;
    evaluate_terms(s, p, r);
    const double sigma = add_rows(M, D, ROWS, N);
    for (int k = 0; k < ROWS; ++k)
        for (int i = 0; i < N; ++i) force[i] -= sigma * D[k * N + i] * rest[k];
    if (!are_finite(r, sizeof r / sizeof *r) || !factorise(M)) {
        for (int i = 0; i < N; ++i) a[i] = NAN;
        return;
    }
    memcpy(A, D, sizeof A);
    solve_lower(M, force);
    for (int k = 0; k < ROWS; ++k) {
        solve_lower(M, A + k * N);
        b[k] = -rest[k] - dot(A + k * N, force, N);
    }
    shorten(ROWS, A, b, row_lengths, y);
    for (int i = 0; i < N; ++i) a[i] = force[i] + y[i];
    solve_upper(M, a);
}

/* The rows at a state, by their sizes, and M; column by column what the extra coordinates alter becomes orthonormal. */
typedef struct {
    double M[N * N], f[CLOSING], S[CLOSING * WIDE], flow[CLOSING], Q[(EXTRA + !EXTRA) * CLOSING];
    double R[(EXTRA + !EXTRA) * (EXTRA + !EXTRA)];
} Rows;

static int find_rows(const Data *d, Rows *r)
{
    double s[STATE], p[SET + EXTRA + 1], found[N * N + CLOSING * (WIDE + 2)];
    place(d->t, d->x, s);
    memcpy(p, d->p, SET * sizeof *p);
    memcpy(p + SET, d->extra, EXTRA * sizeof *p);
    evaluate_rows(s, p, found);
    if (!are_finite(found, sizeof found / sizeof *found)) return 0;
    memcpy(r->M, found, sizeof r->M);
    for (int k = 0; k < CLOSING; ++k) {
        r->f[k] = found[N * N + k] / sizes[k];
        for (int i = 0; i < WIDE; ++i) r->S[k * WIDE + i] = found[N * N + CLOSING + k * WIDE + i] / sizes[k];
        r->flow[k] = found[N * N + CLOSING * (WIDE + 1) + k] / sizes[k];
    }
    for (int j = 0; j < EXTRA; ++j) {
        double *q = r->Q + j * CLOSING;
        for (int k = 0; k < CLOSING; ++k) q[k] = r->S[k * WIDE + N + j];
        for (int i = 0; i < j; ++i) {
            const double part = r->R[i * EXTRA + j] = dot(r->Q + i * CLOSING, q, CLOSING);
            for (int k = 0; k < CLOSING; ++k) q[k] -= part * r->Q[i * CLOSING + k];
        }
        const double size = r->R[j * EXTRA + j] = sqrt(dot(q, q, CLOSING));
        for (int k = 0; k < CLOSING; ++k) q[k] = size > 1e-9 ? q[k] / size : 0;
    }
    return 1;
}

static double find_largest(const double *x)
{
    double found = 0;
    for (int k = 0; k < CLOSING; ++k) found = fmax(found, fabs(x[k]));
    return found;
}

/* Take from numbers of the rows what extra coordinates alter: x -= Q Q' x; parts (EXTRA) are Q' x. */
static void reduce(const Rows *r, double *x, double *parts)
{
    for (int j = 0; j < EXTRA; ++j) {
        parts[j] = dot(r->Q + j * CLOSING, x, CLOSING);
        for (int k = 0; k < CLOSING; ++k) x[k] -= parts[j] * r->Q[j * CLOSING + k];
    }
}

/* Move the extra coordinates until no change of theirs makes f smaller; 0 where rows have no numbers. */
static int follow(Data *d, Rows *r)
{
    for (int round = 0; round < 8; ++round) {
        double f[CLOSING], change[EXTRA + 1], largest = 0;
        if (!find_rows(d, r)) return 0;
        memcpy(f, r->f, sizeof f);
        reduce(r, f, change);
        for (int j = EXTRA; j-- > 0;) {
            for (int i = j + 1; i < EXTRA; ++i) change[j] -= r->R[j * EXTRA + i] * change[i];
            const double size = r->R[j * EXTRA + j];
            change[j] = size > 1e-9 ? change[j] / size : 0;
            largest = fmax(largest, fabs(change[j]));
        }
        if (!(largest > 1e-14)) break;
        for (int j = 0; j < EXTRA; ++j) d->extra[j] -= change[j];
    }
    return 1;
}

/* The smallest change of positions (all = 0) or rates that takes away these numbers of the rows; 0 without inertia. */
static int find_change(const Rows *r, double *numbers, int all, double *change)
{
    double M[N * N], A[CLOSING * N], column[CLOSING], parts[EXTRA + 1];
    memcpy(M, r->M, sizeof M);
    (void)add_rows(M, r->S, CLOSING, WIDE);
    if (!factorise(M)) return 0;
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < CLOSING; ++k) column[k] = r->S[k * WIDE + i];
        reduce(r, column, parts);
        for (int k = 0; k < CLOSING; ++k) A[k * N + i] = all || holonomic[k] ? column[k] : 0;
    }
    reduce(r, numbers, parts);
    for (int k = 0; k < CLOSING; ++k) {
        if (!all && !holonomic[k]) numbers[k] = 0;
        solve_lower(M, A + k * N);
    }
    shorten(CLOSING, A, numbers, closing_lengths, change);
    solve_upper(M, change);
    return 1;
}

/* Begin the extra coordinates anew, as the state has gone far from where they closed the cut joints. */
static void begin_extra(Data *d, Rows *r)
{
    static const double begin[] = {0, 1.1, -1.9, 2.6, -0.7, 0.4};
    Data other = *d;
    double least = follow(&other, r) ? find_largest(r->f) : HUGE_VAL;
    for (int k = 0; EXTRA && k < 6 && !(least <= FAR); ++k) {
        other = *d;
        for (int j = 0; j < EXTRA; ++j) other.extra[j] = begin[k];
        if (!follow(&other, r) || !(find_largest(r->f) < least)) continue;
        least = find_largest(r->f);
        memcpy(d->extra, other.extra, sizeof d->extra);
    }
}

/* Put the state onto the constraints; 0 where they do not close. */
static int project(Data *d)
{
    Rows r;
    begin_extra(d, &r);
    Data best = *d;
    double change[N], numbers[CLOSING], least = HUGE_VAL;
    for (int round = 0; round < 20; ++round) {
        if (!follow(d, &r)) break;
        const double gap = find_largest(r.f);
        if (!(gap < least)) break;
        best = *d;
        least = gap;
        if (gap < 1e-15) break;
        memcpy(numbers, r.f, sizeof numbers);
        if (!find_change(&r, numbers, 0, change)) break;
        for (int i = 0; i < N; ++i) d->x[i] -= change[i];
    }
    *d = best;
    d->known = 0;
    if (!(least < CLOSED) || !follow(d, &r)) return 0;
    for (int round = 0; round < 2; ++round) {
        for (int k = 0; k < CLOSING; ++k) numbers[k] = dot(r.S + k * WIDE, d->x + N, N) + r.flow[k];
        if (!find_change(&r, numbers, 1, change)) return 0;
        for (int i = 0; i < N; ++i) d->x[N + i] -= change[i];
    }
    return 1;
}

/* Whether the state has left the constraints by more than an importer should let it. */
static int is_off(Data *d)
{
    Rows r;
    double gaps[CLOSING], parts[EXTRA + 1], size = 1;
    if (!follow(d, &r)) return 1;
    for (int i = 0; i < N; ++i) size = fmax(size, fabs(d->x[N + i]));
    for (int k = 0; k < CLOSING; ++k) gaps[k] = (dot(r.S + k * WIDE, d->x + N, N) + r.flow[k]) / size;
    reduce(&r, gaps, parts);
    return !(find_largest(r.f) <= CLOSED && find_largest(gaps) <= CLOSED);
}
