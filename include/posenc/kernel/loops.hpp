// The loops over data. Included once for each target.
#include "posenc/kernel/rows.hpp"

#include "posenc/kernel/codes.hpp"
#include "posenc/kernel/heads.hpp"

#include "posenc/kernel/calls.hpp"
