// One attention head that knows the order of its words: project, rotate queries and keys, compare, mix the values.
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/attention_head.cpp -o attention_head && ./attention_head

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index head_dim = 16;

/// Prints a statement with its proof's outcome; a false one ends the program with an error.
void claim(bool is_true, const char* statement) {
  std::printf("  %s: %s\n", is_true ? "true" : "FALSE", statement);
  if (!is_true) std::exit(1);
}

/// Numbers in [-1, 1), the same on every machine: the bits of the generator are fixed by the standard, unlike those of
/// std::uniform_real_distribution.
Matrix random_matrix(Index rows, Index cols, std::mt19937& random) {
  Matrix x(rows, cols);
  std::generate_n(x.data(), x.size(), [&] { return static_cast<float>(random()) * 0x1p-31f - 1; });
  return x;
}

struct Attention {
  Matrix weights, out;  // tokens x tokens, tokens x head_dim
};

struct Head {
  Matrix wq, wk, wv;           // model width x head_dim
  const posenc::Rope<>* rope;  // none: a head that sees a bag of words

  /// h: tokens x model width, the first of them at position `first`.
  Attention operator()(const Matrix& h, posenc::Position first = 0) const {
    Matrix q = h * wq, k = h * wk;
    if (rope != nullptr) {
      rope->rotate(q, first);  // row i stands at position first + i
      rope->rotate(k, first);  // values are not rotated: positions only decide who listens to whom
    }
    Matrix weights = q * k.transpose() / std::sqrt(static_cast<float>(head_dim));
    for (Index i = 0; i < weights.rows(); ++i) {  // softmax over the word itself and those before it
      auto seen = weights.row(i).head(i + 1);
      seen = (seen.array() - seen.maxCoeff()).exp().matrix().eval();
      seen /= seen.sum();
      weights.row(i).tail(weights.cols() - i - 1).setZero();
    }
    return {weights, weights * (h * wv)};
  }
};

void print(const std::vector<std::string>& words, const Matrix& weights) {
  for (Index i = 0; i < weights.rows(); ++i) {
    std::printf("  %-6s", words[static_cast<std::size_t>(i)].c_str());
    for (Index j = 0; j <= i; ++j) std::printf(" %6.3f", static_cast<double>(weights(i, j)));
    std::printf("\n");
  }
}

int main() {
  std::mt19937 random(1);
  const Matrix words = random_matrix(4, head_dim, random);  // embeddings of: dog, bites, man, "."
  const Matrix wq = random_matrix(head_dim, head_dim, random), wk = random_matrix(head_dim, head_dim, random),
               wv = random_matrix(head_dim, head_dim, random);

  Matrix dog_bites_man = words, man_bites_dog = words;
  man_bites_dog.row(0).swap(man_bites_dog.row(2));  // the same words, another order

  // The full stop comes last and sees all words. Without positions it cannot tell who bites.
  const Head bag{wq, wk, wv, nullptr};
  const Attention bag_a = bag(dog_bites_man), bag_b = bag(man_bites_dog);
  std::printf("Without positions: how much each word attends to those before it\n");
  print({"dog", "bites", "man", "."}, bag_a.weights);
  print({"man", "bites", "dog", "."}, bag_b.weights);
  claim((bag_a.out.row(3) - bag_b.out.row(3)).norm() < 1e-4f, "the full stop hears the same from both sentences");

  const posenc::Rope rope(posenc::Frequencies::geometric(head_dim), posenc::PairLayout::half);
  const Head head{wq, wk, wv, &rope};
  const Attention a = head(dog_bites_man), b = head(man_bites_dog);
  std::printf("With RoPE\n");
  print({"dog", "bites", "man", "."}, a.weights);
  print({"man", "bites", "dog", "."}, b.weights);
  claim((a.out.row(3) - b.out.row(3)).norm() > 0.1f, "now it hears who bites");

  // Scores depend on offsets alone, so a sentence means the same wherever it stands in a text.
  const Attention far_away = head(dog_bites_man, 1000000);
  claim((a.out - far_away.out).norm() < 1e-4f, "a million tokens later the same sentence gives the same result");
}
