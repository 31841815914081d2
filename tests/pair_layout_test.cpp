// to_half and to_interleaved: where each channel goes, that scores survive, and every form of data.

#include "posenc/pair_layout.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
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
using posenc::to_half;
using posenc::to_interleaved;

namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// Every element tells its place: 128 row + column, exact in float, and in half for the first rows.
template <class T>
Rows<T> places(Index rows, Index cols) {
  return Rows<T>::NullaryExpr(rows, cols,
                              [](Index i, Index j) { return static_cast<T>(static_cast<float>(128 * i + j)); });
}
Rows<float> random(Index rows, Index cols, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> real(-1, 1);
  return Rows<float>::NullaryExpr(rows, cols, [&](Index, Index) { return real(engine); });
}

template <class A, class B>
bool same(const A& a, const B& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      if (std::memcmp(&a.coeffRef(i, j), &b.coeffRef(i, j), sizeof(typename A::Scalar)) != 0) return false;
    }
  }
  return true;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace

TEMPLATE_TEST_CASE("to_half puts the even channels of every head first and to_interleaved takes it back", "", float,
                   double, half, bfloat16, int) {
  using T = TestType;
  for (Index head_dim : {1, 2, 3, 4, 6, 10, 64}) {
    for (Index rotary_dim = 0; rotary_dim <= head_dim; rotary_dim += 2) {
      const Rows<T> x = places<T>(1, 2 * head_dim);
      Rows<T> expected = x, y = x;
      for (Index head : {Index{0}, head_dim}) {
        for (Index k = 0; k < rotary_dim / 2; ++k) {
          expected(0, head + k) = x(0, head + 2 * k);
          expected(0, head + rotary_dim / 2 + k) = x(0, head + 2 * k + 1);
        }
      }
      to_half(y, head_dim, rotary_dim);
      CAPTURE(head_dim, rotary_dim);
      CHECK(same(y, expected));
      to_interleaved(y, head_dim, rotary_dim);
      CHECK(same(y, x));
      to_interleaved(y, head_dim, rotary_dim);
      to_half(y, head_dim, rotary_dim);
      CHECK(same(y, x));
      if (rotary_dim == head_dim) {
        to_half(y, head_dim);
        CHECK(same(y, expected));
        to_interleaved(y, head_dim);
        CHECK(same(y, x));
      }
    }
  }
}

TEST_CASE("Written out the two orders are the documented ones") {
  Eigen::RowVectorXi x(8);
  x << 0, 1, 2, 3, 4, 5, 6, 7;
  to_half(x, 8);
  CHECK(x == (Eigen::RowVectorXi(8) << 0, 2, 4, 6, 1, 3, 5, 7).finished());
  x << 0, 1, 2, 3, 4, 5, 6, 7;
  to_interleaved(x, 8);
  CHECK(x == (Eigen::RowVectorXi(8) << 0, 4, 1, 5, 2, 6, 3, 7).finished());
  x << 0, 1, 2, 3, 4, 5, 6, 7;
  to_half(x, 4);
  CHECK(x == (Eigen::RowVectorXi(8) << 0, 2, 1, 3, 4, 6, 5, 7).finished());
  x << 0, 1, 2, 3, 4, 5, 6, 7;
  to_interleaved(x, 8, 6);
  CHECK(x == (Eigen::RowVectorXi(8) << 0, 3, 1, 4, 2, 5, 6, 7).finished());
}

TEST_CASE("Converted data turned in the other layout is the turned data converted and bit for bit") {
  for (Index rotary_dim : {6, 8}) {
    const Frequencies frequencies = Frequencies::geometric(rotary_dim);
    const Rope<float> interleaved(frequencies, PairLayout::interleaved, 8), halves(frequencies, PairLayout::half, 8);
    const std::vector<Position> positions = {0, 5, -17, 131071};
    const Rows<float> x = random(4, 24, 1);
    Rows<float> turned_first = x, converted_first = x;
    interleaved.rotate(turned_first, positions);
    to_half(turned_first, 8, rotary_dim);
    to_half(converted_first, 8, rotary_dim);
    halves.rotate(converted_first, positions);
    CHECK(same(turned_first, converted_first));
  }
}

