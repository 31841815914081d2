// Decoding with a key cache: each key is rotated once, when it is stored, and old tokens are dropped by moving the others.
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/key_cache.cpp -o key_cache && ./key_cache

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index head_dim = 64, heads = 4, width = heads * head_dim, tokens = 40;
constexpr Index room = 16;    // rows of the cache; no token gets a position beyond it
constexpr Index dropped = 8;  // how many leave when it is full: many at once, so that the others move seldom

void claim(bool is_true, const char* statement) {
  std::printf("  %s: %s\n", is_true ? "true" : "FALSE", statement);
  if (!is_true) std::exit(1);
}

Matrix random_matrix(Index rows, Index cols, std::mt19937& random) {
  Matrix x(rows, cols);
  std::generate_n(x.data(), x.size(), [&] { return static_cast<float>(random()) * 0x1p-31f - 1; });
  return x;
}

/// Scores of one rotated query with rotated keys, summed over the heads: 1 x keys. (An attention layer keeps heads apart.)
Eigen::RowVectorXf scores_of(const Matrix& query, const Eigen::Ref<const Matrix>& keys) {
  return query.row(0) * keys.transpose() / std::sqrt(static_cast<float>(head_dim));
}

int main() {
  // What the projections of a layer would give, one row per token.
  std::mt19937 random(1);
  const Matrix queries = random_matrix(tokens, width, random), keys = random_matrix(tokens, width, random);
  const posenc::Rope rope(posenc::Frequencies::geometric(head_dim), posenc::PairLayout::half);

  // Reference: all tokens at once, at their true positions 0 .. 39.
  Matrix all_queries = queries, all_keys = keys;
  rope.rotate(all_queries);
  rope.rotate(all_keys);

  // 1. One token at a time. rotate_to reads the fresh key and writes it rotated into its row of the cache, in one pass.
  Matrix cache(tokens, width);
  bool same_bits = true;
  for (Index p = 0; p < tokens; ++p) {
    Matrix query = queries.row(p);
    rope.rotate(query, p);
    rope.rotate_to(cache.row(p), keys.row(p), p);
    same_bits = same_bits && query == all_queries.row(p) && cache.row(p) == all_keys.row(p);
  }
  std::printf("One token at a time, %d tokens\n", static_cast<int>(tokens));
  claim(same_bits, "queries and keys have the same bits as when all tokens are rotated at once");

  // 2. A cache of 16 rows. When it is full the oldest 8 tokens leave; the others move up to the freed rows and back to the
  // positions 0 .. 7. Their keys are rotated already, so they are turned back by 8 tokens: nothing is computed anew.
  Matrix window(room, width);
  Index used = 0, gone = 0;  // rows in use; tokens that have left
  float largest_error = 0;
  std::printf("A cache of %d rows\n", static_cast<int>(room));
  for (Index token = 0; token < tokens; ++token) {
    if (used == room) {
      const Index kept = used - dropped;
      window.topRows(kept) = window.middleRows(dropped, kept).eval();  // values would move in the same way
      rope.shift(window.topRows(kept), -dropped);
      used = kept;
      gone += dropped;
      std::printf("  before token %2d: tokens %2d to %2d leave\n", static_cast<int>(token),
                  static_cast<int>(gone - dropped), static_cast<int>(gone - 1));
    }
    Matrix query = queries.row(token);
    rope.rotate(query, used);  // the position is the row, not the number of the token
    rope.rotate_to(window.row(used), keys.row(token), used);
    ++used;
    const Eigen::RowVectorXf scores = scores_of(query, window.topRows(used));
    const Eigen::RowVectorXf expected = scores_of(all_queries.row(token), all_keys.middleRows(gone, used));
    largest_error = std::max(largest_error, (scores - expected).cwiseAbs().maxCoeff());
  }
  claim(largest_error < 1e-4f, "every score is that of the true positions: only offsets count");

  // What goes wrong when the keys are moved in memory only.
  const Eigen::RowVectorXf right = scores_of(all_queries.row(39), all_keys.middleRows(32, 8));
  Matrix query = queries.row(39);
  rope.rotate(query, 7);
  const Eigen::RowVectorXf wrong = scores_of(query, all_keys.middleRows(32, 8));
  claim((wrong - right).norm() > right.norm() / 2, "without shift they are wrong by more than half of their size");
}
