// Rope at its edges: every width, row count and misalignment, every storage, guard cells around, strange numbers inside. A
// value has the bits that its row gets when it is turned alone, in memory of its own, at a listed position.

#include <atomic>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "posenc/rope.hpp"

using Eigen::bfloat16;
using Eigen::half;
using posenc::Frequencies;
using posenc::Index;
using posenc::PairLayout;
using posenc::Position;
using posenc::Rope;

namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
constexpr PairLayout both_layouts[] = {PairLayout::interleaved, PairLayout::half};

/// Numbers in [-2, 2) with 7 bits, so that even bfloat16 holds them; the same at every run.
template <class T>
Rows<T> numbers(Index rows, Index cols, std::uint32_t state = 12345) {
  return Rows<T>::NullaryExpr(rows, cols, [&](Index, Index) {
    state = state * 1664525u + 1013904223u;
    return static_cast<T>((static_cast<float>(state >> 25) - 63.5f) / 32);
  });
}

template <class T>
bool same_bits(const Rows<T>& a, const Rows<T>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(T) * static_cast<std::size_t>(a.size())) == 0);
}

/// A number from its bits; the unsigned type has the size of T.
template <class T, class Bits>
T from_bits(Bits bits) {
  static_assert(sizeof(T) == sizeof(Bits));
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}

/// From the bits: -ffast-math finds every number finite.
template <class T>
bool is_finite(T value) {
  return posenc::detail::is_finite(static_cast<double>(value));
}

enum class Verb { rotate, unrotate, backward, shift };
constexpr Verb all_verbs[] = {Verb::rotate, Verb::unrotate, Verb::backward, Verb::shift};

template <class R, class X, class P>
void call(Verb verb, const R& rope, X&& x, const P& positions) {
  if (verb == Verb::rotate) rope.rotate(x, positions);
  if (verb == Verb::unrotate) rope.unrotate(x, positions);
  if (verb == Verb::backward) rope.backward(x, positions);
  if (verb == Verb::shift) rope.shift(x, positions);
}

std::vector<Position> run(Position first, Index count) {
  std::vector<Position> positions;
  for (Index i = 0; i < count; ++i) positions.push_back(first + i);
  return positions;
}

/// Every head of every row turned alone.
template <class T>
Rows<T> alone(Verb verb, const Rope<Computed<T>>& rope, const Rows<T>& x, Position first) {
  Rows<T> result = x;
  for (Index row = 0; row < x.rows(); ++row) {
    for (Index head = 0; head < x.cols(); head += rope.head_dim()) {
      Rows<T> one = x.block(row, head, 1, rope.head_dim());
      call(verb, rope, one, std::vector<Position>{first + row});
      result.block(row, head, 1, rope.head_dim()) = one;
    }
  }
  return result;
}

/// A stretch of memory full of NaNs with one matrix in it, at `start` and with these steps between rows and columns.
template <class T>
class Guarded {
 public:
  Guarded(const Rows<T>& x, Index start, Index row_step, Index column_step)
      : memory_(static_cast<std::size_t>(start + row_step * x.rows() + column_step * x.cols() + 32), guard()),
        start_(start),
        row_step_(row_step),
        column_step_(column_step),
        rows_(x.rows()),
        cols_(x.cols()) {
    map() = x;
  }
  auto map() {
    using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
    return Eigen::Map<Rows<T>, 0, Stride>(memory_.data() + start_, rows_, cols_, Stride(row_step_, column_step_));
  }
  T* data() { return memory_.data() + start_; }
  /// The matrix is this one, and around it nothing has moved.
  bool is(const Rows<T>& expected) const {
    const Guarded other(expected, start_, row_step_, column_step_);
    return std::memcmp(memory_.data(), other.memory_.data(), sizeof(T) * memory_.size()) == 0;
  }

 private:
  static T guard() { return std::numeric_limits<T>::quiet_NaN(); }
  std::vector<T> memory_;
  Index start_, row_step_, column_step_, rows_, cols_;
};

}  // namespace

