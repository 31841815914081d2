#pragma once
// What posenc takes where it says "vector-like": std::vector, std::array, a C array, a span, an Eigen vector or expression.

#include <Eigen/Core>
#include <iterator>
#include <type_traits>
#include <utility>

#include "posenc/isa.hpp"

namespace posenc {
inline namespace POSENC_ISA {

using Index = Eigen::Index;

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

/// An integer that counts: neither a truth value nor a character.
template <class T>
inline constexpr bool is_integer =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
    !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

template <class T>
inline constexpr bool is_number = is_integer<T> || is_real<T>;

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
