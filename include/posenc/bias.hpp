#pragma once
// Positions as a bias on attention scores: ALiBi, a slope for every head, and T5, a learned number for every bucket of
// distances. Scores are queries x keys of one head; key j stands at position j and query row i at query_offset + i, so a
// decoder that has one new query against n keys says query_offset = n - 1.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "posenc/errors.hpp"
#include "posenc/heads_view.hpp"
#include "posenc/phase.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// Whether a query sees only the keys up to its own position, or all.
enum class Attention { causal, bidirectional };

namespace detail {

inline void require_attention_kind(Attention attention, const char* function) {
  require(attention == Attention::causal || attention == Attention::bidirectional, function,
          ": attention must be Attention::causal or Attention::bidirectional, got ", static_cast<int>(attention));
}

/// scores(i, j) <- scores(i, j) + bias(j - (query_offset + i)), summed in double and rounded once. check(farthest, largest)
/// comes before anything is written: with the largest distance, and the largest number of the scores' type (float for 16 bits).
template <class Scores, class Check, class Bias>
void add_bias(Scores&& scores, Position query_offset, const char* function, Check check, Bias bias) {
  static_assert(!is_heads_view<Plain<Scores>>, "posenc: scores are a matrix, queries x keys of one head");
  const auto view = detail::writable_view_of(std::forward<Scores>(scores), 1, function);  // one "head" a key
  using T = std::remove_pointer_t<decltype(view.data)>;
  static_assert(is_real<T>, "posenc: scores must hold float, double, Eigen::half or Eigen::bfloat16");
  const Position limit = Position{1} << 62;
  require(query_offset >= -limit && query_offset <= limit, function,
          ": query_offset must be within [-2^62, 2^62], got ", query_offset);
  if (view.is_empty()) return;  // however many rows of nothing there are
  using Scalar = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const double offset = static_cast<double>(query_offset), last_key = static_cast<double>(view.heads - 1);
  check(std::max(std::abs(last_key - offset), std::abs(offset + static_cast<double>(view.tokens - 1))),
        static_cast<double>(std::numeric_limits<Scalar>::max()));
  for (Index i = 0; i < view.tokens; ++i) {
    for (Index j = 0; j < view.heads; ++j) {
      T& score = *view.head(0, i, j);
      score = static_cast<T>(static_cast<double>(score) + bias(j - (query_offset + i)));
    }
  }
}

}  // namespace detail

/// ALiBi's slope of one head.
///   heads a power of two:   2^(-8 (head + 1) / heads)
///   otherwise, with m the largest power of two below heads: the m slopes of m heads, then numbers 0, 2, 4 .. of those of 2m
/// Accuracy  within 1e-15, relative; powers of two are exact.  Test: bias_test.
/// Throws    std::invalid_argument for heads < 1 or a head that is not within [0, heads).
/// Source    Press et al. 2022, "Train Short, Test Long: Attention with Linear Biases".
inline double alibi_slope(Index head, Index heads) {
  detail::require(heads >= 1, "alibi_slope: heads must be at least 1, got ", heads);
  detail::require(head >= 0 && head < heads, "alibi_slope: head must be within [0, ", heads, "), got ", head);
  Index m = 1;
  while (m <= heads / 2) m *= 2;
  const double numerator = head < m ? 2 * static_cast<double>(head + 1) : static_cast<double>(2 * (head - m) + 1);
  const double exponent = numerator * (4 / static_cast<double>(m));  // exact, as m is a power of two
  const double whole = std::floor(exponent);
  return std::ldexp(std::exp2(whole - exponent), -static_cast<int>(whole));
}

/// The slopes of all heads.
inline Eigen::VectorXd alibi_slopes(Index heads) {
  detail::require(heads >= 1, "alibi_slopes: heads must be at least 1, got ", heads);
  detail::require(heads <= Index{1} << 24, "alibi_slopes: heads must be at most 2^24, got ", heads);
  return Eigen::VectorXd::NullaryExpr(heads, [&](Index head) { return alibi_slope(head, heads); });
}

