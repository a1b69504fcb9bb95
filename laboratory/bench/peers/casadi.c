/* A function that CasADi generated, over rows of states, for a caller that loads this file. */
#include <stdlib.h>

int equations(const double **arg, double **res, long long *iw, double *w, int mem);
int equations_work(long long *arg, long long *res, long long *iw, long long *w);

/* Rows of four operands (count, n) -> rows (count, m), none where `out` is null. */
void run(int n, int m, const double *q, const double *v, const double *a, const double *d, double *out, long count) {
  long long args, results, whole, real;
  equations_work(&args, &results, &whole, &real);
  const double **arg = calloc(args + 4, sizeof(double *));
  double **res = calloc(results + 1, sizeof(double *));
  long long *iw = malloc(sizeof(long long) * (whole + 1));
  double *w = malloc(sizeof(double) * (real + 1 + m));
  for (long i = 0; i < count; ++i) {
    const double *given[] = {q, v, a, d};
    for (int k = 0; k < 4; ++k) arg[k] = given[k] + i * n;
    res[0] = out ? out + i * m : w + real + 1;
    equations(arg, res, iw, w, 0);
  }
  free(arg), free(res), free(iw), free(w);
}
