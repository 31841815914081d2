#pragma once
// What makes a position code good, measured: no two positions share a code, neighbours are close, and the inner product
// of two codes depends on their offset alone. Works on any matrix of codes, so also on one that posenc did not make.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "posenc/errors.hpp"
#include "posenc/heads_view.hpp"
#include "posenc/vector_like.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// The two positions whose codes are closest, first < second; 0 where two positions share a code.
struct Distinctness {
  double distance;
  Index first, second;
};

/// The longest step between neighbours, from position to position + 1.
struct Continuity {
  double distance;
  Index position;
};

/// How far inner products vary at one offset: spread = largest - smallest of <code_m, code_{m+offset}> over all m, at the
/// offset where it is largest. scale is the largest |inner product| of all, to judge the spread by; by the inequality of
/// Cauchy and Schwarz it is the square of the longest code.
struct RelativeStructure {
  double spread;
  Index offset;
  double scale;

  /// spread / scale, within [0, 2]: about 1e-16 for a code of phases in double, 1 for the linear index. It exceeds 1 only
  /// where inner products at one offset have both signs, the most positive and the most negative together larger than
  /// the square of the longest code; codes drawn at random may (1.02 for 128 of width 16 is no mistake). 0 where scale is.
  double relative() const { return scale > 0 ? spread / scale : 0; }
};

namespace detail {

/// Refuses codes of which nothing can be said, and returns the codes; an expression that is not yet in memory is evaluated.
template <class Codes>
decltype(auto) checked_codes(const Codes& codes, const char* function) {
  static_assert(
      is_dense<Codes>,
      "posenc: codes are an Eigen matrix with one row per position; of an encoder, give also the count of positions");
  static_assert(!Eigen::NumTraits<typename Codes::Scalar>::IsComplex,
                "posenc: codes are real; write a complex number as its real and imaginary part");
  if constexpr (has_strides<Codes>()) {
    require(codes.rows() >= 2 && codes.cols() >= 1, function, ": codes must have at least 2 rows and 1 column, got ",
            codes.rows(), " x ", codes.cols());
    for (Index i = 0; i < codes.rows(); ++i) {
      for (Index j = 0; j < codes.cols(); ++j) {
        const double value = static_cast<double>(codes.coeff(i, j));
        require(is_between(value, -1e150, 1e150), function, ": code (", i, ", ", j,
                ") must be a number within [-1e150, 1e150], got ", value);
      }
    }
    return (codes);
  } else {
    typename Codes::PlainObject evaluated = codes;
    detail::checked_codes(evaluated, function);
    return evaluated;
  }
}

/// The sum of term(0) to term(n - 1), in the same order whatever the codes are stored in: four sums that do not wait for
/// one another, then their sum.
template <class Term>
double sum_of(Index n, Term term) {
  double part[4] = {};
  Index j = 0;
  for (; j + 4 <= n; j += 4) {
    for (Index lane = 0; lane < 4; ++lane) part[lane] += term(j + lane);
  }
  for (; j < n; ++j) part[0] += term(j);
  return (part[0] + part[1]) + (part[2] + part[3]);
}

template <class Codes>
double squared_distance(const Codes& codes, Index m, Index n) {
  return detail::sum_of(codes.cols(), [&](Index j) {
    const double step = static_cast<double>(codes.coeff(n, j)) - static_cast<double>(codes.coeff(m, j));
    return step * step;
  });
}
template <class Codes>
double inner_product(const Codes& codes, Index m, Index n) {
  return detail::sum_of(codes.cols(), [&](Index j) {
    return static_cast<double>(codes.coeff(m, j)) * static_cast<double>(codes.coeff(n, j));
  });
}

/// The codes of positions 0 to count - 1.
template <class Encoder>
auto encoded(const Encoder& encoder, Index count, const char* function) {
  require(count >= 2, function, ": there must be at least 2 positions, got ", count);
  return encoder.encode(count);
}

}  // namespace detail

