// Calls that must not compile. CMakeLists.txt beside this file compiles it once for each MISUSE and looks for the text;
// with MISUSE=NONE the same lines, put right, must compile.

#include <vector>

#include "posenc/bias.hpp"
#include "posenc/learned.hpp"
#include "posenc/linear_index.hpp"
#include "posenc/rope.hpp"
#include "posenc/sinusoidal.hpp"

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
#define PRODUCT_AS_POSITIONS 20
#define PRODUCT_INSIDE_POSITIONS 21
#define PRODUCT_AS_MATRIX_OF_POSITIONS 22
#define PRODUCT_AS_COSINES 23
#define PRODUCT_AS_BIASES 24
#define PRODUCT_AS_GRADIENT 25
#define PRODUCT_AS_FREQUENCIES 26
#define HALF_TABLE 27
#define INTEGER_LEARNED 28
#define HALF_LINEAR 29
#define INTEGER_LINEAR 30
#define HALF_SINUSOIDAL 31
#define BRACED_POSITIONS 32
#define BRACED_DELTAS 33
#define BRACED_FREQUENCIES 34
#define BRACED_ROWS 35
#define CHARACTER_DELTA 36
#define LONG_DOUBLE_DELTA 37
#define WIDE_POSITIONS 38
#define VECTOR_AS_X 39
#define VIEW_AS_X 40

using Matrix = Eigen::MatrixXf;
using posenc::Frequencies;
using posenc::PairLayout;
using posenc::Rope;
#if defined(__SIZEOF_INT128__)
__extension__ using Wide = __int128;
#else
using Wide = bool;  // refused alike
#endif

int main() {
  Matrix x = Matrix::Ones(3, 8), y = x;
  const Matrix constant = x;
  std::vector<float> buffer(24, 1.0f);
  const Frequencies frequencies = Frequencies::geometric(8);
  const Rope<float> rope(frequencies, PairLayout::half);
  const posenc::Sinusoidal<float> sinusoidal(8);
  const posenc::LearnedPositions<float> learned(y);
  const Eigen::Matrix3i square = Eigen::Matrix3i::Zero();
  const Eigen::Vector3i column(0, 1, 2);

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
#elif MISUSE == PRODUCT_AS_POSITIONS
  rope.rotate(x, square * column);
#elif MISUSE == PRODUCT_INSIDE_POSITIONS
  rope.rotate(x, (square * column).transpose() + column.transpose());
#elif MISUSE == PRODUCT_AS_MATRIX_OF_POSITIONS
  rope.rotate(x, square * square);
#elif MISUSE == PRODUCT_AS_COSINES
  posenc::rotate_pairs(x, x.leftCols(3) * x.topLeftCorner(3, 4), x.leftCols(4), PairLayout::half, 8);
#elif MISUSE == PRODUCT_AS_BIASES
  posenc::T5Buckets(posenc::Attention::causal).add_to(x, y * y.transpose(), 0);
#elif MISUSE == PRODUCT_AS_GRADIENT
  learned.accumulate_gradient(y, 2 * (x * x.transpose() * x));
#elif MISUSE == PRODUCT_AS_FREQUENCIES
  Frequencies::from_values(square * column);
#elif MISUSE == HALF_TABLE
  posenc::LearnedPositions encoder(Eigen::Matrix<Eigen::half, 4, 8>::Zero().eval());
#elif MISUSE == INTEGER_LEARNED
  posenc::LearnedPositions encoder(square);
#elif MISUSE == HALF_LINEAR
  posenc::LinearIndex<Eigen::half>(8, 1);
#elif MISUSE == INTEGER_LINEAR
  posenc::LinearIndex<int>(8, 1);
#elif MISUSE == HALF_SINUSOIDAL
  posenc::Sinusoidal<Eigen::bfloat16>(8);
#elif MISUSE == BRACED_POSITIONS
  rope.rotate(x, {1, 2, 3});
#elif MISUSE == BRACED_DELTAS
  rope.shift(x, {1, 2, 3});
#elif MISUSE == BRACED_FREQUENCIES
  Frequencies::from_values({1.0, 0.5});
#elif MISUSE == BRACED_ROWS
  sinusoidal.encode({1, 2, 3});
#elif MISUSE == CHARACTER_DELTA
  rope.shift(x, 'a');
#elif MISUSE == LONG_DOUBLE_DELTA
  rope.shift(x, 9.5L);
#elif MISUSE == WIDE_POSITIONS
  rope.rotate(x, std::vector<Wide>{1, 2, 3});
#elif MISUSE == VECTOR_AS_X
  sinusoidal.add_to(buffer);
#elif MISUSE == VIEW_AS_X
  sinusoidal.add_to(posenc::bshd(buffer.data(), 1, 3, 1, 8));
#else
  // Near each of these: what was meant.
  rope.rotate_to(y, constant);
  rope.rotate(x.leftCols(8), 5);
  rope.rotate(x, (square * column).eval());
  rope.rotate(x, column.transpose() + column.transpose());
  rope.shift(x, std::vector{1, 2, 3});
  Frequencies::from_values(std::vector{1.0, 0.5});
  learned.accumulate_gradient(y, (2 * (x * x.transpose() * x)).eval());
  posenc::LearnedPositions cast(Eigen::Matrix<Eigen::half, 4, 8>::Zero().cast<float>().eval());
  sinusoidal.add_to(Eigen::Map<Matrix>(buffer.data(), 3, 8));
  x = x + y;
  rope.rotate(x, std::vector<double>{0.5, 1.5, 2.5});
  rope.shift(x, 0.5);
  rope.rotate_to(Eigen::Ref<Matrix>(y), x);
  posenc::rotate_pairs(x, rope.table(3).cos, rope.table(3).sin, PairLayout::half, 8);
  rope.unrotate(posenc::bshd(buffer.data(), 1, 3, 1, 8));
  rope.shift(Eigen::Map<Matrix>(buffer.data(), 3, 8), 1);
#endif
}
