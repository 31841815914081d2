#pragma once

// The reference files, 25-digit numbers computed from the formulas: in $POSENC_ORACLE_DIR or ../shared/oracle.

#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"

#if defined(POSENC_TEST_HAS_JSON)
#include <nlohmann/json.hpp>

namespace posenc_test {

using Json = nlohmann::json;

/// The parsed file, or nothing where it is not there; the test then returns skip(...):
///   const auto file = oracle("rope.json");
///   if (!file) return skip("no reference file rope.json");
inline std::optional<Json> oracle(const std::string& name) {
  const char* given = std::getenv("POSENC_ORACLE_DIR");
  const std::string folder = given != nullptr ? given : POSENC_TEST_ROOT "/../shared/oracle";
  std::ifstream file(folder + "/" + name);
  if (!file) return std::nullopt;
  return Json::parse(file);
}

/// A reference number, written in quotes with 25 digits, or an exact one without quotes.
inline long double number(const Json& value) {
  return value.is_string() ? std::strtold(value.get_ref<const std::string&>().c_str(), nullptr)
                           : static_cast<long double>(value.get<double>());
}

inline std::vector<double> numbers(const Json& values) {
  std::vector<double> result;
  for (const Json& value : values) result.push_back(static_cast<double>(number(value)));
  return result;
}

}  // namespace posenc_test
#endif
