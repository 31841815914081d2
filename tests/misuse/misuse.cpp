// Calls that must not compile. CMakeLists.txt beside this file compiles it once for each MISUSE and looks for the text;
// with MISUSE=NONE the same lines, put right, must compile.

#include <vector>

#include "posenc/rope.hpp"

#define NONE 0
#define CONST_MATRIX 1
#define TEMPORARY_MATRIX 2
#define EXPRESSION 3
#define INTEGER_ROPE 4
#define OTHER_SCALAR 5
#define NO_LAYOUT 6
#define NO_LAYOUT_FOR_PAIRS 7
#define CONST_VIEW 8
#define BOOL_POSITION 9
#define REAL_START 10
#define CONST_MAP 11
#define REVERSED 12
#define BOOL_POSITIONS 13
#define DOUBLE_ROPE_ON_FLOAT 14
#define INTEGER_OUT 15
#define CONST_REF_OUT 16
#define EXPRESSION_AS_SOURCE 17
#define BRACED_START 18
#define TEXT_AS_POSITIONS 19

using Matrix = Eigen::MatrixXf;
using posenc::Frequencies;
using posenc::PairLayout;
using posenc::Rope;

int main() {
  Matrix x = Matrix::Ones(3, 8), y = x;
  const Matrix constant = x;
  std::vector<float> buffer(24, 1.0f);
  const Frequencies frequencies = Frequencies::geometric(8);
  const Rope<float> rope(frequencies, PairLayout::half);

#if MISUSE == CONST_MATRIX
  rope.rotate(constant);
#elif MISUSE == TEMPORARY_MATRIX
  rope.rotate(Matrix(x));
#elif MISUSE == EXPRESSION
  rope.rotate(x + y);
#elif MISUSE == INTEGER_ROPE
  Rope<int>(frequencies, PairLayout::half);
#elif MISUSE == OTHER_SCALAR
  Eigen::MatrixXd wide = x.cast<double>();
  rope.rotate(wide);
#elif MISUSE == NO_LAYOUT
  Rope<float> without(frequencies);
#elif MISUSE == NO_LAYOUT_FOR_PAIRS
  posenc::rotate_pairs(x, rope.table(3).cos, rope.table(3).sin, 8);
#elif MISUSE == CONST_VIEW
  const float* data = buffer.data();
  rope.unrotate(posenc::bshd(data, 1, 3, 1, 8));
#elif MISUSE == BOOL_POSITION
  rope.rotate(x, true);
#elif MISUSE == REAL_START
  rope.rotate(x, 0.5);
#elif MISUSE == CONST_MAP
  rope.shift(Eigen::Map<const Matrix>(buffer.data(), 3, 8), 1);
#elif MISUSE == REVERSED
  rope.backward(x.reverse());
#elif MISUSE == BOOL_POSITIONS
  rope.rotate(x, std::vector<bool>{true, false, true});
#elif MISUSE == BRACED_START
  rope.rotate(x, {7});  // a list of one, or the first position?
#elif MISUSE == TEXT_AS_POSITIONS
  rope.rotate(x, "ab");
#elif MISUSE == DOUBLE_ROPE_ON_FLOAT
  Rope<double>(frequencies, PairLayout::half).rotate(x);
#elif MISUSE == INTEGER_OUT
  Eigen::MatrixXi out(3, 8);
  rope.rotate_to(out, x);
#elif MISUSE == CONST_REF_OUT
  rope.rotate_to(Eigen::Ref<const Matrix>(y), x);
#elif MISUSE == EXPRESSION_AS_SOURCE
  rope.rotate_to(y, x + x);
#else
  // Near each of these: what was meant.
  rope.rotate_to(y, constant);
  rope.rotate(x.leftCols(8), 5);
  x = x + y;
  rope.rotate(x, std::vector<double>{0.5, 1.5, 2.5});
  rope.shift(x, 0.5);
  rope.rotate_to(Eigen::Ref<Matrix>(y), x);
  posenc::rotate_pairs(x, rope.table(3).cos, rope.table(3).sin, PairLayout::half, 8);
  rope.unrotate(posenc::bshd(buffer.data(), 1, 3, 1, 8));
  rope.shift(Eigen::Map<Matrix>(buffer.data(), 3, 8), 1);
#endif
}
