#pragma once

#include <initializer_list>

#include "posenc/isa.hpp"

// The version is stated here and nowhere else: the build files read these three lines.
#define POSENC_VERSION_MAJOR 0
#define POSENC_VERSION_MINOR 1
#define POSENC_VERSION_PATCH 0

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {

/// The three numbers joined by dots. Each number must be below 100.
struct VersionText {
  char text[9] = {};

  constexpr VersionText() {
    int end = 0;
    for (const int number : {POSENC_VERSION_MAJOR, POSENC_VERSION_MINOR, POSENC_VERSION_PATCH}) {
      if (end > 0) text[end++] = '.';
      if (number >= 10) text[end++] = static_cast<char>('0' + number / 10);
      text[end++] = static_cast<char>('0' + number % 10);
    }
  }
};

inline constexpr VersionText version_text;

}  // namespace detail

/// The version as text, in the form "major.minor.patch".
inline constexpr const char* version_string = detail::version_text.text;

}  // namespace POSENC_ISA
}  // namespace posenc
