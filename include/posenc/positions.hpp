#pragma once
// Reading positions: a first position, or a vector-like of integers or reals with one position per row.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "posenc/errors.hpp"
#include "posenc/phase.hpp"
#include "posenc/vector_like.hpp"

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// Rows of code are made in blocks of this many positions: p = B q + r, -B/2 <= r < B/2, so that a position has the same q
/// and r whoever asks for it, and rows on both sides of the middle B q mirror each other.
inline constexpr Position block_size = 64, half_block = block_size / 2;

/// One position: a whole number, or a real one that is not.
struct Coordinate {
  Position whole;
  double real;
  bool is_whole;

  bool is_zero() const { return is_whole && whole == 0; }
  /// Real positions are blocks of their own, and so are the last whole ones, whose block has its middle beyond them.
  bool has_block() const { return is_whole && whole <= std::numeric_limits<Position>::max() - half_block; }
  /// r of p = B q + r.
  Position offset() const { return has_block() ? ((whole + half_block) & (block_size - 1)) - half_block : 0; }
  /// B q.
  Position block_middle() const { return whole - offset(); }
  bool shares_block(const Coordinate& other) const {
    return is_whole == other.is_whole && (is_whole ? block_middle() == other.block_middle() : real == other.real);
  }
  /// The phase in the middle of the block.
  Phase block_phase(const Step& step) const { return is_whole ? phase_of(step, block_middle()) : phase_of(step, real); }
};

template <class T>
Coordinate coordinate(T value) {
  if constexpr (std::is_integral_v<T>) {
    return {static_cast<Position>(value), 0, true};
  } else {
    const double real = static_cast<double>(value);
    const bool is_whole = std::floor(real) == real;
    return {is_whole ? static_cast<Position>(real) : 0, real, is_whole};
  }
}

/// Whether value is a position: any 64-bit integer, or a real number of magnitude 2^62 at most.
template <class T>
bool is_position(T value) {
  if constexpr (std::is_unsigned_v<T>) {
    return value <= static_cast<std::uint64_t>(std::numeric_limits<Position>::max());
  } else if constexpr (std::is_integral_v<T>) {
    return true;
  } else {
    return is_between(static_cast<double>(value), -0x1p62, 0x1p62);
  }
}

/// Positions that are left out: 0, 1, 2, .. A list in braces comes here too, and does not compile.
struct FromZero : Braced {
  explicit FromZero() = default;
  using Braced::Braced;
};

// A source of positions answers at(row, axis) with a Coordinate, and run(row, most) with how many rows from this one on, but
// not more than `most`, have consecutive positions of one block. All axes of a row are the same but in Tabled.

/// How many positions from p on lie in p's block, up to position 0; 1 there, where a rotation leaves everything as it is.
inline Index left_in_block(const Coordinate& p) {
  if (!p.has_block() || p.is_zero()) return 1;
  return p.whole < 0 && p.block_middle() == 0 ? -p.whole : half_block - p.offset();
}

/// Row i has position first + i.
struct Consecutive {
  Position first;
  Coordinate at(Index row, Index = 0) const { return {first + row, 0, true}; }
  Index run(Index row, Index most) const { return std::min(most, left_in_block(at(row))); }
};

/// Every row has the same position.
struct Constant {
  Coordinate position;
  Coordinate at(Index, Index = 0) const { return position; }
  Index run(Index, Index) const { return 1; }
};

/// A source that knows no more than at(row).
template <class Source>
struct OneByOne {
  Index run(Index row, Index most) const {
    const auto& source = static_cast<const Source&>(*this);
    const Coordinate first = source.at(row);
    const Index longest = std::min(most, left_in_block(first));
    Index n = 1;
    for (; n < longest; ++n) {
      const Coordinate next = source.at(row + n);
      if (!next.is_whole || next.whole != first.whole + n) break;
    }
    return n;
  }
};

/// Row i has position values[i].
template <class Values>
struct Listed : OneByOne<Listed<Values>> {
  const Values& values;
  explicit Listed(const Values& list) : values(list) {}
  Coordinate at(Index row, Index = 0) const { return detail::coordinate(detail::element(values, row)); }
};

/// Row i has position values(i, axis).
template <class Values>
struct Tabled : OneByOne<Tabled<Values>> {
  const Values& values;
  explicit Tabled(const Values& table) : values(table) {}
  Coordinate at(Index row, Index axis = 0) const { return detail::coordinate(values.derived().coeff(row, axis)); }
};

/// Row i = b tokens + t has position values(b, t).
template <class Values>
struct Batched : OneByOne<Batched<Values>> {
  const Values& values;
  explicit Batched(const Values& matrix) : values(matrix) {}
  Coordinate at(Index row, Index = 0) const {
    return detail::coordinate(values.derived().coeff(row / values.cols(), row % values.cols()));
  }
};

/// Row i has the position of row first + i of another source.
template <class Source>
struct Shifted {
  const Source& source;
  Index first;
  Coordinate at(Index row, Index axis = 0) const { return source.at(first + row, axis); }
  Index run(Index row, Index most) const { return source.run(first + row, most); }
};

template <class T>
void require_position(T value, const char* function, Index row) {
  if constexpr (std::is_integral_v<T>) {
    require(detail::is_position(value), function, ": position ", row, " must be at most 2^63 - 1, got ", value);
  } else {
    require(detail::is_position(value), function, ": position ", row, " must be a number within [-2^62, 2^62], got ",
            static_cast<double>(value));
  }
}

