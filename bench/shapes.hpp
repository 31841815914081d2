#pragma once
// The shapes that are measured, the names of benchmarks, and aligned memory with numbers in it.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <posenc/pair_layout.hpp>
#include <string>
#include <type_traits>

namespace posenc_bench {

using posenc::Index;
using posenc::PairLayout;

struct Shape {
  Index head_dim, heads, tokens;
  Index columns() const { return heads * head_dim; }
};

/// Prefill, where the memory is what counts; a decoding step, where the call is; one head, where the angles are.
inline constexpr Shape prefill_shapes[] = {{128, 32, 512}, {128, 32, 2048}, {128, 8, 4096}, {64, 12, 1024}};
inline constexpr Shape all_shapes[] = {{128, 32, 1},   {128, 8, 1},    {128, 32, 512}, {128, 32, 2048},
                                       {128, 8, 4096}, {64, 12, 1024}, {64, 1, 4096}};
inline constexpr PairLayout layouts[] = {PairLayout::half, PairLayout::interleaved};

/// Far enough that a wrong way to form the angle shows: one float's worth of it is 1/64 of a radian here.
inline constexpr std::int64_t first_position = 131072;

inline std::string name_of(PairLayout layout) { return layout == PairLayout::half ? "half" : "interleaved"; }
inline std::string name_of(const Shape& shape) {
  return "tokens:" + std::to_string(shape.tokens) + "/heads:" + std::to_string(shape.heads) +
         "/dim:" + std::to_string(shape.head_dim);
}
template <class T>
std::string name_of() {
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, double>) return "double";
  if constexpr (std::is_same_v<T, Eigen::half>) return "float16";
  if constexpr (std::is_same_v<T, Eigen::bfloat16>) return "bfloat16";
}

/// A row-major matrix on a boundary of 64 bytes under every set of flags (Eigen's own matrices follow the flags), with
/// numbers in -1 .. 1 that are the same in every run.
template <class T, int Order = Eigen::RowMajor>
class Data {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>;
  Data(Index rows, Index columns)
      : memory_(static_cast<T*>(std::aligned_alloc(64, (bytes_of(rows, columns) + 63) / 64 * 64))),
        x(memory_.get(), rows, columns) {
    fill();
  }

  void fill() {
    std::uint64_t state = 1;
    for (Index i = 0; i < x.size(); ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      x.data()[i] = static_cast<T>(static_cast<float>(state >> 40) * 0x1p-23f - 1.0f);
    }
  }
  std::size_t bytes() const { return bytes_of(x.rows(), x.cols()); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  static std::size_t bytes_of(Index rows, Index columns) {
    return static_cast<std::size_t>(rows * columns) * sizeof(T);
  }
  std::unique_ptr<T[], Free> memory_;

 public:
  Eigen::Map<Matrix, Eigen::Aligned64> x;
};

}  // namespace posenc_bench