/// Distinctness: the smallest distance between the codes of two different positions, and the two.
///   min over m < n of |code_n - code_m|
/// Shapes    codes: positions x d, any Eigen matrix of real numbers. Takes rows^2 d / 2 operations; see distinctness_by_offset.
/// Accuracy  computed in double from the codes as they are; a distance below 1e-150 counts as 0.  Test: properties_test.
/// Throws    std::invalid_argument for fewer than 2 rows, no column, or a code that is not a number within [-1e150, 1e150].
template <class Codes>
Distinctness distinctness(const Codes& codes) {
  const auto& code = detail::checked_codes(codes, "distinctness");
  Distinctness closest{detail::squared_distance(code, 0, 1), 0, 1};
  for (Index m = 0; m < code.rows(); ++m) {
    for (Index n = m + 1; n < code.rows(); ++n) {
      const double squared = detail::squared_distance(code, m, n);
      if (squared < closest.distance) closest = {squared, m, n};
    }
  }
  closest.distance = std::sqrt(closest.distance);
  return closest;
}

/// Distinctness of a code whose distances depend on the offset alone, as those of phases do: row 0 against every other row.
///   min over n > 0 of |code_n - code_0|
/// Shapes    as distinctness, but rows d operations: 131072 offsets are quickly looked through.
/// Throws    as distinctness.
template <class Codes>
Distinctness distinctness_by_offset(const Codes& codes) {
  const auto& code = detail::checked_codes(codes, "distinctness_by_offset");
  Distinctness closest{detail::squared_distance(code, 0, 1), 0, 1};
  for (Index n = 2; n < code.rows(); ++n) {
    const double squared = detail::squared_distance(code, 0, n);
    if (squared < closest.distance) closest = {squared, 0, n};
  }
  closest.distance = std::sqrt(closest.distance);
  return closest;
}

/// Local continuity: the largest distance between the codes of neighbouring positions, and where.
///   max over m of |code_{m+1} - code_m|          2 |sin(omega_k / 2)| for pair k of a sinusoidal code
/// Shapes    codes: positions x d, any Eigen matrix of real numbers; a block of two columns judges one pair.
/// Throws    as distinctness.
template <class Codes>
Continuity continuity(const Codes& codes) {
  const auto& code = detail::checked_codes(codes, "continuity");
  Continuity longest{detail::squared_distance(code, 0, 1), 0};
  for (Index m = 1; m + 1 < code.rows(); ++m) {
    const double squared = detail::squared_distance(code, m, m + 1);
    if (squared > longest.distance) longest = {squared, m};
  }
  longest.distance = std::sqrt(longest.distance);
  return longest;
}

/// Relative structure: how far the inner products of codes are from depending on the offset alone.
///   max over offsets o of ( max over m of <code_m, code_{m+o}>  -  min over m of <code_m, code_{m+o}> )
/// 0, but for rounding, where the inner product is a function of the offset, as with cos((m - n) omega); offset 0 compares
/// the lengths of the codes.
/// Shapes    codes: positions x d, any Eigen matrix of real numbers. Takes rows^2 d / 2 operations.
/// Throws    as distinctness.
template <class Codes>
RelativeStructure relative_structure(const Codes& codes) {
  const auto& code = detail::checked_codes(codes, "relative_structure");
  RelativeStructure widest{0, 0, 0};
  for (Index offset = 0; offset < code.rows(); ++offset) {
    double least = detail::inner_product(code, 0, offset), most = least;
    for (Index m = 1; m + offset < code.rows(); ++m) {
      const double product = detail::inner_product(code, m, m + offset);
      least = std::min(least, product);
      most = std::max(most, product);
    }
    if (most - least > widest.spread) {
      widest.spread = most - least;
      widest.offset = offset;
    }
    widest.scale = std::max(widest.scale, most);
  }
  return widest;
}

/// The same measures of an encoder: of what its encode(count) returns, the codes of positions 0 to count - 1.
/// Shapes    encoder: any object with encode(count) -> Eigen matrix, one row per position.
/// Throws    std::invalid_argument for a count below 2, and as above.
template <class Encoder>
Distinctness distinctness(const Encoder& encoder, Index count) {
  return posenc::distinctness(detail::encoded(encoder, count, "distinctness"));
}
template <class Encoder>
Distinctness distinctness_by_offset(const Encoder& encoder, Index count) {
  return posenc::distinctness_by_offset(detail::encoded(encoder, count, "distinctness_by_offset"));
}
template <class Encoder>
Continuity continuity(const Encoder& encoder, Index count) {
  return posenc::continuity(detail::encoded(encoder, count, "continuity"));
}
template <class Encoder>
RelativeStructure relative_structure(const Encoder& encoder, Index count) {
  return posenc::relative_structure(detail::encoded(encoder, count, "relative_structure"));
}

}  // namespace POSENC_ISA
}  // namespace posenc