/// A start as the positions first, first + 1, .. of `rows` rows; checked to stay within 64 bits.
template <class First>
Consecutive consecutive(First first, Index rows, const char* function) {
  static_assert(is_integer<First>,
                "posenc: the first position is an integer; for real positions pass a vector with one position per row");
  detail::require_position(first, function, 0);
  const Position start = static_cast<Position>(first);
  require(rows == 0 || start <= std::numeric_limits<Position>::max() - (rows - 1), function, ": ", rows,
          " rows from position ", start, " pass the last position 2^63 - 1");
  return {start};
}

template <class T>
constexpr void require_position_type() {
  static_assert(is_number<T>, "posenc: positions are integers or reals (float, double or 16-bit)");
}

/// A matrix to be made has at most 2^58 elements, which is more than any memory and fewer than a number holds.
inline void require_elements(Index rows, Index cols, const char* function) {
  require(rows <= std::numeric_limits<Index>::max() / 32 / std::max<Index>(cols, 1), function, ": ", rows, " rows of ",
          cols, " numbers are more than memory has addresses");
}

/// A count of rows with `cols` numbers each as an Index.
template <class Count>
Index checked_count(Count count, Index cols, const char* function) {
  static_assert(is_integer<Count>, "posenc: a count is an integer; positions come as a vector");
  require(detail::is_position(count) && static_cast<Position>(count) >= 0, function,
          ": count must be within [0, 2^63 - 1], got ", count);
  const auto rows = static_cast<Index>(count);
  require_elements(rows, cols, function);
  return rows;
}

template <class Values>
Listed<Values> listed(const Values& values, const char* function) {
  static_assert(is_vector_like<Values>(), "posenc: positions are a vector-like of integers or reals, one per row");
  static_assert(!has_product<Values>(), "posenc: positions are a product; evaluate it into a vector first");
  require_position_type<Element<Values>>();
  const Index n = detail::length(values);
  for (Index i = 0; i < n; ++i) detail::require_position(detail::element(values, i), function, i);
  return Listed<Values>(values);
}

/// Every element of an Eigen matrix is a position; (i, j) belongs to row i `rows_each` + j, or to row i where that is 0.
template <class Values>
void require_positions(const Values& values, Index rows_each, const char* function) {
  static_assert(!has_product<Values>(), "posenc: positions are a product; evaluate it into a matrix first");
  require_position_type<typename Plain<Values>::Scalar>();
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < values.cols(); ++j) {
      detail::require_position(values.derived().coeff(i, j), function, rows_each == 0 ? i : i * rows_each + j);
    }
  }
}

/// p is the number of a row of a table with `rows` rows.
inline void require_row(const Coordinate& p, Index rows, const char* function, Index i) {
  if (!p.is_whole) fail(function, ": position ", i, " must be a whole number, got ", p.real);
  require(p.whole >= 0 && p.whole < rows, function, ": position ", i, " must be within [0, ", rows - 1,
          "], the rows of the table, got ", p.whole);
}

/// The product of two counts, or 2^63 - 1 if that is less: a view without heads may have more rows than a number holds.
inline Index product_or_most(Index a, Index b) {
  constexpr Index most = std::numeric_limits<Index>::max();
  return b != 0 && a > most / b ? most : a * b;
}

/// n positions for batch x tokens rows: one per token, which the batch shares, or one per batch x token.
inline bool is_per_batch(Index n, Index batch, Index tokens, const char* function) {
  const bool per_token = n == tokens;
  if (batch == 1) {
    require(per_token, function, ": there must be one position for each of the ", tokens, " rows, got ", n);
  } else {
    const Index rows = product_or_most(batch, tokens);
    require(per_token || n == rows, function, ": there must be ", tokens, " positions, one per token, or ", rows,
            ", one per batch x token, got ", n);
  }
  return !per_token;
}

/// Calls use(source, per_batch) with the positions of batch x tokens rows, all checked. With one axis a matrix of positions
/// is batch x tokens; with several it has one row per position and one column per axis.
template <class Positions, class Use>
void with_positions(const Positions& positions, Index batch, Index tokens, Index axes, const char* function,
                    const Use& use) {
  if constexpr (std::is_same_v<Positions, FromZero>) {
    use(Consecutive{0}, false);
  } else if constexpr (std::is_arithmetic_v<Positions>) {
    use(detail::consecutive(positions, tokens, function), false);
  } else if constexpr (is_table<Positions>()) {
    if (axes > 1) {
      require(positions.cols() == axes, function, ": a matrix of positions must have ", axes,
              " columns, one per axis, got ", positions.cols());
      const bool per_batch = is_per_batch(positions.rows(), batch, tokens, function);
      detail::require_positions(positions, 0, function);
      use(Tabled<Positions>(positions), per_batch);
    } else {
      require(positions.rows() == batch && positions.cols() == tokens, function,
              ": a matrix of positions must be batch x tokens, ", batch, " x ", tokens, ", got ", positions.rows(),
              " x ", positions.cols());
      detail::require_positions(positions, tokens, function);
      use(Batched<Positions>(positions), true);
    }
  } else {
    static_assert(is_vector_like<Positions>(), "posenc: positions are a vector-like of integers or reals, one per row");
    const bool per_batch = is_per_batch(detail::length(positions), batch, tokens, function);
    use(detail::listed(positions, function), per_batch);
  }
}

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
