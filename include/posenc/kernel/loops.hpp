// The loops over data. Included by kernel.hpp, once for each target.
#include "posenc/kernel/ahead.hpp"
#include "posenc/kernel/anchors.hpp"

#include "posenc/kernel/columns.hpp"
#include "posenc/kernel/rows.hpp"

#include "posenc/kernel/codes.hpp"
#include "posenc/kernel/groups.hpp"

#include "posenc/kernel/head_columns.hpp"
#include "posenc/kernel/heads.hpp"

#include "posenc/kernel/calls.hpp"
