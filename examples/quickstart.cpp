// A first lesson: one sentence through the four encoders, then what RoPE promises.
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/quickstart.cpp -o quickstart && ./quickstart

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <string>

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using posenc::Frequencies;
using posenc::PairLayout;

const char* const words[] = {"the", "cat", "sat"};

void print(const std::string& title, const Matrix& x) {
  std::printf("%s\n", title.c_str());
  for (Eigen::Index p = 0; p < x.rows(); ++p) {
    std::printf("  %s ", words[p]);
    for (const double value : x.row(p)) {
      std::printf(" %7.4f", std::abs(value) < 0.00005 ? 0.0 : value);  // no "-0.0000"
    }
    std::printf("\n");
  }
  std::printf("\n");
}

int main() {
  // Three tokens of width 8, one per row. A word has the same row wherever it stands: order is not in there yet.
  // (In double here, so that the digits printed are the same on every machine; float is what the encoders default to.)
  Matrix sentence(3, 8);
  sentence << 0.2, -0.1, 0.4, 0.3, -0.2, 0.5, 0.1, -0.3,  // the
      -0.4, 0.7, 0.1, -0.2, 0.6, -0.1, 0.3, 0.2,          // cat
      0.5, 0.2, -0.3, 0.1, 0.2, 0.4, -0.5, 0.6;           // sat
  print("Embeddings", sentence);

  // The plainest signal: a number that grows by the same step. One scale only, and no bound.
  Matrix x = sentence;
  posenc::LinearIndex<double>(8, 0.1).add_to(x);
  print("Linear index: + 0.1 p", x);

  // Four clock hands, each ten times slower than the one before it, read as sine and cosine.
  x = sentence;
  posenc::Sinusoidal<double>(8).add_to(x);
  print("Sinusoidal: + [sin p, cos p, sin 0.1p, cos 0.1p, sin 0.01p, cos 0.01p, sin 0.001p, cos 0.001p]", x);

  // A table that training would fill, one row per position. These are filled by hand.
  Matrix table(3, 8);
  table << 1, 0, 1, 0, 1, 0, 1, 0,  // position 0
      0, 1, 0, 1, 0, 1, 0, 1,       // position 1
      -1, 0, -1, 0, -1, 0, -1, 0;   // position 2
  const posenc::LearnedPositions<double> learned(table);
  x = sentence;
  learned.add_to(x);
  print("Learned: + row p of a table of " + std::to_string(learned.parameter_count()) + " parameters", x);

  // RoPE adds nothing: it turns pairs of channels of queries and keys. Here the rows stand for queries.
  const posenc::Rope<double> rope(Frequencies::geometric(8), PairLayout::interleaved);
  x = sentence;
  rope.rotate(x);
  print("RoPE: pair k turned by p omega_k", x);

  // The promise: the score of a query with a key depends on how far apart they are, not on where they stand.
  std::printf("Score of \"cat\" at m with \"sat\" at m + 1, in float\n");
  const posenc::Rope<float> rope_in_float(Frequencies::geometric(8), PairLayout::interleaved);
  const double near_by = x.row(1).dot(x.row(2));  // from the rows above, m = 1, in double
  for (const posenc::Position m : {1LL, 1000000LL, 1000000000LL}) {
    Eigen::MatrixXf cat = sentence.row(1).cast<float>(), sat = sentence.row(2).cast<float>();
    rope_in_float.rotate(cat, m);
    rope_in_float.rotate(sat, m + 1);
    const double score = static_cast<double>(cat.row(0).dot(sat.row(0)));
    std::printf("  m = %10lld   %.4f\n", static_cast<long long>(m), score);
    if (std::abs(score - near_by) > 1e-6) {
      std::printf("FALSE: it should be %.7f everywhere\n", near_by);
      return 1;
    }
  }
}
