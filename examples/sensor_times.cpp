// Positions need not count tokens: readings of a sensor with gaps, placed by their time in seconds.
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/sensor_times.cpp -o sensor_times && ./sensor_times

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index head_dim = 16;

void claim(bool is_true, const char* statement) {
  std::printf("  %s: %s\n", is_true ? "true" : "FALSE", statement);
  if (!is_true) std::exit(1);
}

/// Scores of every reading with the next one. All have the same content, so only their positions make a difference.
template <class Positions>
std::vector<float> scores_with_next(const posenc::Rope<>& rope, const Positions& positions) {
  Matrix x = Matrix::Ones(static_cast<Index>(positions.size()), head_dim);
  rope.rotate(x, positions);
  std::vector<float> scores;
  for (Index i = 0; i + 1 < x.rows(); ++i) scores.push_back(x.row(i).dot(x.row(i + 1)));
  return scores;
}

bool close(float a, float b) { return std::abs(a - b) < 1e-4f; }

int main() {
  // Two readings per second, with a dropout of five seconds and one of an hour.
  const std::vector<double> seconds = {0, 0.5, 1, 1.5, 6.5, 7, 7.25, 3607.25, 3607.75};

  // Choose the ladder by the times that matter. Here the fastest pair turns once in 2 seconds, so that half a second is a
  // clear step; the slowest in a day, so that an hour is one too. omega is in radians per second, as positions are seconds.
  const double full_turn = 2 * std::acos(-1.0);
  const auto ladder = posenc::Frequencies::log_spaced(head_dim / 2, full_turn / 2, full_turn / 86400);
  const posenc::Rope rope(ladder, posenc::PairLayout::half);
  std::printf("Periods of the pairs in seconds:");
  for (Index k = 0; k < ladder.size(); ++k) std::printf(" %.0f", ladder.period(k));
  std::printf("\n\n");

  const std::vector<float> by_time = scores_with_next(rope, seconds);
  std::vector<int> index;
  for (std::size_t i = 0; i < seconds.size(); ++i) index.push_back(static_cast<int>(i));
  const std::vector<float> by_index = scores_with_next(rope, index);
  std::printf("from s     to s       gap   score by index   by time\n");
  for (std::size_t i = 0; i + 1 < seconds.size(); ++i) {
    std::printf("%7.2f  %7.2f  %7.2f  %9.2f  %13.2f\n", seconds[i], seconds[i + 1], seconds[i + 1] - seconds[i],
                static_cast<double>(by_index[i]), static_cast<double>(by_time[i]));
  }
  claim(close(by_index[0], by_index[3]) && close(by_index[0], by_index[6]), "by index, every gap looks the same");
  claim(close(by_time[0], by_time[1]) && close(by_time[0], by_time[4]) && close(by_time[0], by_time[7]),
        "by time, half a second is half a second, before and after a dropout");
  claim(by_time[5] > by_time[0] && by_time[0] > by_time[3] && by_time[3] > by_time[6],
        "by time, a longer gap has a lower score");

  // The clock may start anywhere. Unix time has 10 digits before the point: keep it in double or in integers of a smaller
  // unit (then omega is per that unit). In float it would be rounded to 128 seconds before posenc sees it.
  std::vector<double> unix_time = seconds;
  for (double& time : unix_time) time += 1700000000;
  const std::vector<float> by_unix_time = scores_with_next(rope, unix_time);
  bool same = true;
  for (std::size_t i = 0; i < by_time.size(); ++i) same = same && close(by_time[i], by_unix_time[i]);
  claim(same, "counted from 1970 instead, all scores are the same");

  // The sinusoidal code takes times as well. It is a smooth curve, so a reading a millisecond late has nearly its code.
  const posenc::Sinusoidal<> code(ladder, posenc::SinCosOrder::interleaved);
  const Matrix codes = code.encode(std::vector{0.5, 0.501, 6.5});
  claim((codes.row(1) - codes.row(0)).norm() < 0.01f && (codes.row(2) - codes.row(0)).norm() > 1,
        "a millisecond moves the sinusoidal code by less than 0.01, six seconds by more than 1");
}
