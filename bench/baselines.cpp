// The same rotation as people write it, against the same in-place pass: sines and cosines where they are needed, an Eigen
// expression with a ready table, a ready table through rotate_pairs. And the pass and memcpy themselves.

#include <cmath>
#include <complex>
#include <posenc/rope.hpp>
#include <vector>

#include "compare.hpp"
#include "expected.hpp"
#include "limits.hpp"
#include "shapes.hpp"

namespace {

using namespace posenc_bench;

using Table = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ComplexTable = Eigen::Array<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// An angle formed in float is off by half of its own last place, 1/128 here, and by omega's times p, as much again.
constexpr double float_angle_bound = 0.03;

std::vector<float> inverse_frequencies(Index dim) {
  std::vector<float> omega;
  for (Index k = 0; k < dim / 2; ++k) {
    omega.push_back(1.0f / std::pow(10000.0f, static_cast<float>(2 * k) / static_cast<float>(dim)));
  }
  return omega;
}

/// The loop of small engines: every pair of every head asks std::sin and std::cos.
struct StdSinCos {
  PairLayout layout;
  Shape shape;
  std::vector<float> omega = inverse_frequencies(shape.head_dim);

  void operator()(Data<float>& data) const {
    for (Index i = 0; i < shape.tokens; ++i) {
      const auto p = static_cast<float>(first_position + i);
      for (Index h = 0; h < shape.heads; ++h) {
        float* head = &data.x(i, h * shape.head_dim);
        for (Index k = 0; k < shape.head_dim / 2; ++k) {
          const float angle = p * omega[static_cast<std::size_t>(k)], c = std::cos(angle), s = std::sin(angle);
          float &first = head[channel(layout, shape.head_dim, k, 0)],
                &second = head[channel(layout, shape.head_dim, k, 1)];
          const float a = first, b = second;
          first = a * c - b * s;
          second = a * s + b * c;
        }
      }
    }
  }
};

/// Whole-matrix expressions, a head at a time, with tables that were made before.
struct EigenTable {
  PairLayout layout;
  Shape shape;
  Table cosine{shape.tokens, shape.head_dim / 2}, sine{shape.tokens, shape.head_dim / 2};
  ComplexTable turn{shape.tokens, shape.head_dim / 2};

  EigenTable(PairLayout l, Shape s) : layout(l), shape(s) {
    const auto omega = inverse_frequencies(shape.head_dim);
    for (Index i = 0; i < shape.tokens; ++i) {
      for (Index k = 0; k < shape.head_dim / 2; ++k) {
        const float angle = static_cast<float>(first_position + i) * omega[static_cast<std::size_t>(k)];
        cosine(i, k) = std::cos(angle);
        sine(i, k) = std::sin(angle);
        turn(i, k) = {cosine(i, k), sine(i, k)};
      }
    }
  }

  void operator()(Data<float>& data) const {
    const Index half = shape.head_dim / 2;
    for (Index h = 0; h < shape.heads; ++h) {
      if (layout == PairLayout::half) {
        auto first = data.x.middleCols(h * shape.head_dim, half).array();
        auto second = data.x.middleCols(h * shape.head_dim + half, half).array();
        const Table a = first, b = second;
        first = a * cosine - b * sine;
        second = a * sine + b * cosine;
      } else {
        auto* pairs = reinterpret_cast<std::complex<float>*>(data.x.data());
        Eigen::Map<ComplexTable> all(pairs, shape.tokens, shape.columns() / 2);
        all.middleCols(h * half, half) *= turn;
      }
    }
  }
};

/// posenc's own kernel with a table that was made before.
struct RotatePairs {
  PairLayout layout;
  Shape shape;
  posenc::RopeTable<float> table;

  RotatePairs(PairLayout l, Shape s) : layout(l), shape(s) {
    const posenc::Rope<float> rope(posenc::Frequencies::geometric(shape.head_dim), layout);
    std::vector<posenc::Position> positions;
    for (Index i = 0; i < shape.tokens; ++i) positions.push_back(first_position + i);
    table = rope.table(positions);
  }
  void operator()(Data<float>& data) const {
    posenc::rotate_pairs(data.x, table.cos, table.sin, layout, shape.head_dim);
  }
};

template <class Baseline>
void baseline(benchmark::State& state, PairLayout layout, Shape shape, double bound) {
  const Baseline rotate{layout, shape};
  Data<float> data(shape.tokens, shape.columns());
  const Data<float>::Matrix before = data.x;
  rotate(data);
  const double error =
      rotation_error(before, data.x, layout, shape.head_dim, [](Index i) { return first_position + i; });
  compare(
      state, {error, bound}, 2 * data.bytes(), [&] { rotate(data); }, [&] { pass(data.x); });
}

template <class T>
void pass_itself(benchmark::State& state, Shape shape) {
  Data<T> data(shape.tokens, shape.columns());
  compare(
      state, {0, 0}, 2 * data.bytes(), [&] { pass(data.x); }, [&] { pass(data.x); });
}

void memcpy_itself(benchmark::State& state, Shape shape) {
  Data<float> in(shape.tokens, shape.columns()), out(shape.tokens, shape.columns());
  compare(
      state, {0, 0}, 2 * in.bytes(), [&] { copy(out.x, in.x); }, [&] { copy(out.x, in.x); });
}

const bool registered = [] {
  const auto add = [](const std::string& name, auto function, auto... arguments) {
    benchmark::RegisterBenchmark(name.c_str(), function, arguments...)->UseManualTime();
  };
  for (const auto& shape : all_shapes) {
    add("pass/float/" + name_of(shape), pass_itself<float>, shape);
    add("pass/float16/" + name_of(shape), pass_itself<Eigen::half>, shape);
    add("pass/bfloat16/" + name_of(shape), pass_itself<Eigen::bfloat16>, shape);
    add("memcpy/float/" + name_of(shape), memcpy_itself, shape);
    for (const auto layout : layouts) {
      const auto rest = "/" + name_of(layout) + "/float/" + name_of(shape);
      add("rotate_pairs" + rest, baseline<RotatePairs>, layout, shape, rotation_bound<float>());
      add("eigen_table" + rest, baseline<EigenTable>, layout, shape, float_angle_bound);
      add("std_sin_cos" + rest, baseline<StdSinCos>, layout, shape, float_angle_bound);
    }
  }
  return true;
}();

}  // namespace