TEST_CASE("Projections made for one layout give the same scores with the other once converted") {
  const Index hidden = 12, heads = 3, head_dim = 8, width = heads * head_dim, tokens = 5;
  const Rows<float> h = random(tokens, hidden, 2), wq = random(hidden, width, 3), wk = random(hidden, width, 4),
                    bq = random(1, width, 5), bk = random(1, width, 6);
  std::mt19937 engine(7);
  std::uniform_int_distribution<int> any(-100000, 100000);
  std::vector<int> positions(static_cast<std::size_t>(tokens));
  for (int& p : positions) p = any(engine);
  for (Index rotary_dim : {4, 8}) {
    for (PairLayout made_for : {PairLayout::interleaved, PairLayout::half}) {
      const bool was_half = made_for == PairLayout::half;
      const auto convert = [&](auto&& x) {
        if (was_half) {
          to_interleaved(x, head_dim, rotary_dim);
        } else {
          to_half(x, head_dim, rotary_dim);
        }
      };
      const auto scores = [&](const Rows<float>& q_weights, const Rows<float>& k_weights, const Rows<float>& q_bias,
                              const Rows<float>& k_bias, PairLayout layout) {
        const Rope<float> rope(Frequencies::geometric(rotary_dim), layout, head_dim);
        Rows<float> q = (h * q_weights).rowwise() + q_bias.row(0), k = (h * k_weights).rowwise() + k_bias.row(0);
        rope.rotate(q, positions);
        rope.rotate(k, positions);
        Rows<float> result(heads * tokens, tokens);
        for (Index i = 0; i < heads; ++i) {
          const Rows<double> q_head = q.middleCols(i * head_dim, head_dim).cast<double>(),
                             k_head = k.middleCols(i * head_dim, head_dim).cast<double>();
          result.middleRows(i * tokens, tokens) = (q_head * k_head.transpose()).cast<float>();
        }
        return result;
      };
      const Rows<float> expected = scores(wq, wk, bq, bk, made_for);
      // q has the stored columns, k has its weights stored one row an output; biases are rows.
      Rows<float> q_weights = wq, q_bias = bq, k_bias = bk;
      Rows<float> k_weights = wk.transpose();
      convert(q_weights);
      convert(k_weights.transpose());
      convert(q_bias);
      convert(k_bias.row(0));
      const PairLayout other = was_half ? PairLayout::interleaved : PairLayout::half;
      // The products of h and a column of weights may be summed in another order by Eigen: roundings of 12 products below 1.
      const Rows<float> found = scores(q_weights, k_weights.transpose(), q_bias, k_bias, other);
      const Rows<float> unconverted = scores(wq, wk, bq, bk, other);
      CHECK((found - expected).cwiseAbs().maxCoeff() <= 1e-5f * expected.cwiseAbs().maxCoeff());
      CHECK((unconverted - expected).cwiseAbs().maxCoeff() > 0.1f);
    }
  }
}

