// The numbers behind the pictures of this folder, as plain text files that gnuplot reads.
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 docs/pictures/pictures.cpp -o pictures && ./pictures FOLDER
// Everything is computed in double and printed with few digits, so that the files are the same to the letter on every
// machine, whatever its instruction set. In a file, two empty lines end a block: gnuplot's `index` counts them.

#include <posenc/posenc.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using posenc::Frequencies;
using posenc::Index;
using posenc::PairLayout;
using posenc::Position;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Sinusoidal = posenc::Sinusoidal<double>;
using Rope = posenc::Rope<double>;

const double pi = std::acos(-1.0);

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "pictures: %s\n", what.c_str());
  std::exit(1);
}

std::string folder;

/// One data file, NAME.dat in the folder.
class File {
 public:
  File(const std::string& name, const char* title) : path_(folder + "/" + name + ".dat") {
    file_ = std::fopen(path_.c_str(), "wb");
    if (!file_) fail("cannot write " + path_);
    std::fprintf(file_, "# %s\n", title);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    const bool wrong = std::ferror(file_) != 0;
    if (std::fclose(file_) != 0 || wrong) fail("cannot write " + path_);
  }

  void block(const char* columns) { std::fprintf(file_, "%s# %s\n", blocks_++ ? "\n\n" : "", columns); }
  File& whole(Position value) {
    separate();
    std::fprintf(file_, "%lld", static_cast<long long>(value));
    return *this;
  }
  File& real(double value, int decimals = 4) {
    separate();
    if (std::abs(value) < 0.5 * std::pow(10.0, -decimals)) value = 0;  // no "-0.0000"
    std::fprintf(file_, "%.*f", decimals, value);
    return *this;
  }
  File& scientific(double value, int digits) {
    separate();
    std::fprintf(file_, "%.*e", digits - 1, value);
    return *this;
  }
  void end() {
    std::fputc('\n', file_);
    at_start_ = true;
  }

 private:
  void separate() {
    if (!at_start_) std::fputc(' ', file_);
    at_start_ = false;
  }

  std::string path_;
  std::FILE* file_;
  int blocks_ = 0;
  bool at_start_ = true;
};

/// first, first + step, .. last: steps are powers of two, so the positions are exact.
std::vector<double> range(double first, double last, double step) {
  std::vector<double> positions;
  for (double p = first; p <= last; p += step) positions.push_back(p);
  return positions;
}

/// The pair (a, b) at each position, turned by omega radians per token.
Matrix turned(double a, double b, double omega, const std::vector<double>& positions) {
  Matrix pairs = Eigen::RowVector2d(a, b).replicate(static_cast<Index>(positions.size()), 1);
  Rope(Frequencies::from_values(std::vector<double>{omega}), PairLayout::interleaved).rotate(pairs, positions);
  return pairs;
}

void print_points(File& file, const std::vector<double>& positions, const Matrix& points) {
  for (Index i = 0; i < points.rows(); ++i) {
    file.real(positions[static_cast<std::size_t>(i)], 3);
    for (const double value : points.row(i)) file.real(value);
    file.end();
  }
}

// --- Section 2: one word at three positions, and the three panels -------------------------------------------------

void same_word() {
  Matrix offsets(3, 2), word(3, 2);
  offsets << 1, 0, 0, 1, -1, 0;
  word << 1, 0, 1, 0, 1, 0;
  Matrix placed = word;
  posenc::LearnedPositions<double>(offsets).add_to(placed);
  File file("same_word", "The word [1, 0] with the offsets [1, 0], [0, 1] and [-1, 0] added.");
  file.block("position  word_x word_y  placed_x placed_y");
  for (Index p = 0; p < 3; ++p) {
    file.whole(p).real(word(p, 0)).real(word(p, 1)).real(placed(p, 0)).real(placed(p, 1)).end();
  }
}

void three_panels() {
  File file("three_panels", "The three ways to give a token its position.");
  const double step = 0.25;
  const Matrix index = posenc::LinearIndex<double>(1, step).encode(8);
  file.block("linear index, c = 0.25: position  value");
  print_points(file, range(0, 7, 1), index);

  const Sinusoidal code(8);
  const std::vector<double> fine = range(0, 16, 0.125), tokens = range(0, 16, 1);
  file.block("sinusoidal, d = 8, between the tokens too: position  coordinates 0 .. 7");
  print_points(file, fine, code.encode(fine));
  file.block("sinusoidal, at the tokens: position  coordinates 0 .. 7");
  print_points(file, tokens, code.encode(tokens));

  const double omega = pi / 6;
  file.block("RoPE, omega = pi / 6 radians per token: position  the pair (2, 0.5), turned");
  print_points(file, range(0, 4, 1), turned(2, 0.5, omega, range(0, 4, 1)));
  file.block("its way between the tokens");
  print_points(file, range(0, 4, 0.125), turned(2, 0.5, omega, range(0, 4, 0.125)));
}

