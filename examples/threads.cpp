// Many threads on one batch: a Rope is immutable, so each thread rotates rows of its own, with no lock and no copy.
//   g++ -std=c++17 -O3 -pthread -I include -I /usr/include/eigen3 examples/threads.cpp -o threads && ./threads

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index tokens = 1000, heads = 8, head_dim = 64;
constexpr posenc::Position start = 4096;  // where this batch of tokens stands in its text

void claim(bool is_true, const char* statement) {
  std::printf("%s: %s\n", is_true ? "true" : "FALSE", statement);
  if (!is_true) std::exit(1);
}

Matrix random_matrix(Index rows, Index cols, std::mt19937& random) {
  Matrix x(rows, cols);
  std::generate_n(x.data(), x.size(), [&] { return static_cast<float>(random()) * 0x1p-31f - 1; });
  return x;
}

/// The same to the last bit; == would take 0 for -0.
bool same_bits(const Matrix& a, const Matrix& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.size())) == 0;
}

/// Calls work(begin, end) for `parts` stretches of 0 .. count - 1, each in a thread of its own.
template <class Work>
void in_threads(Index parts, Index count, Work work) {
  std::vector<std::thread> threads;
  for (Index i = 0; i < parts; ++i) threads.emplace_back(work, count * i / parts, count * (i + 1) / parts);
  for (std::thread& thread : threads) thread.join();
}

int main() {
  std::mt19937 random(1);
  const Matrix x = random_matrix(tokens, heads * head_dim, random);
  const posenc::Rope rope(posenc::Frequencies::geometric(head_dim), posenc::PairLayout::half);
  const posenc::Sinusoidal<> sinusoidal(heads * head_dim);

  Matrix rotated = x, encoded = x;
  rope.rotate(rotated, start);
  sinusoidal.add_to(encoded, start);

  // Rows are tokens. A stretch of rows begins at its own position; 7 threads, so the stretches are not equally long.
  Matrix by_rows = x;
  in_threads(7, tokens,
             [&](Index begin, Index end) { rope.rotate(by_rows.middleRows(begin, end - begin), start + begin); });
  claim(same_bits(by_rows, rotated), "7 threads on rows of their own give the bits of one thread");

  // Columns are heads. Every head has all positions; this is the split of tensor parallelism.
  Matrix by_heads = x;
  in_threads(heads, heads, [&](Index begin, Index end) {
    rope.rotate(by_heads.middleCols(begin * head_dim, (end - begin) * head_dim), start);
  });
  claim(same_bits(by_heads, rotated), "8 threads on heads of their own give the same bits");

  // The additive encoders are immutable too.
  Matrix added = x;
  in_threads(3, tokens,
             [&](Index begin, Index end) { sinusoidal.add_to(added.middleRows(begin, end - begin), start + begin); });
  claim(same_bits(added, encoded), "3 threads that add the sinusoidal code give the bits of one thread");
}