TEMPLATE_TEST_CASE("no width row count or misalignment changes a bit", "[edges]", float, double, half) {
  using T = TestType;
  const Position first = -20;  // through 0 and a block's border
  for (PairLayout layout : both_layouts) {
    for (Index dim = 2; dim <= 130; dim += 2) {
      const Rope<Computed<T>> rope(Frequencies::geometric(dim), layout);
      const Rows<T> x = numbers<T>(67, dim), expected = alone<T>(Verb::rotate, rope, x, first);
      bool same = true;
      for (Index rows = 0; rows <= 67; ++rows) {
        // all 16 misalignments in turn, and each with every width
        Guarded<T> memory(x.topRows(rows), (rows + dim / 2) % 16, dim, 1);
        rope.rotate(Eigen::Map<Rows<T>>(memory.data(), rows, dim), first);
        same = same && memory.is(expected.topRows(rows));
      }
      CAPTURE(dim, static_cast<int>(layout));
      CHECK(same);
    }
  }
}

TEMPLATE_TEST_CASE("no storage changes a bit of any verb and none writes beside its data", "[edges]", float, double,
                   half, bfloat16) {
  using T = TestType;
  const Position first = 1000;
  for (PairLayout layout : both_layouts) {
    for (Index dim : {2, 6, 16, 34, 64, 130}) {
      // Three heads, the turned channels in the middle.
      std::vector<double> omega;
      for (Index k = 0; k < dim / 2; ++k) omega.push_back(1.0 / static_cast<double>(1 + k));
      const Rope<Computed<T>> rope(Frequencies::from_values(omega, 1.25), layout, dim + 5, 3);
      const Index rows = 35, cols = 3 * (dim + 5);
      const Rows<T> x = numbers<T>(rows, cols);
      for (Verb verb : all_verbs) {
        const Rows<T> expected = alone<T>(verb, rope, x, first);
        for (Index start : {0, 1, 3, 15}) {
          for (auto [row_step, column_step] : {std::pair<Index, Index>{cols, 1},  // row-major
                                               {cols + 9, 1},                     // a block of a wider one
                                               {2 * cols + 1, 2},                 // every second column
                                               {1, rows},                         // column-major
                                               {1, rows + 4},                     // a block of a taller one
                                               {3, 3 * rows + 1}}) {
            CAPTURE(dim, static_cast<int>(layout), static_cast<int>(verb), start, row_step, column_step);
            Guarded<T> memory(x, start, row_step, column_step), list = memory,
                                                                out(Rows<T>::Zero(rows, cols), 1, cols + 2, 1);
            call(verb, rope, list.map(), run(first, rows));
            CHECK(list.is(expected));
            if (verb == Verb::shift) continue;  // a single number is one offset for all rows
            call(verb, rope, memory.map(), first);
            CHECK(memory.is(expected));
            if (verb != Verb::rotate) continue;
            Guarded<T> source(x, start, row_step, column_step);
            rope.rotate_to(out.map(), source.map(), first);
            CHECK((out.is(expected) && source.is(x)));
          }
        }
      }
    }
  }
}

#if !defined(__FAST_MATH__)  // which gives up the sign of zero
TEMPLATE_TEST_CASE("a zero has the same sign in every storage", "[edges]", float, double, half) {
  using T = TestType;
  // A frequency of 0 never turns, and its sine of 0 may not show in the sign of a product.
  const std::vector<double> omega(20, 0.0);
  for (PairLayout layout : both_layouts) {
    const Rope<Computed<T>> rope(Frequencies::from_values(omega), layout);
    for (float partner : {1.0f, -1.0f, 0.0f, -0.0f}) {
      for (float zero : {0.0f, -0.0f}) {
        Rows<T> x = Rows<T>::Constant(1, 40, T(zero));
        for (Index k = 0; k < 20; ++k) x(0, layout == PairLayout::half ? k : 2 * k) = T(partner);
        for (Verb verb : all_verbs) {
          Guarded<T> memory(x, 0, 1, 2);
          call(verb, rope, memory.map(), std::vector<int>{5});
          CAPTURE(static_cast<int>(layout), static_cast<int>(verb), partner, zero);
          CHECK(memory.is(alone<T>(verb, rope, x, 5)));
        }
      }
    }
    // Through a whole block and more, so rows are made alone, in pairs that mirror each other, and in columns.
    const Rope<Computed<T>> scaled(Frequencies::from_values(omega, 1.25), layout);
    const Rows<T> x = Rows<T>::Constant(130, 40, T(-0.0f));
    for (Verb verb : all_verbs) {
      const Rows<T> expected = alone<T>(verb, scaled, x, 1000);
      Guarded<T> by_rows(x, 0, 40, 1), by_columns(x, 0, 1, 130);
      call(verb, scaled, by_rows.map(), run(1000, 130));
      call(verb, scaled, by_columns.map(), run(1000, 130));
      CAPTURE(static_cast<int>(layout), static_cast<int>(verb));
      CHECK((by_rows.is(expected) && by_columns.is(expected)));
    }
  }
}
#endif

