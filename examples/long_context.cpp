// Longer contexts than a model was trained with: one prompt inside the trained length and beyond, with plain RoPE, linear
// scaling, YaRN and Llama 3's scaling.
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/long_context.cpp -o long_context && ./long_context

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using posenc::Frequencies;

constexpr Index head_dim = 128, trained = 8192, factor = 8, context = factor * trained, prompt = 16;
constexpr double base = 500000;

void claim(bool is_true, const char* statement) {
  std::printf("  %s: %s\n", is_true ? "true" : "FALSE", statement);
  if (!is_true) std::exit(1);
}

Matrix random_matrix(Index rows, Index cols, std::mt19937& random) {
  Matrix x(rows, cols);
  std::generate_n(x.data(), x.size(), [&] { return static_cast<float>(random()) * 0x1p-31f - 1; });
  return x;
}

/// Scores between the tokens of a prompt that begins at `first`, without YaRN's attention factor: it sharpens all of them
/// alike, by its square, and is no matter of position.
Matrix scores(const Frequencies& frequencies, Matrix queries, Matrix keys, posenc::Position first) {
  const posenc::Rope rope(frequencies, posenc::PairLayout::half);
  rope.rotate(queries, first);
  rope.rotate(keys, first);
  const double sharper = frequencies.attention_factor() * frequencies.attention_factor();
  return queries * keys.transpose() / static_cast<float>(sharper);
}

/// Pairs that a whole context turns to angles which training never reached. In `trained` tokens plain RoPE turns pair k by
/// trained * omega_k; from a full turn on, all angles have been seen.
Index unseen_pairs(const Frequencies& frequencies, const Frequencies& plain) {
  Index count = 0;
  for (Index k = 0; k < plain.size(); ++k) {
    const bool seen_all = plain.period(k) <= static_cast<double>(trained);
    const double reached = static_cast<double>(trained) * plain[k];
    if (!seen_all && static_cast<double>(context) * frequencies[k] > reached * 1.000001) ++count;
  }
  return count;
}

int main() {
  const Frequencies plain = Frequencies::geometric(head_dim, base);
  const Frequencies linear = posenc::scale_linear(plain, factor);
  posenc::YarnParameters yarn_parameters;
  yarn_parameters.factor = factor;
  yarn_parameters.original_max_position = trained;
  const Frequencies yarn = posenc::scale_yarn(head_dim, base, yarn_parameters);
  const Frequencies llama3 = posenc::scale_llama3(head_dim, base, {factor, 1, 4, trained});  // as in Llama 3.1

  std::mt19937 random(1);
  const Matrix queries = random_matrix(prompt, head_dim, random), keys = random_matrix(prompt, head_dim, random);
  const Matrix known = scores(plain, queries, keys, 0);  // what the model was trained on

  struct Row {
    const char* name;
    const Frequencies& frequencies;
    double moved, changed;  // relative to the scores, in percent
    Index unseen;
  } rows[] = {
      {"plain", plain, 0, 0, 0}, {"linear", linear, 0, 0, 0}, {"YaRN", yarn, 0, 0, 0}, {"Llama 3", llama3, 0, 0, 0}};
  std::printf("Trained with %d tokens, used with %d\n\n", static_cast<int>(trained), static_cast<int>(context));
  std::printf(
      "           one prompt at 0 and at 60000:   its scores against   pairs (of %d) turned to\n"
      "           scores differ by                those of training    angles not in training\n",
      static_cast<int>(plain.size()));
  for (Row& row : rows) {
    const Matrix inside = scores(row.frequencies, queries, keys, 0),
                 beyond = scores(row.frequencies, queries, keys, 60000);
    row.moved = 100 * static_cast<double>((beyond - inside).norm() / inside.norm());
    row.changed = 100 * static_cast<double>((inside - known).norm() / known.norm());
    row.unseen = unseen_pairs(row.frequencies, plain);
    std::printf("%-8s   %18.2f %%   %20.1f %%   %22d\n", row.name, row.moved, row.changed,
                static_cast<int>(row.unseen));
  }
  std::printf("\n");

  const auto& [p, l, y, m] = rows;
  claim(std::max({p.moved, l.moved, y.moved, m.moved}) < 0.001,
        "where a prompt stands makes no difference, even to plain RoPE: only offsets count");
  claim(p.unseen > 0 && l.unseen == 0 && m.unseen == 0,
        "but offsets beyond 8192 turn slow pairs of plain RoPE to angles it never learned; scaling prevents that");
  claim(l.changed > 50, "linear scaling slows down all pairs: the model no longer knows its own neighbours");
  claim(y.changed < 10 && m.changed < 10, "YaRN and Llama 3 keep the fast pairs, and neighbours look as in training");
}
