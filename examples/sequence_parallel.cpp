// One sequence over several processes (MPI): each rotates its own rows, then keys and values go round a ring.
//   mpicxx -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/sequence_parallel.cpp -o sequence_parallel
//   mpirun -n 4 ./sequence_parallel        (Open MPI wants --oversubscribe for more ranks than cores)

#include <mpi.h>

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index tokens = 240, head_dim = 64;

Matrix random_matrix(Index rows, Index cols, std::mt19937& random) {
  Matrix x(rows, cols);
  std::generate_n(x.data(), x.size(), [&] { return static_cast<float>(random()) * 0x1p-31f - 1; });
  return x;
}

/// Causal attention of queries to keys that arrive in pieces: out = sum of e^(score - largest) value, divided by the sum of
/// the weights at the end. When a piece brings a larger score, what was summed before is scaled down to it.
struct OnlineSoftmax {
  Matrix q;     // rotated queries, one per row
  Index first;  // position of the first of them
  Matrix out = Matrix::Zero(q.rows(), q.cols());
  Eigen::ArrayXf sum = Eigen::ArrayXf::Zero(q.rows());
  Eigen::ArrayXf largest = Eigen::ArrayXf::Constant(q.rows(), std::numeric_limits<float>::lowest());
  template <class Keys, class Values>
  void add(const Keys& keys, const Values& values, Index first_key) {
    const Matrix scores = q * keys.transpose() / std::sqrt(static_cast<float>(head_dim));
    for (Index i = 0; i < q.rows(); ++i) {
      const Index seen = std::min(first + i + 1 - first_key, keys.rows());  // its own key and those before it
      if (seen <= 0) continue;
      const float now = std::max(largest(i), scores.row(i).head(seen).maxCoeff()), shrink = std::exp(largest(i) - now);
      const Eigen::RowVectorXf weights = (scores.row(i).head(seen).array() - now).exp();
      sum(i) = sum(i) * shrink + weights.sum();
      out.row(i) = out.row(i) * shrink + weights * values.topRows(seen);
      largest(i) = now;
    }
  }
  Matrix result() const { return (out.array().colwise() / sum).matrix(); }
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (tokens % ranks != 0) {
    std::fprintf(stderr, "%d tokens do not split over %d ranks\n", static_cast<int>(tokens), ranks);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  // Stands for the projections of a layer. Every rank makes all rows, so that it can compare with one process below.
  std::mt19937 random(1);
  const Matrix q = random_matrix(tokens, head_dim, random), k = random_matrix(tokens, head_dim, random),
               v = random_matrix(tokens, head_dim, random);
  const posenc::Rope rope(posenc::Frequencies::geometric(head_dim), posenc::PairLayout::half);

  // Each rank has `rows` tokens from position `first` on, and knows both: nothing about positions is sent.
  const Index rows = tokens / ranks, first = rank * rows;
  Matrix own_q = q.middleRows(first, rows);
  Matrix travelling(rows, 2 * head_dim);  // keys, rotated by their owner, beside their values: one message
  travelling.rightCols(head_dim) = v.middleRows(first, rows);
  rope.rotate(own_q, first);
  rope.rotate_to(travelling.leftCols(head_dim), k.middleRows(first, rows), first);
  const Matrix own_k = travelling.leftCols(head_dim);

  OnlineSoftmax attention{own_q, first};
  for (int step = 0; step < ranks; ++step) {
    const int owner = (rank - step + ranks) % ranks;  // whose rows are here now
    attention.add(travelling.leftCols(head_dim), travelling.rightCols(head_dim), owner * rows);
    if (step + 1 == ranks) break;
    MPI_Sendrecv_replace(travelling.data(), static_cast<int>(travelling.size()), MPI_FLOAT, (rank + 1) % ranks, 0,
                         (rank - 1 + ranks) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  // What one process gets from the whole sequence.
  Matrix all_q = q, all_k = k;
  rope.rotate(all_q);
  rope.rotate(all_k);
  OnlineSoftmax whole{all_q.middleRows(first, rows), first};
  whole.add(all_k, v, 0);

  const int true_here[2] = {own_q == all_q.middleRows(first, rows) && own_k == all_k.middleRows(first, rows),
                            (attention.result() - whole.result()).cwiseAbs().maxCoeff() < 1e-5f};
  int everywhere[2];
  MPI_Allreduce(true_here, everywhere, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  const char* const claims[2] = {"every rank's queries and keys have the bits that one process gives them",
                                 "attention over the ring is that of one process but for rounding"};
  for (int i = 0; i < 2 && rank == 0; ++i) std::printf("%s: %s\n", everywhere[i] ? "true" : "FALSE", claims[i]);
  MPI_Finalize();
  return everywhere[0] && everywhere[1] ? 0 : 1;
}
