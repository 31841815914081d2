// How cosines and sines are made from positions alone. Nothing is kept from call to call and there is no table of the
// sequence's length: with p = B q + r the row at p is the row at B q turned by r omega_k,
//   cos(p w) = cos(Bq w) cos(r w) - sin(Bq w) sin(r w)        sin(p w) = sin(Bq w) cos(r w) + cos(Bq w) sin(r w)
// which is the pair rotation once more. The row at B q, the anchor, comes from exact phases, once for up to B rows; the small
// rotations are made when the encoder is. r is on both sides of zero, and the rows at r and -r are made of the same products.
// Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// What rows are turned in. Float rows are turned in float where products are fused; the anchor then brings along what its
/// floats leave out, or the roundings could add up to 1.7e-7. Elsewhere they are turned in double and rounded once.
template <class Scalar>
using AngleOf = std::conditional_t<fused, Scalar, double>;

/// A phase as anchors take it: its first 32 bits, or 64.
template <class Scalar>
using PhaseWord = std::conditional_t<std::is_same_v<AngleOf<Scalar>, float>, std::uint32_t, std::uint64_t>;

/// The phase in the middle of the block of a position.
template <class Word>
Word block_phase(const Coordinate& position, const Step& step) {
  if constexpr (sizeof(Word) == 8) {
    return position.block_phase(step).high;
  } else {
    if (!position.is_whole) return static_cast<Word>(position.block_phase(step).high >> 32);
    const auto upper = [](auto x) { return static_cast<Word>(x >> 32); };
    const auto lower = [](auto x) { return static_cast<Word>(x); };
    const auto p = static_cast<std::uint64_t>(position.block_middle());
    const Phase f = step.fraction;
    return whole_phase32(lower(p), upper(p), upper(f.high), lower(f.high), upper(f.low));
  }
}

/// Cosines and sines of up to n phases: as Angles, and what these leave out.
template <class Scalar, std::size_t n>
struct Anchors {
  using Angle = AngleOf<Scalar>;
  using Word = PhaseWord<Scalar>;
  using A = Packet<Angle>;
  alignas(64) Angle cosine[n];
  alignas(64) Angle sine[n];
  alignas(64) Angle cosine_rest[n];
  alignas(64) Angle sine_rest[n];

  /// The first `count` of them, times factor, the sines of minus the phases if inverse; the phases go on to a full packet of
  /// Scalars, and so do these.
  void set(const Word* phase, Index count, double factor, bool inverse) {
    const Angle near = static_cast<Angle>(factor), left = static_cast<Angle>(factor - static_cast<double>(near));
    constexpr Index lanes = Packet<Scalar>::lanes;
    for (Index k = 0; k < count || k % lanes != 0; k += A::lanes) {
      if constexpr (std::is_same_v<Angle, float>) {
        Split<A> s, c;
        split_sin_cos(load<Word>(phase + k), s, c);
        if (factor != 1.0) {
          c = times(c, {A(near), A(left)});
          s = times(s, {A(near), A(left)});
        }
        store(c.near, cosine + k);
        store(c.rest, cosine_rest + k);
        store(inverse ? -s.near : s.near, sine + k);
        store(inverse ? -s.rest : s.rest, sine_rest + k);
      } else {
        A s, c;
        sin_cos<std::is_same_v<Scalar, float>>(load<Word>(phase + k), s, c);
        store(factor == 1.0 ? c : c * A(near), cosine + k);
        store(factor == 1.0 && !inverse ? s : s * A(inverse ? -near : near), sine + k);
      }
    }
  }
};

/// Small rotations, whose cosines and sines stand there.
template <class Angle>
struct Small {
  using A = Packet<Angle>;
  const Angle *cosine, *sine;

  [[gnu::always_inline]] Turn<A> packet(Index k) const {
    return {in_register(load<Angle>(cosine + k)), in_register(load<Angle>(sine + k))};
  }
};

/// What turns back as bits: since -ffast-math takes -0. for 0.
template <class Angle>
using SignBits = std::conditional_t<sizeof(Angle) == 8, std::uint64_t, std::uint32_t>;
template <class Angle>
constexpr SignBits<Angle> sign_of(bool back) {
  return back ? SignBits<Angle>{1} << (8 * sizeof(Angle) - 1) : SignBits<Angle>{0};
}

/// Small rotations of a row, to turn by forth or back.
template <class Angle>
struct SignedSmall {
  Small<Angle> forth;
  SignBits<Angle> bits;

