// Training a table of positions: "cat chases mouse" is likely and "mouse chases cat" is not, though the words are the same.
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/learned_order.cpp -o learned_order && ./learned_order

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
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Table = posenc::LearnedPositions<double>;  // rows of numbers, looked up by number: serves words as well

const char* const words[] = {"mouse", "cat", "dog", "wolf", "bear", "chases"};  // the animals by their size
constexpr Index animals = 5, dim = 8, length = 3;                               // a sentence has three words

void claim(bool is_true, const char* statement) {
  std::printf("%s: %s\n", is_true ? "true" : "FALSE", statement);
  if (!is_true) std::exit(1);
}

Matrix random_matrix(Index rows, Index cols, std::mt19937& random) {
  Matrix x(rows, cols);
  std::generate_n(x.data(), x.size(), [&] { return static_cast<double>(random()) * 0x1p-31 - 1; });
  return x;
}

struct Data {  // sentences, one word per row: its number and its place in the sentence
  std::vector<Index> word, position;
  std::vector<double> likely;  // 1 or 0, one per sentence
};
struct Result {
  double loss;
  Eigen::VectorXd probability;  // that a sentence is likely
};

/// h = tanh(E[word] + P[position]); probability = sigmoid(sum over the words of w . h). The tanh matters: in a plain sum
/// the positions would add the same to every sentence. Trains E, P (unless told not to) and w by gradient descent.
Result train(const Data& data, bool with_positions) {
  std::mt19937 random(1);
  Matrix E = random_matrix(animals + 1, dim, random), w = random_matrix(1, dim, random);
  Matrix P = with_positions ? random_matrix(length, dim, random) : Matrix::Zero(length, dim);
  const Index sentences = static_cast<Index>(data.likely.size());
  Result result{0, Eigen::VectorXd(sentences)};
  for (int step = 0; step < 1000; ++step) {
    const Table word_table(E), position_table(P);
    Matrix h = word_table.encode(data.word);  // (sentences * length) x dim
    position_table.add_to(h, data.position);
    h = h.array().tanh();

    // The loss is the cross-entropy. dh becomes its gradient with respect to E[word] + P[position].
    result.loss = 0;
    Matrix dE = Matrix::Zero(E.rows(), dim), dP = Matrix::Zero(length, dim), dw = Matrix::Zero(1, dim), dh = h;
    for (Index s = 0; s < sentences; ++s) {
      const Eigen::RowVectorXd sum = h.middleRows(s * length, length).colwise().sum();
      const double p = 1 / (1 + std::exp(-sum.dot(w.row(0)))), y = data.likely[static_cast<std::size_t>(s)];
      result.probability(s) = p;
      result.loss -= (y * std::log(p) + (1 - y) * std::log(1 - p)) / static_cast<double>(sentences);
      const double error = (p - y) / static_cast<double>(sentences);
      dw += error * sum;
      for (Index i = s * length; i < (s + 1) * length; ++i)
        dh.row(i) = error * w.array() * (1 - h.row(i).array().square());
    }
    word_table.accumulate_gradient(dE, dh, data.word);          // rows of the same word sum up,
    position_table.accumulate_gradient(dP, dh, data.position);  // and rows of the same position
    E -= 2 * dE;
    w -= 2 * dw;
    if (with_positions) P -= 2 * dP;
  }
  return result;
}

int main() {
  Data data;  // all sentences "A chases B", likely if A is the larger one
  for (Index a = 0; a < animals; ++a) {
    for (Index b = 0; b < animals; ++b) {
      if (a == b) continue;
      data.word.insert(data.word.end(), {a, animals, b});
      data.position.insert(data.position.end(), {0, 1, 2});
      data.likely.push_back(a > b ? 1 : 0);
    }
  }
  const Result bag = train(data, false), ordered = train(data, true);
  std::printf("                      likely?   bag of words   with positions\n");
  for (const std::size_t s : {0u, 4u, 6u, 9u, 11u, 14u}) {
    const std::string text = std::string(words[data.word[3 * s]]) + " chases " + words[data.word[3 * s + 2]];
    std::printf("%-20s  %7s  %13.2f  %15.2f\n", text.c_str(), data.likely[s] > 0.5 ? "yes" : "no",
                bag.probability(static_cast<Index>(s)), ordered.probability(static_cast<Index>(s)));
  }
  std::printf("%-20s  %7s  %13.4f  %15.4f\n", "loss", "", bag.loss, ordered.loss);
  claim(std::abs(bag.loss - std::log(2.0)) < 1e-4, "a bag of words ends at ln 2, the loss of guessing");
  const Eigen::Map<const Eigen::VectorXd> likely(data.likely.data(), ordered.probability.size());
  claim((ordered.probability - likely).cwiseAbs().maxCoeff() < 0.1,
        "with a trained table of positions every sentence is right, and by at least 0.9");
}