TEST_CASE("heads wider than one piece and many heads change no bit", "[edges]") {
  for (PairLayout layout : both_layouts) {
    for (auto [dim, heads] :
         {std::pair<Index, Index>{254, 2}, {256, 3}, {258, 2}, {300, 3}, {512, 2}, {1026, 1}, {8, 200}, {16, 7}}) {
      const Rope<float> rope(Frequencies::geometric(dim), layout, dim + 2, 1);
      const Rows<float> x = numbers<float>(40, heads * (dim + 2)), expected = alone<float>(Verb::rotate, rope, x, 0);
      Guarded<float> memory(x, 1, x.cols() + 3, 1), columns(x, 0, 1, 41);
      rope.rotate(memory.map());
      rope.rotate(columns.map());
      CAPTURE(dim, heads, static_cast<int>(layout));
      CHECK((memory.is(expected) && columns.is(expected)));
      // The pairs of a wide head are those of a narrow one with the same frequencies.
      const Index last = dim / 2 - 1;
      const auto omega = std::vector<double>{Frequencies::geometric(dim)[last]};
      Rows<float> pair(40, 2);
      pair << x.col(1 + (layout == PairLayout::half ? last : dim - 2)), x.col(dim);
      Rope<float>(Frequencies::from_values(omega), layout).rotate(pair);
      CHECK((pair.col(1) - expected.col(dim)).cwiseAbs().maxCoeff() < 4 * 2 * 1.5e-7f);
    }
  }
}

TEMPLATE_TEST_CASE("rotate_to into a part of a cache rotates in place on the way and copies what does not turn",
                   "[edges]", float, double) {
  using T = TestType;
  for (PairLayout layout : both_layouts) {
    const Rope<T> rope(Frequencies::geometric(16), layout, 20, 2);
    const Rows<T> x = numbers<T>(9, 60);
    Rows<T> rotated = x, cache = numbers<T>(30, 70, 7), before = cache, same_place = x;
    rope.rotate(rotated, 100);
    rope.rotate_to(cache.block(11, 4, 9, 60), x, 100);
    before.block(11, 4, 9, 60) = rotated;
    CHECK(same_bits(cache, before));
    rope.rotate_to(same_place, same_place, 100);
    CHECK(same_bits(same_place, rotated));
    rope.rotate_to(same_place, x);  // at position 0 a copy
    CHECK(same_bits<T>(same_place.topRows(1), x.topRows(1)));
  }
}

TEMPLATE_TEST_CASE("rotate_to between number types rounds once", "[edges]", half, bfloat16) {
  using T = TestType;
  const Rope<float> rope(Frequencies::geometric(16), PairLayout::half, 20, 2);
  // Floats with all their digits; the pass-through channels too.
  const Rows<float> x = numbers<float>(9, 60) / 3;
  Rows<float> rotated = x, wide(9, 60);
  Rows<T> narrow(9, 60);
  rope.rotate(rotated);
  rope.rotate_to(narrow, x);
  CHECK(same_bits<T>(narrow, rotated.template cast<T>()));
  narrow = x.template cast<T>();
  rope.rotate_to(wide, narrow);
  rotated = narrow.template cast<float>();
  rope.rotate(rotated);
  CHECK(same_bits(wide, rotated));
}

