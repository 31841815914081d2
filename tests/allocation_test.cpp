// No call on data allocates: every operator new is counted here, and Eigen, which goes to malloc, throws where it would.

#include <stdexcept>

#define EIGEN_RUNTIME_NO_MALLOC
#define eigen_assert(condition) \
  if (!(condition)) throw std::logic_error("Eigen: " #condition)

#include <posenc/learned.hpp>
#include <posenc/linear_index.hpp>
#include <posenc/rope.hpp>
#include <posenc/rotate_pairs.hpp>
#include <posenc/sinusoidal.hpp>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "catch.hpp"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return ++allocations, std::malloc(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

using namespace posenc;

namespace {

/// How many times the call allocates.
template <class Call>
long allocations_of(Call call) {
  Eigen::internal::set_is_malloc_allowed(false);
  const long before = allocations;
  call();
  const long after = allocations;
  Eigen::internal::set_is_malloc_allowed(true);
  return after - before;
}

constexpr Index tokens = 70, heads = 3, head_dim = 300, width = heads * head_dim;  // more pairs than are made at a time

template <class T>
using RowMajor = Eigen::Matrix<T, -1, -1, Eigen::RowMajor>;

const std::vector<int> integers(tokens, 12345);
const std::vector<double> reals(tokens, 0.5);

/// add_to of an additive encoder on data of type T, rows and columns, contiguous and not.
template <class T, class Encoder>
void check_additive(const Encoder& encoder) {
  RowMajor<T> rows = RowMajor<T>::Zero(tokens, width);
  Eigen::Matrix<T, -1, -1> columns = rows;
  CHECK(allocations_of([&] { encoder.add_to(rows); }) == 0);
  CHECK(allocations_of([&] { encoder.add_to(rows, 7); }) == 0);
  CHECK(allocations_of([&] { encoder.add_to(rows, integers); }) == 0);
  CHECK(allocations_of([&] { encoder.add_to(columns, 7); }) == 0);
  CHECK(allocations_of([&] { encoder.add_to(rows.topRows(5), 1); }) == 0);
}

/// All verbs of a Rope.
template <class RopeOf, class X, class Out>
void check_verbs(const RopeOf& rope, X& x, Out& out) {
  CHECK(allocations_of([&] { rope.rotate(x); }) == 0);
  CHECK(allocations_of([&] { rope.rotate(x, 100000); }) == 0);
  CHECK(allocations_of([&] { rope.rotate(x, integers); }) == 0);
  CHECK(allocations_of([&] { rope.rotate(x, reals); }) == 0);
  CHECK(allocations_of([&] { rope.rotate_to(out, x, 5); }) == 0);
  CHECK(allocations_of([&] { rope.rotate_to(out, x, integers); }) == 0);
  CHECK(allocations_of([&] { rope.unrotate(x, integers); }) == 0);
  CHECK(allocations_of([&] { rope.backward(x, 5); }) == 0);
  CHECK(allocations_of([&] { rope.shift(x, -3); }) == 0);
  CHECK(allocations_of([&] { rope.shift(x, 0.5); }) == 0);
  CHECK(allocations_of([&] { rope.shift(x, integers); }) == 0);
}

}  // namespace

TEST_CASE("The counter counts") {
  CHECK(allocations_of([] { std::vector<int> some(10); }) == 1);
  CHECK_THROWS_AS(allocations_of([] { Eigen::MatrixXf some(10, 10); }), std::logic_error);
  Eigen::internal::set_is_malloc_allowed(true);
}

TEST_CASE("Adding a code allocates nothing") {
  check_additive<float>(Sinusoidal<float>(width));
  check_additive<double>(Sinusoidal<double>(width, 10000.0, SinCosOrder::sin_cos));
  check_additive<Eigen::half>(Sinusoidal<float>(width));
  check_additive<float>(LinearIndex<float>(width, 0.5));
  check_additive<Eigen::bfloat16>(LinearIndex<float>(width, 0.5));
  check_additive<float>(LearnedPositions<float>(RowMajor<float>::Zero(12346, width)));
  const Sinusoidal<float> code(width);
  RowMajor<float> x = RowMajor<float>::Zero(tokens, width);
  CHECK(allocations_of([&] { code.add_to(x, reals, 22.6); }) == 0);
}

TEST_CASE("Collecting the gradient of a table allocates nothing") {
  const LearnedPositions<float> learned(RowMajor<float>::Zero(100, 64));
  RowMajor<float> sum = RowMajor<float>::Zero(100, 64);
  const RowMajor<float> gradient = RowMajor<float>::Ones(50, 64);
  CHECK(allocations_of([&] { learned.accumulate_gradient(sum, gradient, 50); }) == 0);
}

TEMPLATE_TEST_CASE("No verb of Rope allocates", "", float, double, Eigen::bfloat16) {
  using Scalar = std::conditional_t<std::is_same_v<TestType, double>, double, float>;
  RowMajor<TestType> x = RowMajor<TestType>::Zero(tokens, width), out = x;
  Eigen::Matrix<TestType, -1, -1> columns = x;
  for (const PairLayout layout : {PairLayout::interleaved, PairLayout::half}) {
    const Rope<Scalar> rope(Frequencies::geometric(head_dim), layout);
    check_verbs(rope, x, out);
    check_verbs(rope, columns, out);
    check_verbs(Rope<Scalar>(Frequencies::geometric(20), layout, head_dim, 40), x, out);
  }
}

TEST_CASE("A view of heads and given tables allocate nothing") {
  std::vector<float> data(2 * tokens * width), cache(2 * tokens * width);
  const Rope<float> rope(Frequencies::geometric(head_dim), PairLayout::half);
  const Eigen::MatrixXi table = Eigen::MatrixXi::Constant(2, tokens, 3);
  CHECK(allocations_of([&] { bshd(data.data(), 2, tokens, heads, head_dim); }) == 0);
  const HeadsView<float> to = bhsd(cache.data(), 2, tokens, heads, head_dim);
  for (const HeadsView<float>& view :
       {bshd(data.data(), 2, tokens, heads, head_dim), bhsd(data.data(), 2, tokens, heads, head_dim)}) {
    check_verbs(rope, view, to);
    CHECK(allocations_of([&] { rope.rotate(view, table); }) == 0);
  }
  const RopeTable<float> angles = rope.table(integers);
  RowMajor<float> x = RowMajor<float>::Zero(tokens, width);
  CHECK(allocations_of([&] { rotate_pairs(x, angles.cos, angles.sin, PairLayout::half, head_dim); }) == 0);
  CHECK(allocations_of([&] { rotate_pairs(x, angles.cos, angles.sin, PairLayout::interleaved, head_dim); }) == 0);
}
