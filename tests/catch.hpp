#pragma once

// Catch2, version 2 or 3, with one spelling for what differs between them. Spelled alike in both and used as they
// are: TEST_CASE, TEMPLATE_TEST_CASE, SECTION, GENERATE, CHECK, REQUIRE, CHECK_THROWS_WITH, and from
// Catch::Matchers WithinAbs, WithinRel, WithinULP and Message. Not to be used: Approx and Contains.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <iostream>
#include <string>

namespace posenc_test {

/// Matches a text that has `part` in it:  CHECK_THROWS_WITH(call(), contains("head_dim 128, got 100"))
inline auto contains(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

/// Leaves out the rest of a test case, and ctest reports it as skipped:  if (!file) return skip("no such file");
/// A case in which something failed before stays failed.
inline void skip(const std::string& reason) { std::cout << "SKIPPED: " << reason << std::endl; }

}  // namespace posenc_test