/// Adds ALiBi's bias to the scores of one head.
///   scores(i, j) <- scores(i, j) - slope (p - j),   p = query_offset + i          causal; keys after p are yours to mask
///   scores(i, j) <- scores(i, j) - slope |p - j|                                  bidirectional
/// Shapes    scores: queries x keys, any dense Eigen form with data in memory, changed in place.
/// Units     slope in units of score per token; positions in tokens.
/// Accuracy  formed and added in double and rounded once to the type of scores.  Test: bias_test.
/// Throws    std::invalid_argument for a slope that is not finite or makes a bias that is not, or |query_offset| > 2^62.
template <class Scores>
void add_alibi(Scores&& scores, double slope, Position query_offset = 0, Attention attention = Attention::causal) {
  const char* function = "add_alibi";
  detail::require(detail::is_finite(slope), function, ": slope must be a finite number, got ", slope);
  detail::require_attention_kind(attention, function);
  const auto check = [&](double farthest, double largest) {
    detail::require(detail::is_between(slope * farthest, -largest, largest), function, ": slope ", slope,
                    " times the farthest distance ", farthest, " must be within [-", largest, ", ", largest, "]");
  };
  detail::add_bias(std::forward<Scores>(scores), query_offset, function, check, [&](Position relative) {
    const Position ahead = attention == Attention::bidirectional && relative > 0 ? -relative : relative;
    return slope * static_cast<double>(ahead);
  });
}

namespace detail {

/// A whole number of any size, in words from the lowest.
struct Whole {
  std::vector<std::uint64_t> words{1};

  void multiply_by(Index factor, Index times) {
    for (; times > 0; --times) {
      std::uint64_t carry = 0;
      for (std::uint64_t& word : words) {
        const Wide product = multiply(word, static_cast<std::uint64_t>(factor));
        word = product.low + carry;
        carry = product.high + (word < carry);
      }
      if (carry != 0) words.push_back(carry);
    }
  }
  friend bool operator>=(const Whole& a, const Whole& b) {
    if (a.words.size() != b.words.size()) return a.words.size() > b.words.size();
    return !std::lexicographical_compare(a.words.rbegin(), a.words.rend(), b.words.rbegin(), b.words.rend());
  }
};

}  // namespace detail

/// T5's buckets of relative positions, rel = key position - query position: one per distance up to e, then ever wider ones.
///   bidirectional: N = num_buckets / 2, x = |rel|, buckets of keys after the query come after all others, from N on
///   causal:        N = num_buckets,     x = max(-rel, 0)
///   e = N / 2 rounded down;  x < e: bucket x;  else min(N - 1, e + floor((N - e) ln(x/e) / ln(max_distance/e)))
/// The floor is exact: where its value is whole, as at distances 16, 32, 64 and 128 of 32 buckets, logarithms in floating
/// point may fall one short. So the first distance of every bucket is found by comparing whole numbers, once:
///   x^(N-e) >= max_distance^b e^(N-e-b)          <=>          x belongs to bucket e + b or beyond
/// An object is immutable; its members may be called from many threads and allocate nothing.
///
/// Units     positions in tokens.
/// Throws    std::invalid_argument for fewer than 2 buckets or more than 65536 (bidirectional: fewer than 4, or an odd
///           number), and for a max_distance that is not within (e, 2^31).
/// Source    Raffel et al. 2020, T5, section 2.1; google-research/text-to-text-transfer-transformer.
class T5Buckets {
 public:
  explicit T5Buckets(Attention attention, Index num_buckets = 32, Index max_distance = 128)
      : attention_(attention), num_buckets_(num_buckets), max_distance_(max_distance) {
    detail::require_attention_kind(attention, "T5Buckets");
    const bool both = attention == Attention::bidirectional;
    detail::require(num_buckets >= (both ? 4 : 2) && num_buckets <= 65536 && !(both && num_buckets % 2 != 0),
                    both ? "T5Buckets: num_buckets of both directions must be even and within [4, 65536], got "
                         : "T5Buckets: num_buckets must be within [2, 65536], got ",
                    num_buckets);
    one_side_ = both ? num_buckets / 2 : num_buckets;
    const Index e = one_side_ / 2, n = one_side_ - e;
    detail::require(max_distance > e && Position{max_distance} < Position{1} << 31,
                    "T5Buckets: max_distance must be within (", e, ", 2^31), got ", max_distance);
    const double growth = std::log(static_cast<double>(max_distance) / static_cast<double>(e)) / static_cast<double>(n);
    for (Index b = 1; b < n; ++b) {
      // a little too small at first, then counted up
      auto x = static_cast<Index>(static_cast<double>(e) * std::exp(growth * static_cast<double>(b)) * (1 - 1e-12)) - 1;
      while (!reaches(x, b)) ++x;
      first_.push_back(x);
    }
  }

