#include <cmath>
#include <iostream>
#include <posenc/posenc.hpp>

Eigen::MatrixXf rotated_by_library(Eigen::MatrixXf x);

int main() {
  const posenc::Rope rope(posenc::Frequencies::geometric(8), posenc::PairLayout::half);
  Eigen::MatrixXf x = Eigen::MatrixXf::Ones(2, 8);
  rope.rotate(x);
  const float expected = std::cos(1.0f) - std::sin(1.0f);  // position 1, pair 0, whose frequency is 1
  if (x(0, 0) != 1.0f || std::abs(x(1, 0) - expected) > 1e-6f) return 1;
  if (x != rotated_by_library(Eigen::MatrixXf::Ones(2, 8))) return 2;
  std::cout << "posenc " << posenc::version_string << '\n';
}
