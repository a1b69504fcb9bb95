// A model of Pinocchio built body by body, and its algorithms over rows of states, for a caller that loads this file.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <memory>
#include <string>
#include <vector>

using namespace pinocchio;

// The joints that models here have. With all of its joints Pinocchio is compiled for minutes, and up to 15 % slower.
template <typename S, int O>
struct Turns {
  using Scalar = S;
  static constexpr int Options = O;
  template <template <typename, int, int> class Turn, template <typename, int, int> class Slide>
  using Kinds = boost::variant<Turn<S, O, 0>, Turn<S, O, 1>, Turn<S, O, 2>
#ifdef SLIDES
    , Slide<S, O, 0>, Slide<S, O, 1>, Slide<S, O, 2>
#endif
  >;
  using JointModelVariant = Kinds<JointModelRevoluteTpl, JointModelPrismaticTpl>;
  using JointDataVariant = Kinds<JointDataRevoluteTpl, JointDataPrismaticTpl>;
};
using Robots = ModelTpl<double, 0, Turns>;
using Scratch = DataTpl<double, 0, Turns>;

using Row = Eigen::Map<const Eigen::VectorXd>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Block = Eigen::Map<Rows>;

struct Robot {
  Robots model;
  std::unique_ptr<Scratch> data;
  std::vector<JointIndex> joint;  // that carries each body
  std::vector<SE3> placement;     // of each body in the frame of that joint
  std::vector<RigidConstraintModel> loops[2];
  std::vector<RigidConstraintData> scratch[2];
};

extern "C" {

void *robot(const double *gravity) {
  auto *robot = new Robot;
  robot->model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(gravity);
  return robot;
}

// The next body: its parent (-1: none), the axis that it turns about (0, 1, 2), or along which it shifts (3, 4, 5;
// -1: fixed), rotation by rows and shift of its frame at rest in its parent's, mass, centre of mass, and xx xy yy xz yz zz about that.
void body(void *p, int parent, int axis, const double *R, const double *shift, double mass, const double *centre,
          const double *tensor) {
  auto &robot = *static_cast<Robot *>(p);
  using Rows = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  SE3 place{Eigen::Map<const Rows>(R), Eigen::Map<const Eigen::Vector3d>(shift)};
  JointIndex joint = 0;
  if (parent >= 0) {
    joint = robot.joint[parent];
    place = robot.placement[parent] * place;
  }
  if (axis >= 0) {
    const std::string name = std::to_string(robot.joint.size());
    auto add = [&](const auto &kind) { return robot.model.addJoint(joint, kind, place, name); };
    if (axis < 3) joint = axis == 0 ? add(JointModelRX()) : axis == 1 ? add(JointModelRY()) : add(JointModelRZ());
#ifdef SLIDES
    else joint = axis == 3 ? add(JointModelPX()) : axis == 4 ? add(JointModelPY()) : add(JointModelPZ());
#endif
    place = SE3::Identity();
  }
  const Eigen::Map<const Eigen::Matrix<double, 6, 1>> J(tensor);
  robot.model.appendBodyToJoint(joint, Inertia(mass, Eigen::Map<const Eigen::Vector3d>(centre), Symmetric3(J)), place);
  robot.joint.push_back(joint);
  robot.placement.push_back(place);
}

// A point of one body that coincides with one of another (-1: the ground).
void loop(void *p, int first, const double *there, int second, const double *here) {
  auto &robot = *static_cast<Robot *>(p);
  auto joint = [&](int body) { return body < 0 ? JointIndex(0) : robot.joint[body]; };
  auto place = [&](int body, const double *at) {
    const SE3 point(Eigen::Matrix3d::Identity(), Eigen::Map<const Eigen::Vector3d>(at));
    return body < 0 ? point : SE3(robot.placement[body] * point);
  };
  for (int frame : {0, 1})
    robot.loops[frame].emplace_back(CONTACT_3D, robot.model, joint(first), place(first, there), joint(second),
                                    place(second, here), frame ? LOCAL_WORLD_ALIGNED : LOCAL);
}

void ready(void *p) {
  auto &robot = *static_cast<Robot *>(p);
  robot.data = std::make_unique<Scratch>(robot.model);
  for (int frame : {0, 1})
    for (const auto &loop : robot.loops[frame]) robot.scratch[frame].emplace_back(loop);
}

// Rows q, v, a, and q, v, dq, dv with constraints (count, nv) -> rows of results, none where `out` is null. The way: axes
// of the body or of the world, and how singular rows are softened. Columns of a regressor are each joint's body's: mass,
// m c, tensor about the frame's origin, xx xy yy xz yz zz; of a body [R r] by rows, then the Jacobian, v above omega.
void run(void *p, int what, int way, int body, const double *q, const double *v, const double *a, const double *d,
         double *out, long count) {
  auto &[model, data, joint, placement, loops, scratch] = *static_cast<Robot *>(p);
  const long n = model.nv;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
  const auto axes = way % 2 ? Convention::WORLD : Convention::LOCAL;
  const double softness[] = {0, 1e-12, 1e-10, 1e-8};
  const int turns[] = {1, 1, 3, 5};
  ProximalSettings settings(1e-14, softness[way / 2], turns[way / 2]);
  const auto &rows = loops[way % 2];
  auto &held = scratch[way % 2];
  Scratch::Matrix6x J = Scratch::Matrix6x::Zero(6, n);
  SE3 pose;
  if (what > 6) initConstraintDynamics(model, *data, rows, held);
  auto put = [&](const auto &made) {
    if (out) Block(out, made.rows(), made.cols()) = made, out += made.size();
  };
  for (long i = 0; i < count; ++i) {
    const Row at(q + i * n, n), rate(v + i * n, n), third(a + i * n, n), fourth(d + i * n, n);
    switch (what) {
      case 0: rnea(model, *data, at, rate, third), put(data->tau); break;
      case 1: aba(model, *data, at, rate, none, axes), put(data->ddq); break;
      case 2: crba(model, *data, at, axes), put(data->M.selfadjointView<Eigen::Upper>()); break;
      case 3: computeRNEADerivatives(model, *data, at, rate, third), put(data->dtau_dq), put(data->dtau_dv); break;
      case 4:
        computeABADerivatives(model, *data, at, rate, none);
        put(data->ddq_dq), put(data->ddq_dv), put(data->Minv.selfadjointView<Eigen::Upper>());
        break;
      case 5: computeJointTorqueRegressor(model, *data, at, rate, third), put(data->jointTorqueRegressor); break;
      case 6:
        computeJointJacobians(model, *data, at);
        pose = data->oMi[joint[body]] * placement[body];
        getFrameJacobian(model, *data, joint[body], placement[body], LOCAL_WORLD_ALIGNED, J);
        if (out) put(pose.toHomogeneousMatrix().topRows<3>());
        put(J);
        break;
      default:
        constraintDynamics(model, *data, at, rate, none, rows, held, settings);
        if (what > 7) computeConstraintDynamicsDerivatives(model, *data, rows, held, settings);
        put(data->ddq);
        if (what > 7) put(data->ddq_dq * third + data->ddq_dv * fourth);
    }
  }
}
}
