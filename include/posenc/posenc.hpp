#pragma once
// Everything: positional encodings of transformers, over Eigen matrices.

#include "posenc/axes.hpp"
#include "posenc/bias.hpp"
#include "posenc/frequencies.hpp"
#include "posenc/learned.hpp"
#include "posenc/linear_index.hpp"
#include "posenc/pair_layout.hpp"
#include "posenc/phase.hpp"
#include "posenc/properties.hpp"
#include "posenc/rope.hpp"
#include "posenc/rotate_pairs.hpp"
#include "posenc/scaling.hpp"
#include "posenc/sinusoidal.hpp"
#include "posenc/sinusoidal_presets.hpp"
#include "posenc/version.hpp"
