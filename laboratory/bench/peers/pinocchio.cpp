// A model of Pinocchio built body by body, and its algorithms over rows of states, for a caller that loads this file.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
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
  using JointModelRX = JointModelRevoluteTpl<S, O, 0>;
  using JointModelRY = JointModelRevoluteTpl<S, O, 1>;
  using JointModelRZ = JointModelRevoluteTpl<S, O, 2>;
  using JointModelVariant = boost::variant<JointModelRX, JointModelRY, JointModelRZ>;
  using JointDataRX = JointDataRevoluteTpl<S, O, 0>;
  using JointDataRY = JointDataRevoluteTpl<S, O, 1>;
  using JointDataRZ = JointDataRevoluteTpl<S, O, 2>;
  using JointDataVariant = boost::variant<JointDataRX, JointDataRY, JointDataRZ>;
};
using Robots = ModelTpl<double, 0, Turns>;
using Scratch = DataTpl<double, 0, Turns>;
using Joints = Turns<double, 0>;

using Row = Eigen::Map<const Eigen::VectorXd>;

struct Robot {
  Robots model;
  std::unique_ptr<Scratch> data;
  std::vector<JointIndex> joint;  // that carries each body
  std::vector<SE3> placement;     // of each body in the frame of that joint
};

extern "C" {

void *robot(const double *gravity) {
  auto *robot = new Robot;
  robot->model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(gravity);
  return robot;
}

// The next body: its parent (-1: none), the axis that it turns about (0, 1, 2; -1: fixed), rotation by rows and shift
// of its frame at rest in its parent's, mass, centre of mass, and xx xy yy xz yz zz about that.
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
    joint = axis == 0   ? robot.model.addJoint(joint, Joints::JointModelRX(), place, name)
            : axis == 1 ? robot.model.addJoint(joint, Joints::JointModelRY(), place, name)
                        : robot.model.addJoint(joint, Joints::JointModelRZ(), place, name);
    place = SE3::Identity();
  }
  const Eigen::Map<const Eigen::Matrix<double, 6, 1>> J(tensor);
  robot.model.appendBodyToJoint(joint, Inertia(mass, Eigen::Map<const Eigen::Vector3d>(centre), Symmetric3(J)), place);
  robot.joint.push_back(joint);
  robot.placement.push_back(place);
}

void ready(void *p) {
  auto &robot = *static_cast<Robot *>(p);
  robot.data = std::make_unique<Scratch>(robot.model);
}

// Each: rows q, v, a (count, nv) -> rows of results; none are written where `out` is null.
void inverse_dynamics(void *p, const double *q, const double *v, const double *a, double *out, long count) {
  auto &[model, data, joint, placement] = *static_cast<Robot *>(p);
  const long n = model.nv;
  for (long i = 0; i < count; ++i) {
    rnea(model, *data, Row(q + i * n, n), Row(v + i * n, n), Row(a + i * n, n));
    if (out) Eigen::Map<Eigen::VectorXd>(out + i * n, n) = data->tau;
  }
}

void acceleration(void *p, int convention, const double *q, const double *v, double *out, long count) {
  auto &[model, data, joint, placement] = *static_cast<Robot *>(p);
  const long n = model.nv;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
  for (long i = 0; i < count; ++i) {
    aba(model, *data, Row(q + i * n, n), Row(v + i * n, n), none, convention ? Convention::WORLD : Convention::LOCAL);
    if (out) Eigen::Map<Eigen::VectorXd>(out + i * n, n) = data->ddq;
  }
}

void M(void *p, int convention, const double *q, double *out, long count) {
  auto &[model, data, joint, placement] = *static_cast<Robot *>(p);
  const long n = model.nv;
  for (long i = 0; i < count; ++i) {
    crba(model, *data, Row(q + i * n, n), convention ? Convention::WORLD : Convention::LOCAL);
    if (out) Eigen::Map<Eigen::MatrixXd>(out + i * n * n, n, n) = data->M.selfadjointView<Eigen::Upper>();
  }
}
// Of the frame of a body in world axes: [R r] by rows, then the Jacobian by rows, velocity above angular velocity.
void pose_and_jacobian(void *p, int body, const double *q, double *out, long count) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  auto &[model, data, joint, placement] = *static_cast<Robot *>(p);
  const long n = model.nv;
  Scratch::Matrix6x J = Scratch::Matrix6x::Zero(6, n);
  SE3 pose;
  for (long i = 0; i < count; ++i) {
    computeJointJacobians(model, *data, Row(q + i * n, n));
    pose = data->oMi[joint[body]] * placement[body];
    getFrameJacobian(model, *data, joint[body], placement[body], LOCAL_WORLD_ALIGNED, J);
    if (!out) continue;
    Eigen::Map<Rows> placed(out + i * (12 + 6 * n), 3, 4);
    placed << pose.rotation(), pose.translation();
    Eigen::Map<Rows>(out + i * (12 + 6 * n) + 12, 6, n) = J;
  }
}
}
