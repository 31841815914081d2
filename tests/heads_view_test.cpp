// HeadsView: data in any order of batch, tokens, heads and channels gives the bits of the matrix form.

#include "posenc/heads_view.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "posenc/rope.hpp"

using Eigen::half;
using posenc::Frequencies;
using posenc::HeadsView;
using posenc::Index;
using posenc::PairLayout;
using posenc::Position;
using posenc::Rope;

namespace {

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Rows<T> numbers(Index rows, Index cols) {
  std::uint32_t state = 12345;
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

constexpr Index batch = 2, tokens = 3, heads = 4, head_dim = 10;

/// A buffer of poison with a view into it: strides by hand, gaps between the numbers.
template <class T>
struct Buffer {
  static constexpr float poison = -77.0f;
  std::vector<T> memory;
  HeadsView<T> view;

  Buffer(std::size_t size, Index start, Index batch_stride, Index token_stride, Index head_stride, Index channel_stride)
      : memory(size, T(poison)), view{memory.data() + start, batch,        tokens,      heads,         head_dim,
                                      batch_stride,          token_stride, head_stride, channel_stride} {}
  Buffer(const Buffer&) = delete;

  T& at(Index b, Index t, Index h, Index c) { return view.head(b, t, h)[c * view.channel_stride]; }

  /// Matrix form: row b tokens + t, column h head_dim + c.
  void fill(const Rows<T>& matrix) {
    each([&](T& value, Index row, Index column) { value = matrix(row, column); });
  }
  Rows<T> read() {
    Rows<T> matrix(batch * tokens, heads * head_dim);
    each([&](T& value, Index row, Index column) { matrix(row, column) = value; });
    return matrix;
  }
  template <class Visit>
  void each(Visit visit) {
    for (Index b = 0; b < batch; ++b) {
      for (Index t = 0; t < tokens; ++t) {
        for (Index h = 0; h < heads; ++h) {
          for (Index c = 0; c < head_dim; ++c) visit(at(b, t, h, c), b * tokens + t, h * head_dim + c);
        }
      }
    }
  }
  /// Only the numbers of the view were ever touched.
  bool gaps_hold() {
    Index poisoned = 0;
    for (const T& value : memory) poisoned += value == T(poison);
    return poisoned == static_cast<Index>(memory.size()) - batch * tokens * heads * head_dim;
  }
};

/// Calls check(buffer) with every order: token-head, head-token, channels apart, padded, backwards.
template <class T, class Check>
void for_each_order(Check check) {
  const std::size_t full = batch * tokens * heads * head_dim;
  Buffer<T> token_head(full, 0, tokens * heads * head_dim, heads * head_dim, head_dim, 1);
  Buffer<T> head_token(full, 0, heads * tokens * head_dim, head_dim, tokens * head_dim, 1);
  Buffer<T> interlaced(2 * full, 1, 2 * tokens * heads * head_dim, 2 * heads * head_dim, 2 * head_dim, 2);
  Buffer<T> channels_first(full, 0, tokens, 1, batch * tokens * head_dim, batch * tokens);
  Buffer<T> padded(3 * full, 5, 300, 77, 17, 1);
  Buffer<T> backwards(full, static_cast<Index>(full) - heads * head_dim, -tokens * heads * head_dim, -heads * head_dim,
                      head_dim, 1);
  for (Buffer<T>* buffer : {&token_head, &head_token, &interlaced, &channels_first, &padded, &backwards})
    check(*buffer);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "not refused";
}

const std::vector<Position> token_positions = {7, 0, 1000000};
const std::vector<Position> batch_token_positions = {7, 0, 1000000, -5, 31, 32};

}  // namespace

TEST_CASE("bshd and bhsd put every element where their letters say", "[heads_view]") {
  std::vector<float> memory(batch * tokens * heads * head_dim);
  const auto a = HeadsView<float>::bshd(memory.data(), batch, tokens, heads, head_dim);
  const auto b = HeadsView<float>::bhsd(memory.data(), batch, tokens, heads, head_dim);
  Index next_a = 0, next_b = 0;  // counted in the order of the letters
  for (Index i = 0; i < batch; ++i) {
    for (Index t = 0; t < tokens; ++t) {
      for (Index h = 0; h < heads; ++h, next_a += head_dim) CHECK(a.head(i, t, h) - memory.data() == next_a);
    }
    for (Index h = 0; h < heads; ++h) {
      for (Index t = 0; t < tokens; ++t, next_b += head_dim) CHECK(b.head(i, t, h) - memory.data() == next_b);
    }
  }
  for (const auto& view : {a, b, posenc::bshd(memory.data(), batch, tokens, heads, head_dim)}) {
    CHECK((view.batch == batch && view.tokens == tokens && view.heads == heads && view.head_dim == head_dim));
    CHECK((view.channel_stride == 1 && view.head(0, 0, 0) == memory.data()));
  }
}

TEMPLATE_TEST_CASE("every verb on a view of any order gives the bits of the matrix form", "[heads_view]", float, double,
                   half) {
  using T = TestType;
  using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Rows<T> x = numbers<T>(batch * tokens, heads * head_dim);
  std::vector<Position> shared = token_positions;
  shared.insert(shared.end(), token_positions.begin(), token_positions.end());
  using PositionTable = Eigen::Matrix<Position, Eigen::Dynamic, Eigen::Dynamic>;
  const PositionTable by_columns = Eigen::Map<const Rows<Position>>(batch_token_positions.data(), batch, tokens);
  const Rows<Position> by_rows = by_columns;

  for (PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
    const Rope<Computed> rope(Frequencies::from_values(std::vector<double>{1, 0.1, 0.01}, 1.25), layout, head_dim, 2);
    const auto check = [&](const auto& call, const auto& positions, const std::vector<Position>& row_positions) {
      Rows<T> expected = x;
      call(expected, row_positions);
      for_each_order<T>([&](Buffer<T>& buffer) {
        buffer.fill(x);
        call(buffer.view, positions);
        CHECK(same_bits(buffer.read(), expected));
        CHECK(buffer.gaps_hold());
      });
    };
    const auto check_all = [&](const auto& positions, const std::vector<Position>& row_positions) {
      check([&](auto&& data, const auto& p) { rope.rotate(data, p); }, positions, row_positions);
      check([&](auto&& data, const auto& p) { rope.unrotate(data, p); }, positions, row_positions);
      check([&](auto&& data, const auto& p) { rope.backward(data, p); }, positions, row_positions);
      check([&](auto&& data, const auto& p) { rope.shift(data, p); }, positions, row_positions);
    };
    check_all(token_positions, shared);                       // one per token, the same for each sequence of the batch
    check_all(batch_token_positions, batch_token_positions);  // one per batch x token, as a vector
    check_all(by_rows, batch_token_positions);                // and as a matrix, stored either way
    check_all(by_columns, batch_token_positions);
    check_all(by_columns.cast<double>(), batch_token_positions);
    check([&](auto&& data, const auto& p) { rope.rotate(data, p); }, Position{30}, {30, 31, 32, 30, 31, 32});
    check([&](auto&& data, const auto& p) { rope.shift(data, p); }, Position{30}, std::vector<Position>(6, 30));
  }
}

TEST_CASE("rotate_to goes from any order to any other and to other number types", "[heads_view]") {
  const Rows<float> x = numbers<float>(batch * tokens, heads * head_dim);
  const Rope<float> rope(Frequencies::geometric(6), PairLayout::half, head_dim, 1);
  Rows<float> expected = x;
  rope.rotate(expected, batch_token_positions);
  for_each_order<float>([&](Buffer<float>& from) {
    from.fill(x);
    HeadsView<const float> source{from.view.data,
                                  batch,
                                  tokens,
                                  heads,
                                  head_dim,
                                  from.view.batch_stride,
                                  from.view.token_stride,
                                  from.view.head_stride,
                                  from.view.channel_stride};
    for_each_order<float>([&](Buffer<float>& to) {
      rope.rotate_to(to.view, source, batch_token_positions);
      CHECK((same_bits(to.read(), expected) && to.gaps_hold()));
    });
    for_each_order<half>([&](Buffer<half>& to) {
      rope.rotate_to(to.view, source, batch_token_positions);
      CHECK((same_bits<half>(to.read(), expected.cast<half>()) && to.gaps_hold()));
    });
    CHECK((same_bits(from.read(), x) && from.gaps_hold()));
  });
  // A matrix is a batch of one.
  Rows<float> one = x.topRows(tokens), out(tokens, heads * head_dim);
  rope.rotate_to(posenc::bshd(out.data(), 1, tokens, heads, head_dim), one, 5);
  rope.rotate(one, 5);
  CHECK(same_bits(out, one));
}

TEST_CASE("rows of a view are its tokens at their places in every order and nothing else is written", "[heads_view]") {
  const Rope<float> rope(Frequencies::geometric(head_dim), PairLayout::half);
  const Rows<float> x = numbers<float>(batch * tokens, heads * head_dim);
  for_each_order<float>([&](auto& buffer) {
    for (Index first = 0; first <= tokens; ++first) {
      for (Index count = 0; count <= tokens - first; ++count) {
        INFO("tokens " << first << " to " << first + count - 1);
        buffer.fill(x);
        const HeadsView<float> part = buffer.view.rows(first, count);
        CHECK((part.batch == batch && part.tokens == count && part.heads == heads && part.head_dim == head_dim));
        if (count > 0) {
          CHECK((part.head(1, 0, 1) == buffer.view.head(1, first, 1) &&
                 part.channel_stride == buffer.view.channel_stride));
        }
        rope.rotate(part, 5);
        Rows<float> expected = x;
        for (Index b = 0; b < batch; ++b) rope.rotate(expected.middleRows(b * tokens + first, count), 5);
        CHECK(same_bits(buffer.read(), expected));
        CHECK(buffer.gaps_hold());
      }
    }
  });
}

TEST_CASE("rotate_to into rows of a key cache leaves what is stored there and the room behind", "[heads_view]") {
  const Rope<float> rope(Frequencies::geometric(head_dim), PairLayout::half);
  const Index room = 7;
  std::vector<float> cache(static_cast<std::size_t>(batch * heads * room * head_dim), -77.0f);
  const auto keys = posenc::bhsd(cache.data(), batch, room, heads, head_dim);
  Rows<float> x = numbers<float>(batch * tokens, heads * head_dim);
  const auto fresh = posenc::bshd(x.data(), batch, tokens, heads, head_dim);
  rope.rotate_to(keys.rows(2, tokens), fresh, 2);
  rope.rotate(fresh, 2);
  Index wrong = 0;
  for (Index b = 0; b < batch; ++b) {
    for (Index h = 0; h < heads; ++h) {
      for (Index t = 0; t < room; ++t) {
        for (Index c = 0; c < head_dim; ++c) {
          const bool is_new = t >= 2 && t < 2 + tokens;
          wrong += cache[static_cast<std::size_t>(((b * heads + h) * room + t) * head_dim + c)] !=
                   (is_new ? x(b * tokens + t - 2, h * head_dim + c) : -77.0f);
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("rows that a view does not have are refused and a view without data has rows", "[heads_view][errors]") {
  float x[32] = {};
  const auto view = posenc::bhsd(x, 1, 4, 1, 8);
  const Index largest = std::numeric_limits<Index>::max();
  for (auto [first, count] : {std::pair<Index, Index>{-1, 2}, {0, 5}, {3, 2}, {5, 0}, {2, -1}, {2, largest}}) {
    CHECK(refusal([&, first = first, count = count] { view.rows(first, count); }) ==
          "posenc::HeadsView::rows: first and count must name some of the 4 tokens of the view, got first " +
              std::to_string(first) + " and count " + std::to_string(count));
  }
  CHECK(view.rows(4, 0).tokens == 0);
  CHECK(posenc::bhsd(static_cast<const float*>(nullptr), 2, 3, 0, 8).rows(1, 2).data == nullptr);
}

TEST_CASE("views of no batch no tokens or no heads change nothing and need no data", "[heads_view]") {
  const Rope<float> rope(Frequencies::geometric(10), PairLayout::half);
  float* none = nullptr;
  const std::vector<int> three = {1, 2, 3}, empty;
  for (auto [b, t, h] : {std::tuple<Index, Index, Index>{0, 3, 4}, {2, 3, 0}, {1, 3, 0}}) {
    rope.rotate(posenc::bshd(none, b, t, h, 10), three);
    rope.shift(posenc::bhsd(none, b, t, h, 10), 5);
  }
  for (Index b : {0, 1, 2}) {
    rope.rotate(posenc::bshd(none, b, 0, 4, 10), empty);
    rope.rotate_to(posenc::bshd(none, b, 0, 4, 10), posenc::bhsd(none, b, 0, 4, 10), Eigen::MatrixXi(b, 0));
  }
  CHECK(refusal([&] { rope.unrotate(posenc::bshd(none, 0, 3, 4, 10), empty); }) == "not refused");
}

TEST_CASE("views of nothing may have more rows than 64 bits count", "[heads_view]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  float* none = nullptr;
  const Index many = Index{1} << 40, most = Index{1} << 61;
  const std::string counts =
      "there must be 1099511627776 positions, one per token, or 9223372036854775807, one per batch x "
      "token, got 2";
  rope.rotate(posenc::bshd(none, many, many, 0, 8));
  rope.unrotate(posenc::bhsd(none, many, many, 0, 8), 5);
  CHECK(refusal([&] {
          rope.rotate(posenc::bshd(none, many, many, 0, 8), std::vector<int>{1, 2});
        }) == "posenc::Rope::rotate: " + counts);
  CHECK(refusal([&] { rope.rotate(posenc::bshd(none, many, many, 0, 8), Eigen::MatrixXi::Zero(2, 1).eval()); }) ==
        "posenc::Rope::rotate: a matrix of positions must be batch x tokens, 1099511627776 x 1099511627776, got 2 x 1");
  rope.rotate(posenc::bhsd(none, 0, most, most, 8), 1);
  rope.rotate(posenc::bshd(none, 5, 0, most, 8));
  const Eigen::MatrixXf table = Eigen::MatrixXf::Zero(3, 2);
  CHECK(refusal([&] { rotate_pairs(posenc::bshd(none, many, many, 0, 8), table, table, PairLayout::half, 8); }) ==
        "posenc::rotate_pairs: tables must have one row for each of the 9223372036854775807 rows, got 3");
  // No columns are heads of any width, of which there are none.
  Eigen::MatrixXf no_columns(3, 0);
  const Index wide = Index{1} << 62;
  Rope<float>(Frequencies::geometric(8), PairLayout::half, wide).rotate(no_columns);
  posenc::to_half(no_columns, wide);
}

TEST_CASE("the makers of HeadsView refuse negative sizes a head without channels and missing data",
          "[heads_view][errors]") {
  float x = 0;
  CHECK(refusal([&] { posenc::bshd(&x, -1, 1, 1, 1); }) ==
        "posenc::HeadsView::bshd: sizes must not be negative and head_dim at least 1, got batch -1, tokens 1, heads 1, "
        "head_dim 1");
  CHECK(refusal([&] { posenc::bhsd(&x, 1, -2, 1, 1); }) ==
        "posenc::HeadsView::bhsd: sizes must not be negative and head_dim at least 1, got batch 1, tokens -2, heads 1, "
        "head_dim 1");
  CHECK(refusal([&] { HeadsView<float>::bshd(&x, 1, 1, -3, 1); }) ==
        "posenc::HeadsView::bshd: sizes must not be negative and head_dim at least 1, got batch 1, tokens 1, heads -3, "
        "head_dim 1");
  CHECK(refusal([&] { HeadsView<float>::bhsd(&x, 1, 1, 1, 0); }) ==
        "posenc::HeadsView::bhsd: sizes must not be negative and head_dim at least 1, got batch 1, tokens 1, heads 1, "
        "head_dim 0");
  CHECK(refusal([&] { posenc::bshd(static_cast<double*>(nullptr), 1, 1, 1, 1); }) ==
        "posenc::HeadsView::bshd: data is null");
  CHECK(refusal([&] { posenc::bhsd(static_cast<double*>(nullptr), 1, 1, 1, 1); }) ==
        "posenc::HeadsView::bhsd: data is null");
}

TEST_CASE("Rope refuses a view or positions that do not fit and leaves the data as it was", "[heads_view][errors]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half),
      other(Frequencies::geometric(6), PairLayout::half);
  const Rows<float> before = numbers<float>(6, 16);
  Rows<float> x = before, out = before;
  const auto view = posenc::bshd(x.data(), 2, 3, 2, 8);
  CHECK(refusal([&] { other.rotate(view); }) == "posenc::Rope::rotate: head_dim of the view must be 6, got 8");
  CHECK(refusal([&] { other.rotate_to(out.leftCols(12), view); }) ==
        "posenc::Rope::rotate_to: head_dim of the view must be 6, got 8");
  CHECK(refusal([&] { rope.rotate(view, std::vector<int>(4)); }) ==
        "posenc::Rope::rotate: there must be 3 positions, one per token, or 6, one per batch x token, got 4");
  CHECK(refusal([&] { rope.shift(view, std::vector<double>(2)); }) ==
        "posenc::Rope::shift: there must be 3 positions, one per token, or 6, one per batch x token, got 2");
  CHECK(refusal([&] { rope.unrotate(view, Eigen::MatrixXi::Zero(3, 2).eval()); }) ==
        "posenc::Rope::unrotate: a matrix of positions must be batch x tokens, 2 x 3, got 3 x 2");
  Eigen::MatrixXd positions = Eigen::MatrixXd::Zero(2, 3);
  positions(1, 0) = std::numeric_limits<double>::infinity();
  CHECK(refusal([&] { rope.backward(view, positions); }) ==
        "posenc::Rope::backward: position 3 must be a number within [-2^62, 2^62], got inf");
  CHECK(refusal([&] { rope.rotate_to(view, before); }) ==
        "posenc::Rope::rotate_to: out must have the shape of x (batch x tokens x heads), 1 x 6 x 2, got 2 x 3 x 2");
  CHECK((same_bits(x, before) && same_bits(out, before)));
}

TEST_CASE("an out that would overwrite x while it is read is refused", "[heads_view][errors]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  Eigen::MatrixXf square = Eigen::MatrixXf::Random(8, 8);
  const Eigen::MatrixXf before = square;
  CHECK(refusal([&] { rope.rotate_to(square.transpose(), square, 3); }) ==
        "posenc::Rope::rotate_to: out begins where x does but has other strides, so it would overwrite x while it is "
        "read");
  CHECK(square == before);
  rope.rotate_to(square, square, 3);  // x itself is as good as rotate
  Eigen::MatrixXf rotated = before;
  rope.rotate(rotated, 3);
  CHECK(square == rotated);
}

TEMPLATE_TEST_CASE("rotate_to onto the same memory as another type is refused", "[heads_view][errors]", half, float) {
  // Rows at position 0 and channels that do not turn would keep the bits of the old type.
  using Other = std::conditional_t<std::is_same_v<TestType, half>, Eigen::bfloat16, half>;
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half, 10);
  std::vector<TestType> x(20, TestType(1.5f));
  const auto before = x;
  const auto from = posenc::bshd(x.data(), 1, 2, 1, 10);
  const auto to = posenc::bshd(reinterpret_cast<Other*>(x.data()), 1, 2, 1, 10);
  CHECK(refusal([&] { rope.rotate_to(to, from); }) ==
        "posenc::Rope::rotate_to: out begins where x does but has another type, so it would overwrite x while it is "
        "read");
  CHECK(x == before);
  const auto read_only = posenc::bshd(static_cast<const TestType*>(x.data()), 1, 2, 1, 10);
  rope.rotate_to(from, read_only);  // the same type, once const
  CHECK(x != before);
}

TEST_CASE("a view filled by hand is checked as the makers check theirs", "[heads_view][errors]") {
  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  float x[8] = {};
  HeadsView<float> view = posenc::bshd(x, 1, 1, 1, 8);
  view.tokens = -1;
  CHECK(refusal([&] { rope.rotate(view); }) ==
        "posenc::Rope::rotate: sizes must not be negative and head_dim at least 1, got batch 1, tokens -1, heads 1, "
        "head_dim 8");
  view = posenc::bshd(x, 1, 1, 1, 8);
  view.data = nullptr;
  CHECK(refusal([&] { rope.rotate(view); }) == "posenc::Rope::rotate: data is null");
  CHECK(refusal([&] { posenc::bshd(x, Index{1} << 32, Index{1} << 32, 1, 8); }) ==
        "posenc::HeadsView::bshd: there must be fewer than 2^62 elements, got batch 4294967296, tokens 4294967296, "
        "heads 1, head_dim 8");
}