  /// The bucket of one relative position, key position - query position.
  Index bucket(Position relative) const {
    const Position ahead = std::min<Position>(std::max<Position>(relative, -max_distance_), max_distance_);
    const bool both = attention_ == Attention::bidirectional;
    const Position x = ahead <= 0 ? -ahead : both ? ahead : 0;
    const Index e = one_side_ / 2, offset = both && ahead > 0 ? one_side_ : 0;
    if (x < e) return offset + x;
    return offset + e + (std::upper_bound(first_.begin(), first_.end(), x) - first_.begin());
  }

  /// Adds the learned bias of one head to its scores.
  ///   scores(i, j) <- scores(i, j) + table(bucket(j - (query_offset + i)), head)
  /// Shapes    scores: queries x keys, any dense Eigen form with data in memory, changed in place; table: num_buckets x heads.
  /// Throws    std::invalid_argument, before anything is written, for a table of another height, a head that it does not
  ///           have, or |query_offset| > 2^62.
  template <class Scores, class Table>
  void add_to(Scores&& scores, const Table& table, Index head, Position query_offset = 0) const {
    const char* function = "T5Buckets::add_to";
    static_assert(detail::is_eigen<Table>, "posenc: the table is an Eigen matrix, num_buckets x heads");
    static_assert(!detail::has_product<Table>(), "posenc: the table is a product; evaluate it into a matrix first");
    detail::require(table.rows() == num_buckets_, function, ": the table must have ", num_buckets_,
                    " rows, one per bucket, got ", table.rows());
    detail::require(head >= 0 && head < table.cols(), function, ": head must be within [0, ", table.cols(), "), got ",
                    head);
    const auto no_check = [](double, double) {};
    detail::add_bias(std::forward<Scores>(scores), query_offset, function, no_check, [&](Position relative) {
      return static_cast<double>(table.derived().coeff(bucket(relative), head));
    });
  }

  Attention attention() const { return attention_; }
  Index num_buckets() const { return num_buckets_; }
  Index max_distance() const { return max_distance_; }

 private:
  /// x^n >= max_distance^b e^(n-b): by logarithms where these leave no doubt, else in whole numbers.
  bool reaches(Index x, Index b) const {
    Index e = one_side_ / 2, n = one_side_ - e;
    if (x <= e) return false;
    const double reached = static_cast<double>(n) * std::log(static_cast<double>(x) / static_cast<double>(e));
    const double needed =
        static_cast<double>(b) * std::log(static_cast<double>(max_distance_) / static_cast<double>(e));
    if (std::abs(reached - needed) > 1e-12 * static_cast<double>(n)) return reached > needed;
    const Index common = std::gcd(n, b);
    n /= common;
    b /= common;
    detail::Whole left, right;
    left.multiply_by(x, n);
    right.multiply_by(max_distance_, b);
    right.multiply_by(e, n - b);
    return left >= right;
  }

  Attention attention_;
  Index num_buckets_, max_distance_, one_side_ = 0;
  std::vector<Position> first_;  ///< first_[b - 1]: the first distance of bucket e + b
};

}  // namespace POSENC_ISA
}  // namespace posenc
