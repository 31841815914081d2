// ggml_rope_ext, in place on one thread, against the same in-place pass.

#include <ggml-cpu.h>
#include <ggml.h>

#include <algorithm>

#include "compare.hpp"
#include "expected.hpp"
#include "limits.hpp"
#include "shapes.hpp"

namespace {

using namespace posenc_bench;

void rope_ext(benchmark::State& state, PairLayout layout, Shape shape) {
  Data<float> data(shape.tokens, shape.columns());
  const Data<float>::Matrix before = data.x;

  ggml_context* context = ggml_init({std::size_t{64} << 20, nullptr, true});  // the data stays where it is
  ggml_tensor* x = ggml_new_tensor_3d(context, GGML_TYPE_F32, shape.head_dim, shape.heads, shape.tokens);
  ggml_tensor* positions = ggml_new_tensor_1d(context, GGML_TYPE_I32, shape.tokens);
  std::vector<std::int32_t> position(static_cast<std::size_t>(shape.tokens));
  for (std::size_t i = 0; i < position.size(); ++i) position[i] = static_cast<std::int32_t>(first_position + Index(i));
  x->data = data.x.data();
  positions->data = position.data();
  const int mode = layout == PairLayout::half ? GGML_ROPE_TYPE_NEOX : 0;
  ggml_tensor* rotated = ggml_rope_ext_inplace(context, x, positions, nullptr, static_cast<int>(shape.head_dim), mode,
                                               0, 10000.0f, 1.0f, 0.0f, 1.0f, 32.0f, 1.0f);
  ggml_cgraph* graph = ggml_new_graph(context);
  ggml_build_forward_expand(graph, rotated);
  ggml_cplan plan = ggml_graph_plan(graph, 1, nullptr);
  std::vector<std::uint8_t> scratch(plan.work_size);
  plan.work_data = scratch.data();
  const auto rotate = [&] { ggml_graph_compute(graph, &plan); };

  rotate();
  const double error =
      rotation_error(before, data.x, layout, shape.head_dim, [](Index i) { return first_position + i; });
  compare(state, {error, 0.1}, 2 * data.bytes(), rotate, [&] { pass(data.x); });
  ggml_free(context);
}

const bool registered = [] {
  benchmark::AddCustomContext("others", "ggml " POSENC_BENCH_GGML_VERSION);
  for (const auto layout : layouts) {
    for (const auto& shape : all_shapes) {
      const auto name = "ggml/" + name_of(layout) + "/float/" + name_of(shape);
      benchmark::RegisterBenchmark(name.c_str(), rope_ext, layout, shape)->UseManualTime();
    }
  }
  return true;
}();

}  // namespace
