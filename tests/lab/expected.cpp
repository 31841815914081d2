// What the position lab has to show, computed natively by the same headers:
//   expected D BASE K M OFFSET POSITION FACTOR LENGTH
// Prints JSON. Hands come from the encoder in double and not from sin_cos, which is the way of the page.

#include <posenc/posenc.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

namespace {

bool first = true;

void print_name(const char* name) {
  std::printf("%s\"%s\": ", first ? "{" : ",\n ", name);
  first = false;
}
void print(const char* name, double value) {
  print_name(name);
  std::printf("%.17g", value);
}
void print(const char* name, const std::vector<double>& values) {
  print_name(name);
  for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s%.17g", i ? ", " : "[", values[i]);
  std::printf("]");
}
void print(const char* name, const posenc::Phase& phase) {
  print_name(name);
  std::printf("\"%016llx%016llx\"", static_cast<unsigned long long>(phase.high),
              static_cast<unsigned long long>(phase.low));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 9) return 2;
  const posenc::Index d = std::atoi(arguments[1]), k = std::atoi(arguments[3]);
  const double base = std::atof(arguments[2]), factor = std::atof(arguments[7]);
  const posenc::Position m = std::atoll(arguments[4]), n = m + std::atoll(arguments[5]), p = std::atoll(arguments[6]);
  const posenc::Index length = std::atoi(arguments[8]);

  const posenc::Frequencies ladder = posenc::Frequencies::geometric(d, base);
  print("omega", ladder[k]);
  print("period", ladder.period(k));
  print("move", 2 * std::abs(std::sin(ladder[k] / 2)));

  // The column of pair k: sines in 2k, cosines in 2k + 1.
  const posenc::Sinusoidal<double> encoder(ladder, posenc::SinCosOrder::interleaved);
  const auto hands = encoder.encode(std::vector<posenc::Position>{m, n, n - m, p});
  for (const auto& [row, sine, cosine] :
       {std::tuple{0, "sin-m", "cos-m"}, {1, "sin-n", "cos-n"}, {3, "true-sin", "true-cos"}}) {
    print(sine, hands(row, 2 * k));
    print(cosine, hands(row, 2 * k + 1));
  }
  print("dot", hands(2, 2 * k + 1));
  print("by-offset", hands(2, 2 * k + 1));
  print("phase", posenc::phase_of(ladder.step(k), n - m));

  const auto wave = encoder.encode(50);
  std::vector<double> sines, cosines;
  for (posenc::Index row = 0; row < 50; ++row) {
    sines.push_back(wave(row, 2 * k));
    cosines.push_back(wave(row, 2 * k + 1));
  }
  print("wave-sin", sines);
  print("wave-cos", cosines);

  const float angle = static_cast<float>(p) * static_cast<float>(ladder[k]);
  print("float-angle", angle);
  print("float-sin", std::sin(angle));
  print("float-cos", std::cos(angle));
  const auto code =
      posenc::Sinusoidal<float>(ladder, posenc::SinCosOrder::interleaved).encode(std::vector<posenc::Position>{p});
  print("posenc-sin", code(0, 2 * k));
  print("posenc-cos", code(0, 2 * k + 1));

  posenc::YarnParameters yarn;
  yarn.factor = factor;
  yarn.original_max_position = length;
  const posenc::Frequencies scaled[] = {ladder, posenc::scale_linear(ladder, factor),
                                        posenc::scale_ntk(d, base, factor), posenc::scale_yarn(d, base, yarn),
                                        posenc::scale_llama3(d, base, {factor, 1, 4, length})};
  const char* names[] = {"none", "linear", "ntk", "yarn", "llama3"};
  for (int i = 0; i < 5; ++i) {
    std::vector<double> slower;
    for (posenc::Index j = 0; j < ladder.size(); ++j) slower.push_back(ladder[j] / scaled[i][j]);
    const std::string name = names[i];
    print((name + "-row").c_str(), {scaled[i][k], scaled[i].period(k), slower[static_cast<std::size_t>(k)]});
    print((name + "-slower").c_str(), slower);
  }
  print("attention", scaled[3].attention_factor());
  std::printf("}\n");
}
