// Units of one program that are compiled with and without exceptions, and with and without -ffast-math, each keep their
// own copies of posenc: the linker must not take one for another.

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

namespace plain {
void refused();
const char* name();
}  // namespace plain
namespace fast {
void refused();
const char* name();
}  // namespace fast
namespace no_exceptions {
void refused();
const char* name();
}  // namespace no_exceptions
namespace fast_no_exceptions {
const char* name();
}  // namespace fast_no_exceptions

namespace {

bool throws(void (*call)()) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

int main() {
  const std::string names[] = {plain::name(), fast::name(), no_exceptions::name(), fast_no_exceptions::name()};
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      if (&a != &b && a == b) {
        std::cerr << "two units share " << a << '\n';
        return 1;
      }
    }
  }
  std::signal(SIGABRT, [](int) { std::_Exit(2); });
  if (!throws(plain::refused) || !throws(fast::refused)) return 3;
  // The last one aborts, as it should.
  std::signal(SIGABRT, [](int) { std::_Exit(0); });
  no_exceptions::refused();
  return 4;
}
