// Which pair layout is my checkpoint made for, and how are its weights converted to the other?
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/checkpoint_layout.cpp -o checkpoint_layout
//   ./checkpoint_layout

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using posenc::PairLayout;

constexpr Index model_dim = 32, head_dim = 16, heads = 2, width = heads * head_dim, tokens = 10;

void claim(bool is_true, const char* statement) {
  std::printf("  %s: %s\n", is_true ? "true" : "FALSE", statement);
  if (!is_true) std::exit(1);
}

Matrix random_matrix(Index rows, Index cols, std::mt19937& random) {
  Matrix x(rows, cols);
  std::generate_n(x.data(), x.size(), [&] { return static_cast<float>(random()) * 0x1p-31f - 1; });
  return x;
}

/// The program that the checkpoint is known to work with. Here it is the formula of Hugging Face's Llama, written out:
/// x cos + rotate_half(x) sin, with rotate_half(x) = (-second half, first half).
Matrix other_program(const Matrix& x) {
  Matrix y = x;
  for (Index p = 0; p < x.rows(); ++p) {
    for (Index h = 0; h < heads; ++h) {
      for (Index c = 0; c < head_dim; ++c) {
        const Index k = c % (head_dim / 2), at = h * head_dim + c;
        const double angle = static_cast<double>(p) * std::pow(10000.0, -2.0 * static_cast<double>(k) / head_dim);
        const float half_turned = c < head_dim / 2 ? -x(p, at + head_dim / 2) : x(p, at - head_dim / 2);
        y(p, at) = x(p, at) * static_cast<float>(std::cos(angle)) + half_turned * static_cast<float>(std::sin(angle));
      }
    }
  }
  return y;
}

/// How far a layout is from what the other program made of x: 0 but for rounding if it is the right one.
float difference(PairLayout layout, const Matrix& x, const Matrix& rotated_by_other) {
  const posenc::Rope rope(posenc::Frequencies::geometric(head_dim), layout);
  Matrix y = x;
  rope.rotate(y);
  return (y - rotated_by_other).cwiseAbs().maxCoeff();
}

/// Scores between all tokens, summed over the heads. PyTorch stores weights one row an output, so q = h W^T.
Matrix scores(const Matrix& h, const Matrix& wq, const Matrix& wk, PairLayout layout) {
  const posenc::Rope rope(posenc::Frequencies::geometric(head_dim), layout);
  Matrix q = h * wq.transpose(), k = h * wk.transpose();
  rope.rotate(q);
  rope.rotate(k);
  return q * k.transpose() / std::sqrt(static_cast<float>(head_dim));
}

int main() {
  std::mt19937 random(1);
  const Matrix h = random_matrix(tokens, model_dim, random);
  Matrix wq = random_matrix(width, model_dim, random), wk = random_matrix(width, model_dim, random);

  // 1. Look it up: docs/models.md names the layout of many models. Or measure it: let the other program print the
  // queries before and after its rotation. Position 0 tells nothing, since nothing turns there; position 1 does.
  const Matrix before = h * wq.transpose(), after = other_program(before);
  const float half = difference(PairLayout::half, before, after);
  const float interleaved = difference(PairLayout::interleaved, before, after);
  std::printf("Queries of the other program, rotated by posenc\n");
  claim(half < 1e-5f, "as PairLayout::half they agree with what it rotated itself");
  claim(interleaved > 1, "as PairLayout::interleaved they are wrong by more than 1, without any error message");

  // 2. Convert. The columns of q change places, which are the rows of these weights: so their transpose is passed. The
  // same goes for a bias (as a row) and for the weights of a norm on q and k. Values and output weights stay as they are.
  const Matrix expected = scores(h, wq, wk, PairLayout::half);
  posenc::to_interleaved(wq.transpose(), head_dim);
  posenc::to_interleaved(wk.transpose(), head_dim);
  std::printf("Weights of queries and keys converted from half to interleaved\n");
  const Matrix converted = scores(h, wq, wk, PairLayout::interleaved);
  claim((converted - expected).cwiseAbs().maxCoeff() < 1e-4f, "the scores are the same with PairLayout::interleaved");
  const Matrix forgotten = scores(h, wq, wk, PairLayout::half);
  claim((forgotten - expected).cwiseAbs().maxCoeff() > 1, "and wrong if the rope is still told half");
  const Matrix still = scores(h.topRows(1), wq, wk, PairLayout::half);
  claim(std::abs(still(0, 0) - expected(0, 0)) < 1e-4f, "which a prompt of one token cannot show: test with more");

  // 3. And back: the conversion only moves numbers.
  const Matrix moved = wq;
  posenc::to_half(wq.transpose(), head_dim);
  posenc::to_interleaved(wq.transpose(), head_dim);
  std::printf("Back to half and to interleaved again\n");
  claim(wq == moved, "every weight has its bits back");
}
