// Positions with several axes: text, an image and a video in one sequence (M-RoPE), and the patches of an image (2-D RoPE).
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/image_video.cpp -o image_video && ./image_video

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Positions = Eigen::Matrix<int, Eigen::Dynamic, 3>;  // one row per token; time, height, width

void claim(bool is_true, const char* statement) {
  std::printf("  %s: %s\n", is_true ? "true" : "FALSE", statement);
  if (!is_true) std::exit(1);
}

/// The positions of a sequence by the rule of Qwen2-VL: text counts on all axes at once, patches lie on a grid that
/// begins where the text has arrived, and what follows goes on after the largest number so far.
struct Sequence {
  Positions positions{0, 3};
  int next = 0;

  void add(int time, int height, int width) {
    positions.conservativeResize(positions.rows() + 1, 3);
    positions.bottomRows<1>() << time, height, width;
  }
  void text(int count) {
    for (int i = 0; i < count; ++i, ++next) add(next, next, next);
  }
  void patches(int frames, int rows, int columns) {  // an image has one frame
    for (int t = 0; t < frames; ++t)
      for (int h = 0; h < rows; ++h)
        for (int w = 0; w < columns; ++w) add(next + t, next + h, next + w);
    next += std::max({frames, rows, columns});
  }
};

/// Rows of ones, rotated: dot products of these rows then differ by their positions alone.
template <class AnyPositions>
Matrix rotated(const posenc::Rope<>& rope, const AnyPositions& positions) {
  Matrix x = Matrix::Ones(positions.rows(), rope.head_dim());
  rope.rotate(x, positions);
  return x;
}

bool close(float a, float b) { return std::abs(a - b) < 1e-3f; }

int main() {
  Sequence sequence;
  sequence.text(2);
  sequence.patches(1, 2, 3);  // an image of 2 x 3 patches
  sequence.text(1);
  sequence.patches(2, 1, 2);  // a video of 2 frames with 1 x 2 patches
  sequence.text(1);
  const Positions& positions = sequence.positions;
  const char* const axes[] = {"time  ", "height", "width "};
  std::puts("2 words, an image of 2 x 3, a word, a video of 2 frames of 1 x 2, a word");
  for (Index axis = 0; axis < 3; ++axis) {
    std::printf("  %s", axes[axis]);
    for (const int p : positions.col(axis)) std::printf(" %2d", p);
    std::printf("\n");
  }

  // A head of 128 channels has 64 pairs. Qwen3-VL deals them out in turn, so that every axis has fast and slow ones: 24 to
  // time, 20 to height, 20 to width. (Qwen2-VL cuts them into stretches, mrope_chunked({16, 24, 24}): width is slow there.)
  const posenc::Frequencies ladder = posenc::Frequencies::geometric(128, 5000000);
  const posenc::Rope mrope(ladder, posenc::mrope_interleaved({24, 20, 20}), posenc::PairLayout::half);
  const posenc::Rope plain(ladder, posenc::PairLayout::half);
  const Matrix x = rotated(mrope, positions);
  const Eigen::VectorXi text_only = Eigen::VectorXi::LinSpaced(50, 0, 49);
  claim(rotated(mrope, Positions(text_only.replicate(1, 3))) == rotated(plain, text_only),
        "text alone has the bits of plain RoPE");
  const auto dot = [](const Matrix& rows, Index a, Index b) { return rows.row(a).dot(rows.row(b)); };
  const float still = dot(x, 2, 2), right = dot(x, 2, 3), down = dot(x, 2, 5), after = dot(x, 9, 11);
  claim(close(down, dot(x, 4, 7)), "one row down is the same step in every column");
  std::printf("  score of a patch with itself %.1f, one column on %.1f, one row down %.1f, one frame later %.1f\n",
              double{still}, double{right}, double{down}, double{after});
  claim(still > right + 0.1f && right > down + 0.1f && down > after + 0.1f, "each axis is a step of its own");
  const Matrix later = rotated(mrope, Positions(positions.array() + 100000));
  claim(close(dot(later, 2, 9), dot(x, 2, 9)),
        "after 100000 more words before it, image and video look the same to each other");

  // Inside an image encoder there is no text: each patch has a row and a column. Four conventions are in use, and weights
  // made for one are nonsense with another; docs/scalings.md says which model has which.
  Eigen::MatrixX2i grid(12, 2);  // 3 x 4 patches
  for (int i = 0; i < 12; ++i) grid.row(i) << i / 4, i % 4;
  const posenc::Rope rope = posenc::axial_rope(posenc::Axial2d::hw_half, 64);
  const Matrix patches = rotated(rope, grid);
  std::puts("3 x 4 patches of an image: score of the first with each");
  for (Index patch = 0; patch < 12; ++patch)
    std::printf("%s %5.1f%s", patch % 4 == 0 ? "  " : "", double{dot(patches, 0, patch)}, patch % 4 == 3 ? "\n" : "");
  claim(close(dot(patches, 0, 5), dot(patches, 6, 11)), "one down and one right is the same step everywhere");
  claim(dot(patches, 0, 0) > dot(patches, 0, 1) && dot(patches, 0, 1) > dot(patches, 0, 5),
        "near patches score higher than those across");
}
