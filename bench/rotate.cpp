// Rope::rotate, forming its angles itself, against an in-place pass over the same buffer.

#include <posenc/rope.hpp>

#include <string>

#include "limits.hpp"

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The benchmark is worth nothing if the result is wrong: a rotation there and back must give the data again.
bool is_right(const posenc::Rope<float>& rope, const Matrix& x) {
  Matrix y = x;
  rope.rotate(y, 1000);
  const bool moved = (y - x).norm() > 0.1f * x.norm();
  rope.unrotate(y, 1000);
  return moved && (y - x).norm() < 1e-5f * x.norm();
}

void rotate(benchmark::State& state, posenc::PairLayout layout, Eigen::Index dim, Eigen::Index heads,
            Eigen::Index tokens) {
  const posenc::Rope<float> rope(posenc::Frequencies::geometric(dim), layout);
  Matrix x = Matrix::Random(tokens, heads * dim);
  if (!is_right(rope, x)) return state.SkipWithError("a rotation there and back does not give the data again");
  posenc_bench::compare(
      state, 2 * sizeof(float) * static_cast<std::size_t>(x.size()), [&] { rope.rotate(x, 1000); },
      [&] { posenc_bench::in_place_pass(x.data(), x.size()); });
}

const bool registered = [] {
  const Eigen::Index shapes[][3] = {{128, 32, 1},   {128, 8, 1},    {128, 32, 512}, {128, 32, 2048},
                                    {128, 8, 4096}, {64, 12, 1024}, {64, 1, 4096}};
  for (const auto layout : {posenc::PairLayout::half, posenc::PairLayout::interleaved}) {
    for (const auto& [dim, heads, tokens] : shapes) {
      const std::string name = std::string("rotate/") + (layout == posenc::PairLayout::half ? "half" : "interleaved") +
                               "/float/tokens:" + std::to_string(tokens) + "/heads:" + std::to_string(heads) +
                               "/dim:" + std::to_string(dim);
      benchmark::RegisterBenchmark(name.c_str(), rotate, layout, dim, heads, tokens)->UseManualTime();
    }
  }
  return true;
}();

}  // namespace
