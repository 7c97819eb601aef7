// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "formats.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "digits.hpp"

namespace quern::impl {
namespace {

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& packed) {
  std::vector<T> v(packed.size() / sizeof(T));
  if (!v.empty()) std::memcpy(static_cast<void*>(v.data()), packed.data(), v.size() * sizeof(T));
  return v;
}

std::string padded(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// Floating-point numbers in one notation, aligned at the point: numpy.core.arrayprint's FloatingFormat.
class floating_words {
 public:
  floating_words(const std::vector<double>& values, const binary_format& format, const print_options& options,
                 bool plus)
      : format_(format), options_(options), plus_(plus), precision_(options.precision) {
    if (options.floatmode == float_mode::unique) precision_ = -1;
    scientific_ = needs_exponent(values);
    bool any_finite = false, others = false, minus_infinity = false;
    for (const double x : values) {
      if (std::isfinite(x)) {
        any_finite = true;
        measure(x);
      } else {
        others = true;
        minus_infinity |= x == -HUGE_VAL;
      }
    }
    if (scientific_) right_ = exponent_ + 2 + fraction_;
    else right_ = any_finite ? fraction_ : 0;
    const std::size_t sign = plus || minus_infinity ? 1 : 0;
    if (others && left_ + right_ + 1 < 3 + sign) left_ = 2 + sign - std::min(right_, 2 + sign);
  }

  std::string operator()(double x) const {
    if (!std::isfinite(x)) {
      const char* sign = !std::isnan(x) && x < 0 ? "-" : plus_ ? "+" : "";
      return padded(std::string(sign) + (std::isnan(x) ? "nan" : "inf"), left_ + right_ + 1);
    }
    number_text t = text(x);
    const bool equal_lengths = scientific_ || options_.floatmode == float_mode::maxprec_equal;
    if (equal_lengths && t.fraction.size() < fraction_) t = exact_text(x);
    // Before the point, too: the half 65504 is told from others by 655 alone.
    if (!scientific_ && t.fraction.empty()) t.whole = with_sign(fixed_text(x, 0)).whole;
    t.fraction.append(fraction_ - t.fraction.size(), ' ');
    std::string word = padded(t.whole, left_) + "." + t.fraction;
    if (!scientific_) return word;
    const std::string digits = t.exponent.substr(1);
    return word + "e" + t.exponent[0] + std::string(exponent_ - digits.size(), '0') + digits;
  }

 private:
  /// Whether the magnitudes ask for exponents, compared in the type of the numbers.
  bool needs_exponent(const std::vector<double>& values) const {
    double largest = 0, smallest = HUGE_VAL;
    for (const double x : values) {
      if (x == 0 || !std::isfinite(x)) continue;
      largest = std::max(largest, std::fabs(x));
      smallest = std::min(smallest, std::fabs(x));
    }
    if (largest == 0) return false;
    const bool small = smallest < rounded_to(format_, 0.0001) || rounded_to(format_, largest / smallest) > 1000;
    return largest >= 1e8 || (!options_.suppress && small);
  }
  number_text text(double x) const {
    const number_text t = scientific_                               ? scientific_text(format_, x, precision_)
                          : options_.floatmode == float_mode::fixed ? fixed_text(x, options_.precision)
                                                                    : positional_text(format_, x, precision_);
    return with_sign(t);
  }
  /// With as many digits as others have: those of the number itself, as NumPy's, and not zeros behind the fewest that
  /// tell it from others.
  number_text exact_text(double x) const {
    const int digits = static_cast<int>(fraction_);
    return with_sign(scientific_ ? fixed_scientific_text(x, digits) : fixed_text(x, digits));
  }
  number_text with_sign(number_text t) const {
    if (plus_ && t.whole[0] != '-') t.whole.insert(0, 1, '+');
    return t;
  }
  void measure(double x) {
    const number_text t = text(x);
    left_ = std::max(left_, t.whole.size());
    fraction_ = std::max(fraction_, t.fraction.size());
    if (!scientific_) return;
    if (options_.floatmode == float_mode::fixed)
      fraction_ = std::max(fraction_, static_cast<std::size_t>(options_.precision));
    exponent_ = std::max(exponent_, t.exponent.size() - 1);
  }

  binary_format format_;
  const print_options& options_;
  bool plus_, scientific_ = false;
  int precision_;
  std::size_t left_ = 0, fraction_ = 0, exponent_ = 0, right_ = 0;
};

std::vector<std::string> words_of_reals(const std::vector<double>& values, const binary_format& format,
                                        const print_options& options) {
  const floating_words word(values, format, options, false);
  std::vector<std::string> words;
  for (const double x : values) words.push_back(word(x));
  return words;
}

template <class T>
std::vector<std::string> words_of_complex(const std::vector<std::byte>& packed, const binary_format& format,
                                          const print_options& options) {
  std::vector<double> real, imaginary;
  for (const auto& z : values_of<Kokkos::complex<T>>(packed)) {
    real.push_back(z.real());
    imaginary.push_back(z.imag());
  }
  const floating_words real_word(real, format, options, false), imaginary_word(imaginary, format, options, true);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < real.size(); ++i) {
    std::string second = imaginary_word(imaginary[i]);
    second.insert(second.find_last_not_of(' ') + 1, 1, 'j');
    words.push_back(real_word(real[i]) + second);
  }
  return words;
}

template <class T>
std::vector<double> as_double(const std::vector<std::byte>& packed) {
  std::vector<double> v;
  for (const T x : values_of<T>(packed)) v.push_back(static_cast<double>(static_cast<float>(x)));
  return v;
}

template <class T>
std::vector<std::string> words_of_integers(const std::vector<std::byte>& packed) {
  std::vector<std::string> words;
  std::size_t width = 0;
  for (const T x : values_of<T>(packed)) {
    words.push_back(std::to_string(x));
    width = std::max(width, words.back().size());
  }
  for (auto& word : words) word = padded(word, width);
  return words;
}
std::vector<std::string> words_of_signed(std::int64_t bytes, const std::vector<std::byte>& packed) {
  if (bytes == 1) return words_of_integers<std::int8_t>(packed);
  if (bytes == 2) return words_of_integers<std::int16_t>(packed);
  return bytes == 4 ? words_of_integers<std::int32_t>(packed) : words_of_integers<std::int64_t>(packed);
}
std::vector<std::string> words_of_unsigned(std::int64_t bytes, const std::vector<std::byte>& packed) {
  if (bytes == 1) return words_of_integers<std::uint8_t>(packed);
  if (bytes == 2) return words_of_integers<std::uint16_t>(packed);
  return bytes == 4 ? words_of_integers<std::uint32_t>(packed) : words_of_integers<std::uint64_t>(packed);
}
std::vector<std::string> words_of_bools(const std::vector<std::byte>& packed, bool alone) {
  std::vector<std::string> words;
  for (const std::byte b : packed) words.emplace_back(b == std::byte() ? "False" : alone ? "True" : " True");
  return words;
}

}  // namespace

std::vector<std::string> words_of(printed_kind kind, std::int64_t element_bytes, const std::vector<std::byte>& packed,
                                  const print_options& options, bool alone) {
  switch (kind) {
    case printed_kind::boolean:
      return words_of_bools(packed, alone);
    case printed_kind::signed_integer:
      return words_of_signed(element_bytes, packed);
    case printed_kind::unsigned_integer:
      return words_of_unsigned(element_bytes, packed);
    case printed_kind::half:
      return words_of_reals(as_double<Kokkos::Experimental::half_t>(packed), half_format, options);
    case printed_kind::bhalf:
      return words_of_reals(as_double<Kokkos::Experimental::bhalf_t>(packed), bhalf_format, options);
    case printed_kind::complex:
      return element_bytes == 8 ? words_of_complex<float>(packed, float_format, options)
                                : words_of_complex<double>(packed, double_format, options);
    case printed_kind::floating:
      break;
  }
  return element_bytes == 4 ? words_of_reals(as_double<float>(packed), float_format, options)
                            : words_of_reals(values_of<double>(packed), double_format, options);
}

}  // namespace quern::impl
