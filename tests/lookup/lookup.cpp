// Every call of posenc with types from a namespace that has functions of all the names posenc uses. They are deleted, and
// better matches than posenc's own, or as good: a call in posenc that argument-dependent lookup can lead astray does not
// compile. taken_names.inc is made from posenc's headers by CMakeLists.txt beside this file.

#include <posenc/posenc.hpp>
#include <vector>

namespace geo {

struct Path {  // positions
  std::vector<int> points;
  std::size_t size() const { return points.size(); }
  int operator[](std::size_t i) const { return points[i]; }
};
struct Table : Eigen::MatrixXf {  // data
  using Eigen::MatrixXf::MatrixXf;
};
struct Rows : Eigen::MatrixXi {  // a matrix of positions
  using Eigen::MatrixXi::MatrixXi;
};
struct Cell {  // a number
  float value;
};
struct Code {  // an encoder
  Table encode(posenc::Index count) const { return Table(count, 2); }
};

#define TAKE_FOR(name, T)                     \
  template <class... Rest>                    \
  void name(T&, Rest&&...) = delete;          \
  template <class... Rest>                    \
  void name(const T&, Rest&&...) = delete;    \
  template <class... Rest>                    \
  void name(T&&, Rest&&...) = delete;         \
  template <class... Rest>                    \
  void name(T*, Rest&&...) = delete;          \
  template <class... Rest>                    \
  void name(const T*, Rest&&...) = delete;    \
  template <class First, class... Rest>       \
  void name(First&&, T&, Rest&&...) = delete; \
  template <class First, class... Rest>       \
  void name(First&&, const T&, Rest&&...) = delete;
#define TAKE(name)      \
  TAKE_FOR(name, Path)  \
  TAKE_FOR(name, Table) \
  TAKE_FOR(name, Rows)  \
  TAKE_FOR(name, Cell)
#include "taken_names.inc"

}  // namespace geo

int main() {
  using namespace posenc;
  const geo::Path p{{0, 1}};
  geo::Rows matrix(1, 2), table_rows(2, 3);
  matrix.setOnes();
  table_rows.setOnes();
  geo::Table x(2, 8), y(2, 8), square(2, 2), ones(2, 4), buckets(32, 1);
  for (geo::Table* t : {&x, &y, &square, &ones, &buckets}) t->setOnes();

  const Rope<float> rope(Frequencies::geometric(8), PairLayout::half);
  const Rope<float> axes(Frequencies::geometric(8), posenc::mrope_chunked({2, 1, 1}), PairLayout::half);
  rope.rotate(x);
  rope.rotate(x, p);
  rope.rotate(x, matrix.row(0));
  axes.rotate(x, table_rows);
  rope.rotate(posenc::bshd(x.data(), 1, 2, 1, 8), matrix);
  rope.rotate_to(y, x, p);
  rope.unrotate(x, p);
  rope.backward(x, p);
  rope.shift(x, p);
  rope.shift(x, 1);
  rope.table(p);
  axes.table(table_rows);
  Frequencies::from_values(p);
  posenc::rotate_pairs(x, ones, ones, PairLayout::half, 8);
  posenc::rotate_pairs(x, ones, ones, p, PairLayout::half, 8);
  posenc::to_half(x, 8);
  posenc::to_interleaved(x, 8);
  std::vector<geo::Cell> cells(16);
  posenc::to_half(posenc::bshd(cells.data(), 1, 2, 1, 8), 8);

  const Sinusoidal<float> sinusoidal(8);
  sinusoidal.add_to(x, p);
  sinusoidal.encode(p);
  const LinearIndex<float> linear(8, 0.5);
  linear.add_to(x, p);
  linear.encode(p);
  const LearnedPositions<float> learned(y);
  learned.add_to(x, p);
  learned.encode(p);
  learned.accumulate_gradient(y, x, p);

  posenc::add_alibi(square, 0.5);
  T5Buckets(Attention::causal).add_to(square, buckets, 0);
  posenc::distinctness(x);
  posenc::distinctness(geo::Code{}, 2);
  posenc::distinctness_by_offset(geo::Code{}, 2);
  posenc::continuity(geo::Code{}, 2);
  posenc::relative_structure(geo::Code{}, 2);
}
