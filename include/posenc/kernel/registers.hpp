// Registers and the formulas over them. Included by packet.hpp and kernel.hpp, once for each target.
#include "posenc/kernel/packet.hpp"

#include "posenc/kernel/float16.hpp"

#include "posenc/kernel/memory.hpp"

#include "posenc/kernel/phases.hpp"
#include "posenc/kernel/rotation.hpp"
#include "posenc/kernel/sin_cos.hpp"
