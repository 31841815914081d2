// What the kernels are made of: phases, sines, 16-bit conversions, each against a plain reference.

#include <posenc/kernel.hpp>
#include <posenc/phase.hpp>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace posenc;
using namespace posenc::detail;
using U = base::Packet<std::uint64_t>;
using D = base::Packet<double>;
using F = base::Packet<float>;

namespace {

std::vector<Position> some_positions() {
  std::vector<Position> positions = {0, 1, -1, std::numeric_limits<Position>::min(),
                                     std::numeric_limits<Position>::max()};
  std::mt19937_64 random(7);
  for (int bits = 1; bits < 64; ++bits) {
    const Position power = Position{1} << (bits - 1);
    for (const Position near : {power - 1, power, power + 1}) positions.insert(positions.end(), {near, -near});
    for (int i = 0; i < 50; ++i) positions.push_back(static_cast<Position>(random()) >> (64 - bits));
  }
  return positions;
}

/// The first lane of what a packet function gives for the same number in every lane.
std::uint64_t first(U packet) {
  std::uint64_t lanes[U::lanes];
  base::store(packet, lanes);
  return lanes[0];
}

/// Every float near which a conversion could change its mind: each pattern of sign, exponent and upper mantissa, with lower
/// mantissas around the ties of both formats.
template <class Check>
void for_each_float(Check check) {
  std::vector<std::uint32_t> bits;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x1fffu, 0x3000u, 0x7fffu, 0x8000u,
                                      0x8001u, 0xefffu, 0xf000u, 0xf001u, 0xffffu}) {
      bits.push_back(upper << 16 | lower);
    }
  }
  while (bits.size() % F::lanes != 0) bits.push_back(0);
  for (std::size_t i = 0; i < bits.size(); i += F::lanes) {
    float values[F::lanes];
    std::memcpy(values, &bits[i], sizeof values);
    check(values);
  }
}

template <class T>
bool is_nan(T value) {
  const float wide = static_cast<float>(value);
  std::uint32_t bits;
  std::memcpy(&bits, &wide, sizeof bits);
  return (bits & 0x7fffffff) > 0x7f800000;
}