TEST_CASE("a turn by nothing leaves every bit as it is", "[edges]") {
  // The sign of a zero, the payload of a NaN, infinities, the smallest numbers.
  const std::uint32_t strange[] = {0x80000000, 0x7fc12345, 0xffc54321, 0x7f800000,
                                   0xff800000, 0x00000001, 0x80000001, 0x7f7fffff};
  for (PairLayout layout : both_layouts) {
    const Rope<float> rope(Frequencies::geometric(8), layout);
    for (Verb verb : all_verbs) {
      Rows<float> x(5, 32);
      for (Index i = 0; i < x.size(); ++i) x.data()[i] = from_bits<float>(strange[(3 * i + i / 8) % 8]);
      const Rows<float> before = x;
      Rows<half> halves = before.cast<half>(), halves_before = halves;
      call(verb, rope, x, std::vector<int>(5, 0));
      call(verb, rope, halves, std::vector<double>(5, -0.0));
      CHECK((same_bits(x, before) && same_bits(halves, halves_before)));
      call(verb, rope, x, std::vector<int>{0, 1, 0, 7, 0});  // between rows that do turn
      for (Index row : {0, 2, 4}) CHECK(same_bits<float>(x.row(row), before.row(row)));
      Rows<float> out = Rows<float>::Zero(5, 32);
      rope.rotate_to(out, before, std::vector<int>(5, 0));
      CHECK(same_bits(out, before));
    }
    Rows<float> x = numbers<float>(3, 8);
    const Rows<float> before = x;
    rope.shift(x, 0);
    rope.rotate(x.middleRows(1, 1));
    CHECK(same_bits(x, before));
    rope.rotate(x, -1);  // row 1 is at 0
    CHECK((same_bits<float>(x.row(1), before.row(1)) && !same_bits<float>(x.row(0), before.row(0))));
  }
}

TEMPLATE_TEST_CASE("NaN and infinity stay in their own pair", "[edges]", float, double, half, bfloat16) {
  using T = TestType;
  const Index dim = 38, pairs = dim / 2;  // packets and a tail
  for (PairLayout layout : both_layouts) {
    const Rope<Computed<T>> rope(Frequencies::geometric(dim), layout);
    for (Verb verb : all_verbs) {
      const Rows<T> x = numbers<T>(2, 2 * dim);
      Rows<T> clean = x;
      call(verb, rope, clean, std::vector<int>{7, 100});
      bool stays = true, shows = true;
      for (Index c = 0; c < 2 * dim; ++c) {
        for (T strange : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
          Rows<T> y = x;
          y(0, c) = strange;
          call(verb, rope, y, std::vector<int>{7, 100});
          const Index at = c % dim,
                      partner = c - at + (layout == PairLayout::interleaved ? (at ^ 1) : (at + pairs) % dim);
          shows = shows && !is_finite(y(0, c)) && !is_finite(y(0, partner));
          y(0, c) = clean(0, c);
          y(0, partner) = clean(0, partner);
          stays = stays && same_bits(y, clean);
        }
      }
      CAPTURE(static_cast<int>(layout), static_cast<int>(verb));
      CHECK((stays && shows));
    }
  }
}

TEST_CASE("threads on rows of their own give the bits of one thread", "[edges]") {
  // Many rounds from one starting shot, so that the threads meet also where there are few processors.
  const Rope<float> rope(Frequencies::geometric(64), PairLayout::half);
  const Index part = 300, parts = 3, rounds = 100;
  const Rows<float> x = numbers<float>(part * parts, 256);
  Rows<float> one_thread = x, many_threads = x;
  for (Index round = 0; round < rounds; ++round) rope.rotate(one_thread, 50 + round);
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (Index i = 0; i < parts; ++i) {
    threads.emplace_back([&, i] {
      while (!go) std::this_thread::yield();
      for (Index round = 0; round < rounds; ++round)
        rope.rotate(many_threads.middleRows(part * i, part), 50 + round + part * i);
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(same_bits(many_threads, one_thread));
}

TEMPLATE_TEST_CASE("data larger than the caches has the bits of its pieces", "[edges]", float, double) {
  using T = TestType;
  const Index heads = 32, head_dim = 128, rows = 2100, piece = 4;  // 34 MB of floats
  for (PairLayout layout : both_layouts) {
    const Rope<T> rope(Frequencies::geometric(head_dim), layout);
    const Rows<T> x = numbers<T>(rows, heads * head_dim);
    Rows<T> whole = x, pieces = x;
    rope.rotate(whole, -100);
    for (Index i = 0; i < rows; i += piece) rope.rotate(pieces.middleRows(i, piece), i - 100);
    CAPTURE(static_cast<int>(layout));
    CHECK(same_bits(whole, pieces));
    CHECK(!same_bits(whole, x));
  }
}