// --- Section 6: the pattern of codes ------------------------------------------------------------------------------

void heat_map() {
  const Matrix codes = Sinusoidal(64).encode(64);
  File file("heat_map", "Sinusoidal codes, d = 64: a row for each of the positions 0 .. 63, a column a coordinate.");
  for (Index p = 0; p < codes.rows(); ++p) {
    for (const double value : codes.row(p)) file.real(value, 3);
    file.end();
  }
}

// --- Sections 7 and 8: the ladder, its waves, and the phase on the circle ------------------------------------------

void ladder() {
  const Frequencies omega = Frequencies::geometric(64);
  File file("ladder", "The frequency ladder of d = 64, and the waves of the pairs 0, 8, 16 and 24.");
  file.block("k  omega in radians per token  period in tokens");
  for (Index k = 0; k < omega.size(); ++k) file.whole(k).scientific(omega[k], 5).scientific(omega.period(k), 5).end();

  const std::vector<Index> pairs{0, 8, 16, 24};
  const Sinusoidal code(omega.selected(pairs), posenc::SinCosOrder::interleaved);
  const std::vector<double> positions = range(0, 50, 0.125);
  file.block("position  sine and cosine of pair 0, of pair 8, of pair 16, of pair 24");
  print_points(file, positions, code.encode(positions));
}

void unit_circle() {
  const Frequencies omega = Frequencies::geometric(8);
  File file("unit_circle", "The pairs 0 and 1 of d = 8, omega = 1 and 0.1 radians per token, as points of the circle.");
  for (const Index k : {0, 1}) {
    const Sinusoidal code(omega.selected({k}), posenc::SinCosOrder::cos_sin);
    file.block("position  cosine  sine");
    print_points(file, range(0, 6, 1), code.encode(7));
  }
  file.block("quarter turns: radians  cosine  sine");
  for (std::uint64_t quarter = 0; quarter < 4; ++quarter) {
    const posenc::SinCos point = posenc::sin_cos(posenc::Phase{quarter << 62, 0});
    file.real(static_cast<double>(quarter) * pi / 2).real(point.cosine).real(point.sine).end();
  }
}

// --- Section 10: similarity against offset --------------------------------------------------------------------------

void similarity() {
  File file("similarity", "Dot products of sinusoidal codes, d = 64, against the offset of the two positions.");
  const std::vector<Index> pairs{0, 8, 16};
  const std::vector<double> offsets = range(-64, 64, 0.25);
  file.block("offset  pair 0  pair 8  pair 16: one code at position 1000, the other at 1000 + offset");
  std::vector<double> positions = offsets;
  for (double& p : positions) p += 1000;
  std::vector<Matrix> here, there;
  for (const Index k : pairs) {
    const Sinusoidal code(Frequencies::geometric(64).selected({k}), posenc::SinCosOrder::interleaved);
    here.push_back(code.encode(std::vector<Position>{1000}));
    there.push_back(code.encode(positions));
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    file.real(offsets[i], 2);
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      file.real(here[j].row(0).dot(there[j].row(static_cast<Index>(i))));
    }
    file.end();
  }

  file.block("offset  sum of all 32 pairs at position 1000, and at position 1000000000");
  const Sinusoidal code(64);
  const auto around = [&](Position m) -> Eigen::VectorXd {  // offsets -64 .. 64
    std::vector<Position> list;
    for (Position offset = -64; offset <= 64; ++offset) list.push_back(m + offset);
    const Matrix codes = code.encode(list);
    return codes * codes.row(64).transpose();
  };
  const Eigen::VectorXd near_by = around(1000), far = around(1000000000);
  for (Index i = 0; i < near_by.size(); ++i) file.whole(i - 64).real(near_by(i)).real(far(i)).end();
}

// --- Section 12: "cat" and "sat" ------------------------------------------------------------------------------------

