#include <posenc/posenc.hpp>

Eigen::MatrixXf rotated_by_library(Eigen::MatrixXf x) {
  const posenc::Rope rope(posenc::Frequencies::geometric(8), posenc::PairLayout::half);
  rope.rotate(x);
  return x;
}
