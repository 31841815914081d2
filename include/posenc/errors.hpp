#pragma once
// The one place where posenc refuses bad input: a text with the function, the requirement and the numbers.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "posenc/isa.hpp"

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

inline std::string text(const char* words) { return words; }
inline std::string text(const std::string& words) { return words; }

/// A number as the shortest decimal that reads back as the same double: 0.1, not 0.10000000000000001.
inline std::string text(double value) {
  char buffer[40];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value) break;
  }
  return buffer;
}
template <class Int, class = std::enable_if_t<std::is_integral_v<Int>>>
std::string text(Int value) {
  return std::to_string(value);
}

/// Throws std::invalid_argument with the parts written one after the other; where exceptions are off, prints and aborts.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail(const Parts&... parts) {
  std::string message = "posenc::";
  ((message += text(parts)), ...);
#if defined(POSENC_THROWS)
  throw std::invalid_argument(message);
#else
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
#endif
}

template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) fail(parts...);
}

/// Neither NaN nor infinite, read off the bits: std::isfinite is always true under -ffast-math.
inline bool is_finite(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return (bits >> 52 & 0x7ff) != 0x7ff;
}

/// value lies in [low, high]; false for NaN, also under -ffast-math.
inline bool is_between(double value, double low, double high) {
  return is_finite(value) && value >= low && value <= high;
}

}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
