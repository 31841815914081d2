// Asking the memory for data before its turn. Included once for each target.

namespace posenc {
inline namespace POSENC_ISA {
namespace detail {
namespace POSENC_KERNEL {

/// From how many bytes on data is asked for ahead. Less may well be in a cache near the processor, where asking only costs
/// time.
inline constexpr Index large = Index{1} << 20;

/// Asks for the cache lines that begin in numbers [first, last) of x, but 8 KiB further on. Hardware prefetching ends with
/// each page of 4 KiB and has to find its way anew in the next. A request changes nothing and may go past the data's end.
template <Index first, Index last, class T>
[[gnu::always_inline]] inline void ask_ahead([[maybe_unused]] const T* x) {
#if defined(__GNUC__)
  constexpr Index size = static_cast<Index>(sizeof(T)), line = 64, distance = 8192;
  constexpr Index at = (first * size + line - 1) / line * line;
  const auto address = reinterpret_cast<std::uintptr_t>(x) + distance + at;  // a number: no pointer may stand there
  if constexpr (at < last * size) __builtin_prefetch(reinterpret_cast<const void*>(address));
  if constexpr (at + line < last * size) __builtin_prefetch(reinterpret_cast<const void*>(address + line));
#endif
}

}  // namespace POSENC_KERNEL
}  // namespace detail
}  // namespace POSENC_ISA
}  // namespace posenc
