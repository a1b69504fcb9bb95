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

static void placed(const mjModel *m, mjData *d, const double *q) {
  memcpy(d->qpos, q, sizeof(double) * m->nq);
  mj_kinematics(m, d);
  mj_comPos(m, d);
}

static void moving(const mjModel *m, mjData *d, const double *v) {
  memcpy(d->qvel, v, sizeof(double) * m->nv);
  mj_comVel(m, d);
}

/* Each: rows q, v, a (count, nv) -> rows of results; of M and motions none are written where `out` is null. */
void inverse_dynamics(void *p, const double *q, const double *v, const double *a, double *out, long count) {
  const mjModel *m = ((Robot *)p)->model;
  mjData *d = ((Robot *)p)->data;
  for (long i = 0, n = m->nv; i < count; ++i) {
    placed(m, d, q + i * n);
    moving(m, d, v + i * n);
    memcpy(d->qacc, a + i * n, sizeof(double) * n);
    mj_rne(m, d, 1, out ? out + i * n : d->qfrc_inverse);
  }
}

void acceleration(void *p, const double *q, const double *v, double *out, long count) {
  const mjModel *m = ((Robot *)p)->model;
  mjData *d = ((Robot *)p)->data;
  for (long i = 0, n = m->nv; i < count; ++i) {
    placed(m, d, q + i * n);
    mj_makeM(m, d);
    mj_factorM(m, d);
    moving(m, d, v + i * n);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (long k = 0; k < n; ++k) d->qfrc_smooth[k] = -d->qfrc_bias[k];
    mj_solveM(m, d, out ? out + i * n : d->qacc, d->qfrc_smooth, 1);
  }
}

void M(void *p, const double *q, double *out, long count) {
  const mjModel *m = ((Robot *)p)->model;
  mjData *d = ((Robot *)p)->data;
  for (long i = 0, n = m->nv; i < count; ++i) {
    placed(m, d, q + i * n);
    mj_makeM(m, d);
    if (out) mj_fullM(m, d, out + i * n * n);
  }
}

void pose_and_jacobian(void *p, const char *body, const double *q, double *out, long count) {
  const mjModel *m = ((Robot *)p)->model;
  mjData *d = ((Robot *)p)->data;
  const int id = mj_name2id(m, mjOBJ_BODY, body);
  double *J = malloc(sizeof(double) * 6 * m->nv);
  for (long i = 0, n = m->nv; i < count; ++i) {
    placed(m, d, q + i * n);
    mj_jacBody(m, d, J, J + 3 * n, id);
    if (!out) continue;
    double *row = out + i * (12 + 6 * n);
    for (int k = 0; k < 3; ++k) {
      memcpy(row + 4 * k, d->xmat + 9 * id + 3 * k, sizeof(double) * 3);
      row[4 * k + 3] = d->xpos[3 * id + k];
    }
    memcpy(row + 12, J, sizeof(double) * 6 * n);
  }
  free(J);
}
