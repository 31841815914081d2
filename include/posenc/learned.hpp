#pragma once
// Learned positions: a trainable table with one row per position, added to the embedding.

#include <Eigen/Core>
#include <type_traits>
#include <utility>

#include "posenc/additive.hpp"

namespace posenc {
inline namespace POSENC_ISA {

/// Adds row p of a learned table.
///   x[i] <- x[i] + P[p_i]
/// Shapes    table P: L_max x d; x: tokens x d, changed in place; positions: a first position, or a vector-like with one
///           per row, each a whole number within [0, L_max - 1].
/// Throws    std::invalid_argument, before anything is written, for an empty table, columns other than d, a wrong number of
///           positions, or a position that has no row.
/// Source    Gehring et al. 2017, "Convolutional Sequence to Sequence Learning"; BERT, GPT-2.
template <class Scalar = float>
class LearnedPositions {
  static_assert(
      std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>,
      "posenc: LearnedPositions computes in float or double; cast a table of another type to float, which also "
      "adds to Eigen::half and Eigen::bfloat16");

 public:
  using Matrix = CodeMatrix<Scalar>;

  explicit LearnedPositions(Matrix table) : table_(std::move(table)) {
    detail::require(table_.rows() >= 1 && table_.cols() >= 1,
                    "LearnedPositions: the table must have at least 1 row and 1 column, got ", table_.rows(), " x ",
                    table_.cols());
  }

  template <class X, class Positions = detail::FromZero>
  void add_to(X&& x, const Positions& positions = Positions{}) const {
    add(std::forward<X>(x), positions, "LearnedPositions::add_to");
  }

  /// Adds the gradient of the codes to the gradient of the table: rows of one position sum up.
  ///   table_gradient[p_i] <- table_gradient[p_i] + gradient[i]
  /// Shapes    table_gradient: L_max x d, changed in place; gradient: tokens x d; positions as in add_to.
  template <class TableGradient, class Gradient, class Positions = detail::FromZero>
  void accumulate_gradient(TableGradient&& table_gradient, const Gradient& gradient,
                           const Positions& positions = Positions{}) const {
    const char* function = "LearnedPositions::accumulate_gradient";
    static_assert(detail::is_dense<Gradient>, "posenc: the gradient is an Eigen matrix, tokens x d");
    static_assert(!detail::has_product<Gradient>(),
                  "posenc: the gradient is a product; evaluate it into a matrix first");
    const auto sum = detail::additive_view<Scalar>(std::forward<TableGradient>(table_gradient), dim(), function);
    detail::require(sum.tokens == max_positions(), function, ": the gradient of the table must have ", max_positions(),
                    " rows, got ", sum.tokens);
    detail::require(gradient.cols() == dim(), function, ": columns must be ", dim(), ", got ", gradient.cols());
    for_each_row(positions, gradient.rows(), function, [&](Index t, Index p) {
      auto* row = sum.head(0, p, 0);
      for (Index c = 0; c < dim(); ++c) {
        auto& value = row[c * sum.channel_stride];
        value = static_cast<detail::Plain<decltype(value)>>(static_cast<Scalar>(value) +
                                                            static_cast<Scalar>(gradient.derived().coeff(t, c)));
      }
    });
  }

  /// The same curve through `length` rows instead of L_max: linear interpolation between neighbouring rows, both ends kept.
  ///   new[i] = (1 - f) P[j] + f P[j+1],   j + f = i (L_max - 1) / (length - 1)
  /// A table of one row is repeated; a length of 1 keeps row 0.
  LearnedPositions resized(Index length) const {
    detail::require(length >= 1, "LearnedPositions::resized: length must be at least 1, got ", length);
    detail::require_elements(length, dim(), "LearnedPositions::resized");
    Matrix result(length, dim());
    const Index last = max_positions() - 1;
    for (Index i = 0; i < length; ++i) {
      // i last / (length - 1) in whole numbers, so that a row which falls on an old one is that row
      const Index steps = length > 1 ? length - 1 : 1;
      const Index j = i * last / steps, rest = i * last % steps;
      const double f = static_cast<double>(rest) / static_cast<double>(steps);
      if (rest == 0) {
        result.row(i) = table_.row(j);
      } else {
        result.row(i) =
            ((1 - f) * table_.row(j).template cast<double>() + f * table_.row(j + 1).template cast<double>())
                .template cast<Scalar>();
      }
    }
    return LearnedPositions(std::move(result));
  }

  /// The codes themselves, one row per position: of 0 to count - 1, or of the positions given.
  template <class Positions = detail::FromZero>
  Matrix encode(const Positions& positions_or_count) const {
    const char* function = "LearnedPositions::encode";
    return detail::encode<Scalar>(dim(), positions_or_count, function,
                                  [&](auto& codes, const auto& positions) { add(codes, positions, function); });
  }

  /// L_max x d: what training has to find. Sinusoidal codes and RoPE have none.
  Index parameter_count() const { return table_.size(); }
  const Matrix& table() const { return table_; }
  Index max_positions() const { return table_.rows(); }
  Index dim() const { return table_.cols(); }

 private:
  template <class X, class Positions>
  void add(X&& x, const Positions& positions, const char* function) const {
    const auto view = detail::additive_view<Scalar>(std::forward<X>(x), dim(), function);
    detail::with_kernel([&](auto kernel) {
      for_each_row(positions, view.tokens, function, [&](Index t, Index p) {
        kernel.template add_code<Scalar>(detail::part_of(view, 0, 1, t, 1).data, view.channel_stride,
                                         table_.row(p).data(), dim());
      });
    });
  }

  /// row(t, p_t) for every row, after all positions were found to be rows of the table.
  template <class Positions, class Row>
  void for_each_row(const Positions& positions, Index rows, const char* function, Row row) const {
    detail::with_positions(positions, 1, rows, 1, function, [&](const auto& source, bool) {
      for (Index t = 0; t < rows; ++t) detail::require_row(source.at(t), max_positions(), function, t);
      for (Index t = 0; t < rows; ++t) {
        // Read again, so checked again: positions that change in between must not read beside the table.
        const detail::Coordinate p = source.at(t);
        detail::require_row(p, max_positions(), function, t);
        row(t, p.whole);
      }
    });
  }

  Matrix table_;
};

/// The scalar of the table is the encoder's, whatever the storage order:  LearnedPositions encoder(table);
template <class Derived>
LearnedPositions(const Eigen::DenseBase<Derived>&) -> LearnedPositions<typename Derived::Scalar>;

}  // namespace POSENC_ISA
}  // namespace posenc
