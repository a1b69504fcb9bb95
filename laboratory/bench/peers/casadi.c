/* A function that CasADi generated, over rows of states, for a caller that loads this file. */
#include <stdlib.h>

int equations(const double **arg, double **res, long long *iw, double *w, int mem);
int equations_work(long long *arg, long long *res, long long *iw, long long *w);

/* Rows q, v, a (count, n) -> rows (count, m). */
void loop(const double *q, const double *v, const double *a, double *out, long count, long n, long m) {
  long long args, results, whole, real;
  equations_work(&args, &results, &whole, &real);
  const double **arg = calloc(args + 3, sizeof(double *));
  double **res = calloc(results + 1, sizeof(double *));
  long long *iw = malloc(sizeof(long long) * (whole + 1));
  double *w = malloc(sizeof(double) * (real + 1));
  for (long i = 0; i < count; ++i) {
    arg[0] = q + i * n;
    arg[1] = v + i * n;
    arg[2] = a + i * n;
    res[0] = out + i * m;
    equations(arg, res, iw, w, 0);
  }
  free(arg);
  free(res);
  free(iw);
  free(w);
}