TEMPLATE_TEST_CASE("Every form of data is reordered in its own place and no other cell is touched", "", float, double,
                   half) {
  using T = TestType;
  const Rows<T> x = places<T>(4, 12);
  Rows<T> expected = x;
  to_half(expected, 6, 4);
  Columns<T> columns = x;
  to_half(columns, 6, 4);
  CHECK(same(columns, Columns<T>(expected)));
  Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic> array = x.array();
  to_half(array, 6, 4);
  CHECK(same(Rows<T>(array.matrix()), expected));
  Rows<T> transposed = x.transpose();
  to_half(transposed.transpose(), 6, 4);
  CHECK(same(Rows<T>(transposed.transpose()), expected));

  const Rows<T> sea = Rows<T>::Constant(6, 15, T(-5));
  Rows<T> around = sea, around_expected = sea;
  around.block(1, 2, 4, 12) = x;
  around_expected.block(1, 2, 4, 12) = expected;
  to_half(around.block(1, 2, 4, 12), 6, 4);
  CHECK(same(around, around_expected));
  Eigen::Ref<Rows<T>> ref = around;
  to_interleaved(ref.middleRows(1, 4).middleCols(2, 12), 6, 4);
  around_expected.block(1, 2, 4, 12) = x;
  CHECK(same(around, around_expected));

  // A map with gaps in both directions.
  std::vector<T> memory(4 * 40, T(-5));
  Eigen::Map<Rows<T>, 0, Eigen::Stride<-1, -1>> strided(memory.data(), 4, 12, Eigen::Stride<-1, -1>(40, 3));
  strided = x;
  to_half(strided, 6, 4);
  CHECK(same(Rows<T>(strided), expected));
  CHECK(std::count(memory.begin(), memory.end(), T(-5)) == 4 * 40 - 4 * 12);

  // Views: 2 sequences of 2 tokens, 2 heads; the same rows in the order batch, heads, tokens.
  Rows<T> batch = x, by_heads(1, 48), by_heads_expected(1, 48);
  to_half(posenc::bshd(batch.data(), 2, 2, 2, 6), 6, 4);
  CHECK(same(batch, expected));
  for (Index i = 0; i < 8; ++i) {
    const Index b = i / 4, t = i / 2 % 2, h = i % 2, place = ((b * 2 + h) * 2 + t) * 6;
    by_heads.middleCols(place, 6) = x.block(2 * b + t, 6 * h, 1, 6);
    by_heads_expected.middleCols(place, 6) = expected.block(2 * b + t, 6 * h, 1, 6);
  }
  to_half(posenc::bhsd(by_heads.data(), 2, 2, 2, 6), 6, 4);
  CHECK(same(by_heads, by_heads_expected));
}

TEST_CASE("Reordering nothing changes nothing") {
  Rows<float> none(0, 8), x = places<float>(2, 8);
  to_half(none, 8);
  to_half(x, 8, 0);
  to_interleaved(x, 4, 2);
  to_half(x.leftCols(0), 8);
  float* no_data = nullptr;
  to_half(posenc::bshd(no_data, Index{1} << 40, Index{1} << 40, 0, 8), 8);  // 2^80 times nothing, at once
  to_interleaved(posenc::bhsd(no_data, Index{1} << 40, Index{1} << 40, 0, 8), 8);
  CHECK(same(x, places<float>(2, 8)));
}

TEST_CASE("Reordering refuses what does not fit and leaves the data as it was") {
  const Rows<float> before = places<float>(2, 12);
  Rows<float> x = before;
  CHECK(refusal([&] { to_half(x, 0); }) == "posenc::to_half: head_dim must be at least 1, got 0");
  CHECK(refusal([&] { to_interleaved(x, -4); }) == "posenc::to_interleaved: head_dim must be at least 1, got -4");
  CHECK(refusal([&] { to_half(x, 8); }) == "posenc::to_half: columns must be a multiple of head_dim 8, got 12");
  CHECK(refusal([&] { to_interleaved(x, 8); }) ==
        "posenc::to_interleaved: columns must be a multiple of head_dim 8, got 12");
  CHECK(refusal([&] { to_half(x, 3); }) ==
        "posenc::to_half: the channels to reorder must be even and at most head_dim 3, got 3");
  CHECK(refusal([&] { to_half(x, 6, 3); }) ==
        "posenc::to_half: the channels to reorder must be even and at most head_dim 6, got 3");
  CHECK(refusal([&] { to_interleaved(x, 6, 8); }) ==
        "posenc::to_interleaved: the channels to reorder must be even and at most head_dim 6, got 8");
  CHECK(refusal([&] { to_interleaved(x, 6, -2); }) ==
        "posenc::to_interleaved: the channels to reorder must be even and at most head_dim 6, got -2");
  CHECK(refusal([&] { to_half(posenc::bshd(x.data(), 1, 2, 2, 6), 4); }) ==
        "posenc::to_half: head_dim of the view must be 4, got 6");
  CHECK(same(x, before));
}
