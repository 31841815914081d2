// Compiled once for each setting of the flags that change what posenc's functions do; see program.cpp.

#include <posenc/posenc.hpp>
#include <typeinfo>

namespace UNIT {

void refused();
const char* name();

/// A call that posenc refuses.
void refused() {
  Eigen::MatrixXf x = Eigen::MatrixXf::Ones(2, 9);
  posenc::Rope<float>(posenc::Frequencies::geometric(8), posenc::PairLayout::half).rotate(x);
}

/// What the linker sees of a type of posenc in this unit.
const char* name() { return typeid(posenc::Rope<float>).name(); }

}  // namespace UNIT