void cat_and_sat() {
  const double omega = pi / 6;
  File file("cat_and_sat", "The query of cat, (1, 2), and the key of sat, (2, 1), turned by pi / 6 radians per token.");
  for (const double m : {1.0, 8.0}) {
    const double n = m + 1;
    const Matrix cat = turned(1, 2, omega, {0, m}), sat = turned(2, 1, omega, {0, n});
    file.block("m n  cat  cat turned  sat  sat turned  score before  score");
    file.whole(static_cast<Position>(m)).whole(static_cast<Position>(n));
    for (const Matrix* pair : {&cat, &sat}) {
      for (Index i = 0; i < 2; ++i) file.real((*pair)(i, 0), 3).real((*pair)(i, 1), 3);
    }
    file.real(cat.row(0).dot(sat.row(0)), 3).real(cat.row(1).dot(sat.row(1)), 3).end();
    file.block("the way of cat: position  x  y");
    print_points(file, range(0, m, 0.125), turned(1, 2, omega, range(0, m, 0.125)));
    file.block("the way of sat: position  x  y");
    print_points(file, range(0, n, 0.125), turned(2, 1, omega, range(0, n, 0.125)));
  }
}

// --- The error against the position -------------------------------------------------------------

/// The angle p omega formed in T, and rounded to T at every step: by how many radians it misses the real number's. Both
/// are compared as phases, in integers: 2^-128 of a turn, whole turns left out.
template <class T>
double miss(const Frequencies& omega, Index k, Position p) {
  volatile T angle = static_cast<T>(omega[k]);  // volatile: not to be kept with more digits than T has
  angle = static_cast<T>(p) * angle;
  const posenc::Phase formed = posenc::step_of(static_cast<double>(angle)).fraction;
  const posenc::Phase missed = formed - posenc::phase_of(omega.step(k), p);
  const bool below = missed.high >> 63 != 0;  // more than half a turn is less than half a turn the other way
  const posenc::Phase size = below ? -missed : missed;
  const double turns =
      std::ldexp(static_cast<double>(size.high), -64) + std::ldexp(static_cast<double>(size.low), -128);
  return (below ? -turns : turns) * 2 * pi;
}

/// What the larger of the errors of sine and cosine is if the angle is off by `miss`, and nothing else is:
///   sin(t + miss) - sin t = 2 sin(miss/2) cos(t + miss/2),   cos(t + miss) - cos t = -2 sin(miss/2) sin(t + miss/2)
template <class T>
double error_of_angle(const Frequencies& omega, Index k, Position p) {
  const double half = miss<T>(omega, k, p) / 2;
  const posenc::SinCos at = posenc::sin_cos(posenc::phase_of(omega.step(k), p));
  const double c = at.cosine * std::cos(half) - at.sine * std::sin(half);
  const double s = at.sine * std::cos(half) + at.cosine * std::sin(half);
  return 2 * std::abs(std::sin(half)) * std::max(std::abs(c), std::abs(s));
}

void error() {
  const Frequencies omega = Frequencies::geometric(128);
  const double promised_float = 1.5e-7, promised_double = 5e-16;
  File file("error", "The largest error of a sine or cosine, 64 pairs, base 10000, at eight positions of (p / 2, p].");
  file.block("p  angle formed in float  angle formed in double  promised by posenc in float  in double");
  for (int power = 0; power <= 40; ++power) {
    const Position top = Position{1} << power;
    std::vector<Position> positions{top};
    for (std::uint64_t i = 1; power > 3 && i < 8; ++i) {  // scattered over the half below, by the golden ratio
      const std::uint64_t scattered = i * 0x9e3779b97f4a7c15u % (std::uint64_t{1} << (power - 1));
      positions.push_back(top - static_cast<Position>(scattered));
    }
    double in_float = 0, in_double = 0;
    for (const Position p : positions) {
      for (Index k = 0; k < omega.size(); ++k) {
        in_float = std::max(in_float, error_of_angle<float>(omega, k, p));
        in_double = std::max(in_double, error_of_angle<double>(omega, k, p));
      }
    }
    file.whole(top).scientific(in_float, 2).scientific(in_double, 2);
    file.scientific(promised_float, 2).scientific(promised_double, 2).end();

    // posenc's own errors depend on the instruction set: the picture shows what is promised, and this holds it to that.
    const auto in_posenc = posenc::Rope<float>(omega, PairLayout::half).table(positions);
    const auto right = Rope(omega, PairLayout::half).table(positions);
    if ((in_posenc.cos.cast<double>() - right.cos).cwiseAbs().maxCoeff() > promised_float + promised_double ||
        (in_posenc.sin.cast<double>() - right.sin).cwiseAbs().maxCoeff() > promised_float + promised_double) {
      fail("the promise for float is broken near position " + std::to_string(top));
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) fail("give the folder to write to");
  folder = arguments[1];
  same_word();
  three_panels();
  heat_map();
  ladder();
  unit_circle();
  similarity();
  cat_and_sat();
  error();
}
