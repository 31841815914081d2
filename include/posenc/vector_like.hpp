#pragma once
// What posenc takes where it says "vector-like": std::vector, std::array, a C array, a span, an Eigen vector or expression.

#include <Eigen/Core>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>

#include "posenc/isa.hpp"

namespace posenc {
inline namespace POSENC_ISA {

using Index = Eigen::Index;
static_assert(
    sizeof(Index) >= sizeof(std::ptrdiff_t),
    "posenc: EIGEN_DEFAULT_DENSE_INDEX_TYPE must not be narrower than std::ptrdiff_t, which positions and sizes need");

// Names of posenc are called by their full names wherever a type of the user's is among the arguments: an unqualified
// call would also find a function of that name beside the type, and might take it.
namespace detail {

template <class T>
using Plain = std::remove_cv_t<std::remove_reference_t<T>>;

// By overloads, since a VectorBlock, such as v.head(n), derives from EigenBase of another type than itself.
template <class Derived>
std::true_type eigen_test(const Eigen::EigenBase<Derived>*);
std::false_type eigen_test(const void*);
template <class Derived>
std::true_type dense_test(const Eigen::DenseBase<Derived>*);
std::false_type dense_test(const void*);

template <class T>
inline constexpr bool is_eigen = decltype(detail::eigen_test(std::declval<const Plain<T>*>()))::value;
template <class T>
inline constexpr bool is_dense = decltype(detail::dense_test(std::declval<const Plain<T>*>()))::value;

template <class T, class = void>
inline constexpr bool is_indexed = false;
template <class T>
inline constexpr bool
    is_indexed<T, std::void_t<decltype(std::size(std::declval<const T&>())), decltype(std::declval<const T&>()[0])>> =
        true;

/// False, but only once T is known.
template <class T>
inline constexpr bool never = false;

/// What a list in braces turns into where the parameter is a template, to say so.
struct Braced {
  Braced() = default;
  template <class T>
  Braced(std::initializer_list<T>) {
    static_assert(never<T>, "posenc: a list in braces has no type here; write std::vector{..}, or the number alone");
  }
};

template <class E, class = void>
inline constexpr bool has_operand = false;
template <class E>
inline constexpr bool has_operand<E, std::void_t<decltype(std::declval<const E&>().nestedExpression())>> = true;
template <class E, class = void>
inline constexpr bool has_operands = false;
template <class E>
inline constexpr bool
    has_operands<E, std::void_t<decltype(std::declval<const E&>().lhs()), decltype(std::declval<const E&>().rhs())>> =
        true;

template <class T>
inline constexpr bool is_product = false;
template <class L, class R, int option>
inline constexpr bool is_product<Eigen::Product<L, R, option>> = option != Eigen::LazyProduct;

/// An Eigen expression that is a product, or has one in it. Its elements cannot be read one by one, or each read would
/// form the whole product.
template <class T>
constexpr bool has_product() {
  using E = Plain<T>;
  if constexpr (!is_eigen<E>) {
    return false;
  } else if constexpr (!std::is_same_v<E, Plain<decltype(std::declval<const E&>().derived())>> && !has_operand<E>) {
    return has_product<decltype(std::declval<const E&>().derived())>();  // known by a base class alone
  } else if constexpr (is_product<E>) {
    return true;
  } else if constexpr (has_operands<E>) {
    return has_product<decltype(std::declval<const E&>().lhs())>() ||
           has_product<decltype(std::declval<const E&>().rhs())>();
  } else if constexpr (has_operand<E>) {
    return has_product<decltype(std::declval<const E&>().nestedExpression())>();
  } else {
    return false;
  }
}

/// An Eigen matrix of two dimensions, which only the calls that say so accept.
template <class T>
constexpr bool is_table() {
  if constexpr (is_eigen<T>) {
    return !Plain<T>::IsVectorAtCompileTime;
  } else {
    return false;
  }
}

template <class T>
constexpr bool is_vector_like() {
  if constexpr (is_eigen<T>) {
    return Plain<T>::IsVectorAtCompileTime;
  } else {
    return is_indexed<Plain<T>>;
  }
}

template <class Values>
Index length(const Values& values) {
  return static_cast<Index>(std::size(values));
}
template <class Values>
auto element(const Values& values, Index i) {
  if constexpr (is_eigen<Values>) {
    return values.derived().coeff(i);
  } else {
    return values[static_cast<std::size_t>(i)];
  }
}
template <class Values>
using Element = Plain<decltype(detail::element(std::declval<const Values&>(), 0))>;

/// A real number type: float, double, or one of Eigen's 16-bit types.
template <class T>
inline constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                std::is_same_v<T, Eigen::half> || std::is_same_v<T, Eigen::bfloat16>;

template <class T, class... Types>
inline constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);

/// An integer that counts, of 64 bits at most: neither a truth value nor a character nor a compiler's own wider type.
template <class T>
inline constexpr bool is_integer = is_one_of<T, signed char, unsigned char, short, unsigned short, int, unsigned int,
                                             long, unsigned long, long long, unsigned long long>;

template <class T>
inline constexpr bool is_number = is_integer<T> || is_real<T>;

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
