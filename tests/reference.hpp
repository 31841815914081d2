#pragma once

// The formulas as real numbers: slow, plain, 512 bits by MPFR. Without MPFR the same calls compute in `long double`, whose
// 64 bits lose the angle of a far position; a test that needs more than they have says so and skips:
//   if (!reference_is_exact) return skip("no MPFR");

#include <cmath>
#include <cstdint>
#include <utility>

#if defined(POSENC_TEST_HAS_MPFR)
#include <mpfr.h>
#endif

namespace posenc_test {

#if defined(POSENC_TEST_HAS_MPFR)
inline constexpr bool reference_is_exact = true;

class Real {
 public:
  Real(double value = 0) { mpfr_init2(v_, 512), mpfr_set_d(v_, value, MPFR_RNDN); }
  Real(int value) : Real(static_cast<double>(value)) {}
  Real(std::int64_t value) : Real(static_cast<double>(value >> 32)) {  // in halves, each a double without rounding
    mpfr_mul_2si(v_, v_, 32, MPFR_RNDN);
    mpfr_add_d(v_, v_, static_cast<double>(value & 0xffffffff), MPFR_RNDN);
  }
  Real(const Real& other) : Real() { mpfr_set(v_, other.v_, MPFR_RNDN); }
  Real& operator=(Real other) { return mpfr_swap(v_, other.v_), *this; }
  ~Real() { mpfr_clear(v_); }

  friend Real operator+(Real a, const Real& b) { return mpfr_add(a.v_, a.v_, b.v_, MPFR_RNDN), a; }
  friend Real operator-(Real a, const Real& b) { return mpfr_sub(a.v_, a.v_, b.v_, MPFR_RNDN), a; }
  friend Real operator*(Real a, const Real& b) { return mpfr_mul(a.v_, a.v_, b.v_, MPFR_RNDN), a; }
  friend Real operator/(Real a, const Real& b) { return mpfr_div(a.v_, a.v_, b.v_, MPFR_RNDN), a; }
  friend Real pow(Real a, const Real& b) { return mpfr_pow(a.v_, a.v_, b.v_, MPFR_RNDN), a; }
  friend Real sin(Real a) { return mpfr_sin(a.v_, a.v_, MPFR_RNDN), a; }
  friend Real cos(Real a) { return mpfr_cos(a.v_, a.v_, MPFR_RNDN), a; }
  friend Real round(Real a) { return mpfr_round(a.v_, a.v_), a; }
  friend long double to_long_double(const Real& a) { return mpfr_get_ld(a.v_, MPFR_RNDN); }
  static Real pi() {
    Real result;
    mpfr_const_pi(result.v_, MPFR_RNDN);
    return result;
  }

 private:
  mpfr_t v_;
};
#else
inline constexpr bool reference_is_exact = false;

class Real {
 public:
  Real(double value = 0) : v_(value) {}
  Real(int value) : v_(value) {}
  Real(std::int64_t value) : v_(static_cast<long double>(value)) {}

  friend Real operator+(Real a, Real b) { return make(a.v_ + b.v_); }
  friend Real operator-(Real a, Real b) { return make(a.v_ - b.v_); }
  friend Real operator*(Real a, Real b) { return make(a.v_ * b.v_); }
  friend Real operator/(Real a, Real b) { return make(a.v_ / b.v_); }
  friend Real pow(Real a, Real b) { return make(std::pow(a.v_, b.v_)); }
  friend Real sin(Real a) { return make(std::sin(a.v_)); }
  friend Real cos(Real a) { return make(std::cos(a.v_)); }
  friend Real round(Real a) { return make(std::round(a.v_)); }
  friend long double to_long_double(Real a) { return a.v_; }
  static Real pi() { return make(3.141592653589793238462643383279502884L); }

 private:
  static Real make(long double value) {
    Real result;
    result.v_ = value;
    return result;
  }
  long double v_;
};
#endif

/// 2^n.
inline Real two_to(int n) { return Real(std::ldexp(1.0, n)); }

/// omega_k of the geometric ladder, the real number base^(-2k/d).
inline Real omega_of(double base, std::int64_t d, std::int64_t k) { return pow(Real(base), Real(-2 * k) / Real(d)); }

/// omega_k of `pairs` frequencies from first to last, both included.
inline Real omega_between(double first, double last, std::int64_t pairs, std::int64_t k) {
  return pairs == 1 ? Real(first) : Real(first) * pow(Real(last) / Real(first), Real(k) / Real(pairs - 1));
}

/// |x| to the nearest whole number: how far two turns stand apart, as clock hands.
inline long double off_whole(const Real& x) { return std::abs(to_long_double(x - round(x))); }

struct SinCosReference {
  long double sine, cosine;
};

/// Sine and cosine of p omega: p a whole number or a double, omega a Real or a double, both taken as exactly what they are.
inline SinCosReference reference(const Real& p, const Real& omega) {
  return {to_long_double(sin(p * omega)), to_long_double(cos(p * omega))};
}

}  // namespace posenc_test