template <class Eigens, class Ours>
void check_format() {
  long wrong = 0;
  for_each_float([&](const float* values) {  // rounding
    Ours rounded[F::lanes];
    base::store(base::load<float>(values), rounded);
    for (int i = 0; i < F::lanes; ++i) {
      const Eigens expected(values[i]), found = Eigen::numext::bit_cast<Eigens>(rounded[i].bits);
      wrong += is_nan(values[i]) ? !is_nan(found) : Eigen::numext::bit_cast<std::uint16_t>(expected) != rounded[i].bits;
    }
  });
  CHECK(wrong == 0);
  wrong = 0;
  for (std::uint32_t bits = 0; bits < 0x10000; bits += F::lanes) {  // widening: every number there is
    Ours numbers[F::lanes];
    for (int i = 0; i < F::lanes; ++i)
      numbers[i].bits = static_cast<std::uint16_t>(bits + static_cast<std::uint32_t>(i));
    float wide[F::lanes];
    base::store(base::load<float>(numbers), wide);
    for (int i = 0; i < F::lanes; ++i) {
      const auto expected = static_cast<float>(Eigen::numext::bit_cast<Eigens>(numbers[i].bits));
      wrong += is_nan(expected) ? !is_nan(wide[i]) : std::memcmp(&expected, &wide[i], sizeof expected) != 0;
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("A packet of phases is phase_of's for every whole position") {
  std::mt19937_64 random(3);
  for (const Position p : some_positions()) {
    const Step step{0, {random(), random()}};
    const std::uint64_t expected = phase_of(step, p).high;
    const U position(static_cast<std::uint64_t>(p)), high(step.fraction.high), low(step.fraction.low);
    CAPTURE(p);
    REQUIRE(first(base::whole_phase(position, high, low)) == expected);
    if (p >= 0 && p >> 32 == 0) REQUIRE(first(base::short_phase(position, high, low)) == expected);
  }
  for (const std::uint64_t high : {std::uint64_t{0}, ~std::uint64_t{0}}) {  // every carry there is
    for (const std::uint64_t low : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      for (const Position p : some_positions()) {
        const std::uint64_t expected = phase_of({0, {high, low}}, p).high;
        CAPTURE(p, high, low);
        REQUIRE(first(base::whole_phase(U(static_cast<std::uint64_t>(p)), U(high), U(low))) == expected);
        if (p >= 0 && p >> 32 == 0) {
          REQUIRE(first(base::short_phase(U(static_cast<std::uint64_t>(p)), U(high), U(low))) == expected);
        }
      }
    }
  }
}

TEST_CASE("The brief sine and cosine are within 1.3e-10 of the exact ones in every octant") {
  std::mt19937_64 random(5);
  double worst = 0;
  for (std::uint64_t i = 0; i < 400000; ++i) {
    const std::uint64_t eighth = i % 8 << 61, phase = i < 4000 ? eighth + i / 8 - 250 : random();  // its edges too
    D sine, cosine;
    base::sin_cos<true>(U(phase), sine, cosine);
    double s[D::lanes], c[D::lanes];
    base::store(sine, s);
    base::store(cosine, c);
    const SinCos exact = sin_cos({phase, 0});
    worst = std::max({worst, std::abs(s[0] - exact.sine), std::abs(c[0] - exact.cosine)});
  }
  CAPTURE(worst);
  CHECK(worst < 1.3e-10);
  CHECK(worst > 1e-12);  // else it is not brief, and this test looks at something else
}

TEST_CASE("The first word of a phase is 0 to 4 units below phase_of's for every whole position, in packets as alone") {
  using U32 = base::Packet<std::uint32_t>;
  std::mt19937_64 random(11);
  std::int64_t lowest = 0, highest = 0;
  const auto check = [&](Position p, std::uint64_t high, std::uint64_t low) {
    const auto upper = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const auto lower = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto bits = static_cast<std::uint64_t>(p);
    const std::uint32_t word = base::whole_phase32(lower(bits), upper(bits), upper(high), lower(high), upper(low));
    const std::uint32_t exact = upper(phase_of(Step{0, {high, low}}, p).high);
    const auto below = std::int64_t{static_cast<std::int32_t>(exact - word)};
    lowest = std::min(lowest, below);
    highest = std::max(highest, below);
    std::uint32_t lanes[U32::lanes], all[U32::lanes];
    std::fill(all, all + U32::lanes, word);
    base::store(
        base::whole_phase32(U32(lower(bits)), U32(upper(bits)), U32(upper(high)), U32(lower(high)), U32(upper(low))),
        lanes);
    REQUIRE(std::memcmp(lanes, all, sizeof all) == 0);
    if (p < 0 || p >> 32 != 0) return;
    base::store(base::short_phase32(U32(lower(bits)), U32(upper(high)), U32(lower(high))), lanes);
    REQUIRE(std::memcmp(lanes, all, sizeof all) == 0);
  };
  for (const Position p : some_positions()) {
    for (const std::uint64_t word : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      check(p, word, random()), check(p, random(), word), check(p, random(), random());
    }
  }
  CAPTURE(lowest, highest);
  CHECK(lowest >= -1);  // below position 0
  CHECK(highest <= 4);
  CHECK(highest >= 2);  // else the positions were too tame to show a lost carry
}

TEST_CASE("Sine and cosine as sums of two floats are within 1.6e-8 in every octant, and exact at 0") {
  using U32 = base::Packet<std::uint32_t>;
  std::mt19937_64 random(5);
  double worst = 0;
  for (std::uint32_t i = 0; i < 400000; ++i) {
    const std::uint32_t eighth = i % 8 << 29;
    const std::uint32_t phase =
        i < 4000 ? eighth + i / 8 - 250 : static_cast<std::uint32_t>(random());  // its edges too
    base::Split<F> sine, cosine;
    base::split_sin_cos(U32(phase), sine, cosine);
    float parts[4][F::lanes];
    base::store(sine.near, parts[0]), base::store(sine.rest, parts[1]);
    base::store(cosine.near, parts[2]), base::store(cosine.rest, parts[3]);
    const SinCos exact = sin_cos({std::uint64_t{phase} << 32, 0});
    const auto sum = [&](int k) { return static_cast<double>(parts[k][0]) + static_cast<double>(parts[k + 1][0]); };
    worst = std::max({worst, std::abs(sum(0) - exact.sine), std::abs(sum(2) - exact.cosine)});
    if (phase == 0) CHECK((sum(0) == 0 && sum(2) == 1));
  }
  CAPTURE(worst);
  CHECK(worst < (base::fused ? 1.6e-8 : 2.5e-7));  // without it the rests are not what was rounded off
  CHECK(worst > 1e-9);
}

TEST_CASE("A sum of two floats times a factor keeps both") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> numbers(-1.0, 1.0);
  for (int i = 0; i < 10000; ++i) {
    const double value = numbers(random), factor = 2 * numbers(random);
    const auto split = [](double x) {
      const float near = static_cast<float>(x);
      return base::Split<F>{F(near), F(static_cast<float>(x - static_cast<double>(near)))};
    };
    const base::Split<F> product = base::times(split(value), split(factor));
    float near[F::lanes], rest[F::lanes];
    base::store(product.near, near), base::store(product.rest, rest);
    const double sum = static_cast<double>(near[0]) + static_cast<double>(rest[0]);
    // Three roundings of rests below 1.2e-7, and the product of two rests, which is left out.
    REQUIRE(std::abs(sum - value * factor) < (base::fused ? 2.5e-14 : 1.3e-7));
  }
}

TEST_CASE("binary16 is rounded and widened as Eigen does it, at every tie, at the ends of its range and below") {
  check_format<Eigen::half, Half>();
}

TEST_CASE("bfloat16 is rounded and widened as Eigen does it, at every tie, at the ends of its range and below") {
  check_format<Eigen::bfloat16, BFloat>();
}

#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
TEST_CASE("bfloat16 in turns is what it is one packet at a time") {
  BFloat numbers[2 * F::lanes], stored[2 * F::lanes], alone[F::lanes];
  float even[F::lanes], odd[F::lanes];
  for (std::uint32_t bits = 0; bits < 0x10000; bits += 2 * F::lanes) {  // every number there is
    for (std::uint32_t i = 0; i < 2 * F::lanes; ++i) numbers[i].bits = static_cast<std::uint16_t>(bits + i);
    F at_even, at_odd;
    base::load_in_turns(numbers, at_even, at_odd);
    base::store(at_even, even);
    base::store(at_odd, odd);
    base::store_in_turns(at_even, at_odd, stored);
    for (int i = 0; i < F::lanes; ++i) {
      const std::uint32_t wide[] = {std::uint32_t{numbers[2 * i].bits} << 16,
                                    std::uint32_t{numbers[2 * i + 1].bits} << 16};
      REQUIRE((std::memcmp(&even[i], &wide[0], 4) == 0 && std::memcmp(&odd[i], &wide[1], 4) == 0));
    }
    REQUIRE(std::memcmp(stored, numbers, sizeof numbers) == 0);
  }
  for_each_float([&](const float* values) {  // rounding, of what arithmetic can give
    float others[F::lanes], first[F::lanes];
    for (int i = 0; i < F::lanes; ++i) {
      first[i] = is_nan(values[i]) ? 1.0f : values[i];
      others[i] = -first[i];
    }
    base::store_in_turns(base::load<float>(first), base::load<float>(others), stored);
    base::store(base::load<float>(first), alone);
    for (int i = 0; i < F::lanes; ++i) {
      REQUIRE(stored[2 * i].bits == alone[i].bits);
      REQUIRE(stored[2 * i + 1].bits == (alone[i].bits ^ 0x8000));
    }
  });
}
#endif

TEST_CASE("A part of a packet is loaded with zeros behind it and stored with nothing behind it changed") {
  float numbers[F::lanes + 1], stored[F::lanes + 1];
  for (int i = 0; i <= F::lanes; ++i) numbers[i] = static_cast<float>(i + 1);
  for (int n = 0; n <= F::lanes; ++n) {
    float loaded[F::lanes];
    base::store(base::load_some<float>(numbers, n), loaded);
    std::fill(stored, stored + F::lanes + 1, -7.f);
    base::store_some(base::load<float>(numbers), stored, n);
    for (int i = 0; i < F::lanes; ++i) {
      CHECK(loaded[i] == (i < n ? numbers[i] : 0.f));
      CHECK(stored[i] == (i < n ? numbers[i] : -7.f));
    }
    CHECK(stored[F::lanes] == -7.f);
  }
}
