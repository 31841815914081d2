// The main program of every benchmark: says in the results how it was compiled.

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <string>

int main(int argc, char** argv) {
#if defined(__clang__) || !defined(__GNUC__)
  const std::string compiler = __VERSION__;
#else
  const std::string compiler = "GCC " __VERSION__;
#endif
  benchmark::AddCustomContext("compiler", compiler);
  benchmark::AddCustomContext("flags", POSENC_BENCH_FLAGS);
  benchmark::AddCustomContext("simd", Eigen::SimdInstructionSetsInUse());
  benchmark::AddCustomContext("eigen", std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) +
                                           "." + std::to_string(EIGEN_MINOR_VERSION));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