  SignedSmall(const Small<Angle>& small, bool back) : forth(small), bits(sign_of<Angle>(back)) {}
  [[gnu::always_inline]] Packet<SignBits<Angle>> sign(Index) const { return bits; }
};

/// Small rotations of a column, each with a direction of its own.
template <class Angle>
struct SmallColumn {
  Small<Angle> forth;
  const SignBits<Angle>* signs;

  [[gnu::always_inline]] Packet<SignBits<Angle>> sign(Index k) const { return load<SignBits<Angle>>(signs + k); }
};

/// A packet of anchors, in registers.
template <class Scalar>
struct AnchorPacket {
  using Angle = AngleOf<Scalar>;
  using A = Packet<Angle>;
  static constexpr int parts =
      Packet<Scalar>::lanes / A::lanes;  // 2 where floats are made from doubles, but for one lane
  A cosine[std::size_t{parts}], sine[std::size_t{parts}], cosine_rest[std::size_t{parts}],
      sine_rest[std::size_t{parts}];

  /// Numbers k, k + 1, .. : a row, of one position and several pairs.
  template <std::size_t n>
  [[gnu::always_inline]] static AnchorPacket row(const Anchors<Scalar, n>& from, Index k) {
    AnchorPacket packet;
    for (int i = 0; i < parts; ++i, k += A::lanes) {
      packet.cosine[i] = load<Angle>(from.cosine + k);
      packet.sine[i] = load<Angle>(from.sine + k);
      if constexpr (!std::is_same_v<Angle, float>) continue;
      packet.cosine_rest[i] = load<Angle>(from.cosine_rest + k);
      packet.sine_rest[i] = load<Angle>(from.sine_rest + k);
    }
    return packet;
  }
  /// Number k in all lanes: a column, of one pair and several positions of a block.
  template <std::size_t n>
  [[gnu::always_inline]] static AnchorPacket column(const Anchors<Scalar, n>& from, Index k) {
    AnchorPacket packet;
    for (int i = 0; i < parts; ++i) {
      packet.cosine[i] = A(from.cosine[k]);
      packet.sine[i] = A(from.sine[k]);
      if constexpr (!std::is_same_v<Angle, float>) continue;
      packet.cosine_rest[i] = A(from.cosine_rest[k]);
      packet.sine_rest[i] = A(from.sine_rest[k]);
    }
    return packet;
  }

  /// Turned by SignedSmall or SmallColumn from k on. The products of one direction are those of the other, so a row has the
  /// bits that turned_both gives it.
  template <class Rotations>
  [[gnu::always_inline]] Turn<Packet<Scalar>> turned_by(const Rotations& small, Index k) const {
    Turn<A> turn[std::size_t{parts}];
    for (int i = 0; i < parts; ++i) turn[i] = products(small.forth, k, i).turned(small.sign(k + i * A::lanes));
    return as_scalars(turn);
  }
  /// Turned forth and back.
  [[gnu::always_inline]] void turned_both(const Small<Angle>& small, Index k, Turn<Packet<Scalar>>& forth,
                                          Turn<Packet<Scalar>>& back) const {
    Turn<A> forths[std::size_t{parts}], backs[std::size_t{parts}];
    for (int i = 0; i < parts; ++i) {
      const Products<A> both = products(small, k, i);
      forths[i] = both.forth();
      backs[i] = both.back();
    }
    forth = as_scalars(forths);
    back = as_scalars(backs);
  }

 private:
  [[gnu::always_inline]] Products<A> products(const Small<Angle>& small, Index k, int i) const {
    const Turn<A> by = small.packet(k + i * A::lanes);
    if constexpr (std::is_same_v<Angle, float>) {
      return {cosine[i], sine[i], by, cosine_rest[i], sine_rest[i]};
    } else {
      return {cosine[i], sine[i], by};
    }
  }
  [[gnu::always_inline]] static Turn<Packet<Scalar>> as_scalars(const Turn<A> (&turn)[std::size_t{parts}]) {
    if constexpr (std::is_same_v<Angle, Scalar>) {
      return turn[0];
    } else {
      A c[std::size_t{parts}], s[std::size_t{parts}];
      for (int i = 0; i < parts; ++i) c[i] = turn[i].cosine, s[i] = turn[i].sine;
      return {narrowed(c), narrowed(s)};
    }
  }
};

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
