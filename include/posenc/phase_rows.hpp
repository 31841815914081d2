#pragma once
// A ladder made ready for the kernels.

#include <type_traits>
#include <utility>
#include <vector>

#include "posenc/frequencies.hpp"
#include "posenc/kernel.hpp"

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// Zeros that begin at the begin of a cache line, so that no register's worth of them lies in two.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(Index n) : lines_(static_cast<std::size_t>((n + numbers_each - 1) / numbers_each)) {}
  const T* data() const { return lines_.data()->numbers; }
  T* data() { return lines_.data()->numbers; }

 private:
  static constexpr Index numbers_each = 64 / static_cast<Index>(sizeof(T));
  struct alignas(64) Line {
    T numbers[std::size_t{numbers_each}] = {};
  };
  std::vector<Line> lines_;
};

/// Which position turns which pair. Empty: there is one axis, and all pairs follow it.
using AxisOfPair = std::vector<Index>;

/// Small rotations, cosines and sines of r omega_k for r = 0 .. B/2 and all pairs, as Angles. For -r the sine has the other
/// sign.
template <class Angle>
struct SmallRotations {
  AlignedArray<Angle> cosine, sine;

  void set(const Frequencies& frequencies, Index stride) {
    cosine = AlignedArray<Angle>((half_block + 1) * stride + padding);
    sine = AlignedArray<Angle>((half_block + 1) * stride + padding);
    for (Index k = 0; k < frequencies.size(); ++k) {
      for (Index r = 0; r <= half_block; ++r) {
        const SinCos turn = sin_cos(phase_of(frequencies.step(k), r));
        cosine.data()[r * stride + k] = static_cast<Angle>(turn.cosine);
        sine.data()[r * stride + k] = static_cast<Angle>(turn.sine);
      }
    }
  }
};

/// The ladder, with what the kernel of this processor reads.
template <class Scalar>
class PhaseRows {
 public:
  explicit PhaseRows(Frequencies frequencies, AxisOfPair axis_of_pair = {}, Index axes = 1)
      : frequencies_(std::move(frequencies)), axis_of_pair_(std::move(axis_of_pair)), axes_(axes) {
    high_.resize(static_cast<std::size_t>(pairs() + padding));
    low_.resize(high_.size());
    for (auto& word : words_) word.resize(high_.size());
    for (std::size_t k = 0; k < frequencies_.steps().size(); ++k) {
      const Phase fraction = frequencies_.steps()[k].fraction;
      high_[k] = fraction.high;
      low_[k] = fraction.low;
      words_[0][k] = static_cast<std::uint32_t>(fraction.high >> 32);
      words_[1][k] = static_cast<std::uint32_t>(fraction.high);
      words_[2][k] = static_cast<std::uint32_t>(fraction.low >> 32);
    }
    with_kernel([&](auto kernel) { small<Angle<decltype(kernel)>>(*this).set(frequencies_, stride()); });
  }

  const Frequencies& frequencies() const { return frequencies_; }
  Index pairs() const { return frequencies_.size(); }
  Index axes() const { return axes_; }

  /// use(kernel, ladder) with the kernel of this processor and the ladder as it reads it.
  template <class Use>
  void with_ladder(const Use& use) const {
    with_kernel([&](auto kernel) {
      const auto& rotations = small<Angle<decltype(kernel)>>(*this);
      use(kernel, Ladder<Angle<decltype(kernel)>>{pairs(),
                                                  axes_,
                                                  stride(),
                                                  axis_of_pair_.empty() ? nullptr : axis_of_pair_.data(),
                                                  frequencies_.steps().data(),
                                                  high_.data(),
                                                  low_.data(),
                                                  {words_[0].data(), words_[1].data(), words_[2].data()},
                                                  rotations.cosine.data(),
                                                  rotations.sine.data()});
    });
  }

  /// Calls use(runs, count, begin, n) for all rows in spans [begin, begin + n).
  template <class Positions, class Use>
  void for_each_span(const Positions& positions, Index rows, const Use& use) const {
    Coordinate coordinates[span_runs];
    Run runs[span_runs];
    const Index most_runs = axes_ == 1 ? span_runs : span_runs / axes_;
    for (Index begin = 0, row = 0; begin < rows; begin = row) {
      const Index end = std::min(rows, begin + span_rows);
      Index count = 0;
      for (; row < end && count < most_runs; row += runs[count++].rows) {
        Coordinate* position = coordinates + count * axes_;
        for (Index axis = 0; axis < axes_; ++axis) position[axis] = positions.at(row, axis);
        runs[count] = {position, axes_ == 1 ? positions.run(row, end - row) : 1};
      }
      use(static_cast<const Run*>(runs), count, begin, row - begin);
    }
  }

 private:
  template <class Kernel>
  using Angle = typename Kernel::template Angle<Scalar>;

  template <class A, class Self>
  static auto& small(Self& self) {
    if constexpr (std::is_same_v<A, float>) {
      return self.in_float_;
    } else {
      return self.in_double_;
    }
  }
  Index stride() const { return (pairs() + padding - 1) / padding * padding; }

  Frequencies frequencies_;
  AxisOfPair axis_of_pair_;
  Index axes_;
  std::vector<std::uint64_t> high_, low_;
  std::vector<std::uint32_t> words_[3];
  SmallRotations<float> in_float_;  // of the two the kernel fills the one it reads
  SmallRotations<double> in_double_;
};

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
