/* MuJoCo's passes over rows of states, for a caller that loads this file: what the quantity needs and nothing else. */
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  mjModel *model;
  mjData *data;
} Robot;

/* A model file; null, and why in `error`, where it is refused. */
void *robot(const char *file, char *error, int size) {
  mjModel *model = mj_loadXML(file, NULL, error, size);
  if (!model) return NULL;
  Robot *robot = malloc(sizeof(Robot));
  robot->model = model;
  robot->data = mj_makeData(model);
  return robot;
}

/* Rows of four operands (count, nv), of which q, v, a are read -> rows of results, none where `out` is null. */
void run(void *p, int what, int way, int body, const double *q, const double *v, const double *a, const double *unread,
         double *out, long count) {
  const mjModel *m = ((Robot *)p)->model;
  mjData *d = ((Robot *)p)->data;
  const long n = m->nv, width = what < 2 ? n : what == 2 ? n * n : 12 + 6 * n;
  double *row = malloc(sizeof(double) * width);
  for (long i = 0; i < count; ++i) {
    double *at = out ? out + i * width : row;
    memcpy(d->qpos, q + i * n, sizeof(double) * n);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    if (what == 1 || what == 2) mj_makeM(m, d);
    if (what == 1) mj_factorM(m, d);
    if (what < 2) {
      memcpy(d->qvel, v + i * n, sizeof(double) * n);
      mj_comVel(m, d);
    }
    if (what == 0) {
      memcpy(d->qacc, a + i * n, sizeof(double) * n);
      mj_rne(m, d, 1, at);
    } else if (what == 1) {
      mj_rne(m, d, 0, d->qfrc_bias);
      for (long k = 0; k < n; ++k) d->qfrc_smooth[k] = -d->qfrc_bias[k];
      mj_solveM(m, d, at, d->qfrc_smooth, 1);
    } else if (what == 2) {
      if (out) mj_fullM(m, d, at);
    } else {
      mj_jacBody(m, d, at + 12, at + 12 + 3 * n, body);
      for (int k = 0; out && k < 12; ++k) at[k] = k % 4 < 3 ? d->xmat[9 * body + k / 4 * 3 + k % 4] : d->xpos[3 * body + k / 4];
    }
  }
  free(row);
}
