// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads calls from a file, runs each on a .npy file, and writes its result or its error beside that: the side of Quern
// of tools/numpy_differential.py, which makes the calls and compares.
//
//   numpy_cases FOLDER    FOLDER/cases has a call in each line: a number, the value type, the rank and the strides
//                         of the input, the operation and its arguments; FOLDER/<number>.npy is the input,
//                         FOLDER/<number>_out.npy the result, FOLDER/<number>_error the message of an error

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <quern/core.hpp>
#include <quern/files.hpp>
#include <quern/map.hpp>
#include <quern/stencil.hpp>
#include <quern/transfer/copy.hpp>
#include <sstream>

namespace {

using exec = Kokkos::DefaultHostExecutionSpace;
namespace op = quern::op;

/// The words of a line.
class words {
 public:
  explicit words(const std::string& line) : in_(line) {}
  template <class T = std::int64_t>
  T next() {
    std::string word;
    if (!(in_ >> word)) throw std::runtime_error("a word is missing");
    if constexpr (std::is_same_v<T, std::string>) return word;
    else return static_cast<T>(std::stod(word));  // also inf
  }
  template <class T = std::int64_t>
  std::vector<T> list() {
    std::vector<T> all(next());
    for (T& v : all) v = next<T>();
    return all;
  }

 private:
  std::istringstream in_;
};

template <class T, int Rank, class Layout = Kokkos::LayoutRight>
using array = Kokkos::View<typename quern::impl::with_pointers<T, Rank>::type, Layout, Kokkos::HostSpace>;

/// A View of a file, with the first or the last axis contiguous, or with gaps.
template <class T, int Rank>
array<T, Rank, Kokkos::LayoutStride> load(const std::string& path, const std::string& strides) {
  const quern::shape extents = quern::files::npy_info(path).extents;
  Kokkos::LayoutStride layout;
  std::size_t stride = strides == "gaps" ? 3 : 1, all = 1;
  for (int i = 0; i < Rank; ++i) {
    const int d = strides == "left" ? i : Rank - 1 - i;
    layout.dimension[d] = static_cast<std::size_t>(extents.extent[d]);
    layout.stride[d] = stride;
    stride *= layout.dimension[d] + (strides == "gaps" ? 2 : 0);
    all = std::max(all, stride);
  }
  const array<T, 1> memory("memory", all);
  const array<T, Rank, Kokkos::LayoutStride> view(
      typename array<T, Rank, Kokkos::LayoutStride>::data_handle_type(memory.data_handle().tracker(), memory.data()),
      layout);
  quern::files::read_npy(path, view);
  return view;
}

template <class T, int Rank>
array<T, Rank> of_extents(const quern::shape& extents) {
  Kokkos::LayoutRight layout;
  for (int d = 0; d < Rank; ++d) layout.dimension[d] = static_cast<std::size_t>(extents.extent[d]);
  return array<T, Rank>("out", layout);
}

/// Calls f with a list of Rank numbers.
template <int Rank, class F>
void with_each(const std::vector<int>& n, const F& f) {
  if constexpr (Rank == 1) f(std::initializer_list<int>{n.at(0)});
  if constexpr (Rank == 2) f(std::initializer_list<int>{n.at(0), n.at(1)});
  if constexpr (Rank == 3) f(std::initializer_list<int>{n.at(0), n.at(1), n.at(2)});
}

quern::boundary edge_of(words& w) {
  const auto mode = w.next<std::string>();
  if (mode == "constant") return quern::boundary::constant(w.next());
  if (mode == "nearest") return quern::boundary::nearest;
  if (mode == "reflect") return quern::boundary::reflect;
  return mode == "mirror" ? quern::boundary::mirror : quern::boundary::wrap;
}

struct remainder_of_numpy {  // as docs/from_numpy.md has it
  double b;
  KOKKOS_FUNCTION double operator()(double a) const {
    const double r = Kokkos::fmod(a, b);
    return r == 0 ? Kokkos::copysign(r, b) : (r < 0) != (b < 0) ? r + b : r;
  }
};

/// The calls of one type and rank.
template <class T, int Rank>
class calls {
 public:
  calls(const std::string& in, const std::string& strides, std::string out)
      : x_(load<T, Rank>(in, strides)), out_(std::move(out)) {}

  void run(const std::string& name, words& w) const {
    if (!reindexed(name, w) && !along_an_axis(name, w) && !filtered(name, w))
      throw std::runtime_error("there is no operation " + name);
  }

 private:
  template <class V>
  void save(const V& operand) const {
    const auto result = of_extents<T, quern::impl::rank_of<V>>(quern::extents_of(operand));
    quern::copy(exec(), result, operand);
    quern::files::write_npy(out_, result);
  }
  /// Calls f with an output of x's extents, of which one is another.
  template <class F>
  void save_out(const F& f, int axis = 0, std::int64_t more = 0) const {
    quern::shape extents = quern::extents_of(x_);
    extents.extent[axis] += more;
    const auto out = of_extents<T, Rank>(extents);
    f(out);
    quern::files::write_npy(out_, out);
  }
  static quern::axis axis_of(words& w) { return quern::axis{static_cast<int>(w.next())}; }

  bool reindexed(const std::string& name, words& w) const {
    if (name == "roll") {
      const auto shift = w.next();
      save(quern::roll(x_, shift, axis_of(w)));
    } else if (name == "roll_all") save(quern::roll(x_, w.next()));
    else if (name == "flip") save(quern::flip(x_, axis_of(w)));
    else if (name == "flip_all") save(quern::flip(x_));
    else if (name == "take") take(w);
    else if (name == "tile") {
      const auto n = w.list();
      if constexpr (Rank == 1) save(quern::tile(x_, {n.at(0)}));
      if constexpr (Rank == 2) save(quern::tile(x_, {n.at(0), n.at(1)}));
      if constexpr (Rank == 3) save(quern::tile(x_, {n.at(0), n.at(1), n.at(2)}));
    } else if (name == "repeat") {
      const auto times = w.next();
      save(quern::repeat(x_, times, axis_of(w)));
    } else if (name == "repeat_all") save(quern::repeat(x_, w.next()));
    else if (name == "repeat_counts") {
      const auto along = axis_of(w);
      save(quern::repeat(exec(), x_, indices(w), along));
    } else return padded(name, w);
    return true;
  }
  static array<std::int64_t, 1> indices(words& w) {
    const auto all = w.list();
    const array<std::int64_t, 1> view("indices", all.size());
    std::copy(all.begin(), all.end(), view.data());
    return view;
  }
  void take(words& w) const {
    const auto mode = w.next<std::string>();
    const auto along = axis_of(w);
    save(quern::take(x_, indices(w), along,
                     mode == "raise"  ? quern::index_mode::raise
                     : mode == "wrap" ? quern::index_mode::wrap
                                      : quern::index_mode::clip));
  }
  bool padded(const std::string& name, words& w) const {
    if (name != "pad") return false;
    const auto mode = w.next<std::string>();
    const auto n = w.list();
    quern::pad_widths widths(0);
    widths.count = n.size() / 2;
    for (std::size_t d = 0; d < widths.count; ++d) widths.of[d] = {n[2 * d], n[2 * d + 1]};
    using quern::pad_mode;
    if (mode == "constant") save(quern::pad(x_, widths, w.next<T>()));
    if (mode == "edge") save(quern::pad(x_, widths, pad_mode::edge));
    if (mode == "wrap") save(quern::pad(x_, widths, pad_mode::wrap));
    if (mode == "reflect") save(quern::pad(x_, widths, pad_mode::reflect));
    if (mode == "symmetric") save(quern::pad(x_, widths, pad_mode::symmetric));
    if (mode == "odd_reflect") save(quern::pad(x_, widths, pad_mode::reflect, quern::reflect_type::odd));
    if (mode == "odd_symmetric") save(quern::pad(x_, widths, pad_mode::symmetric, quern::reflect_type::odd));
    return true;
  }

  bool along_an_axis(const std::string& name, words& w) const {
    if (name == "diff") {
      const auto order = static_cast<int>(w.next()), along = static_cast<int>(w.next());
      const int d = along < 0 ? along + Rank : along;
      const std::int64_t n = quern::extents_of(x_).extent[d];
      save_out(
          [&](const auto& out) { quern::diff(exec(), out, x_, quern::axis{along}, quern::difference_order{order}); }, d,
          -std::min<std::int64_t>(n, order));
    } else if (name == "remainder") {
      if constexpr (std::is_same_v<T, double>)
        save_out([&](const auto& out) { quern::map(exec(), out, remainder_of_numpy{w.next<double>()}, x_); });
    } else if (name == "rolling") {
      if constexpr (std::is_same_v<T, double>) rolling(w);
    } else return false;
    return true;
  }
  void rolling(words& w) const {
    const auto what = w.next<std::string>();
    const auto count = w.next();
    const bool center = w.next() != 0;
    const auto least = w.next();
    const auto along = axis_of(w);
    const quern::window window{.count = count, .center = center, .min_periods = least};
    save_out([&](const auto& out) {
      if (what == "sum") quern::rolling<op::sum>(exec(), out, x_, window, along);
      if (what == "mean") quern::rolling<op::mean>(exec(), out, x_, window, along);
      if (what == "var") quern::rolling<op::var>(exec(), out, x_, window, along, quern::ddof{1});
      if (what == "min") quern::rolling<op::min>(exec(), out, x_, window, along);
      if (what == "max") quern::rolling<op::max>(exec(), out, x_, window, along);
      if (what == "median") quern::rolling<op::median>(exec(), out, x_, window, along);
    });
  }

  bool filtered(const std::string& name, words& w) const {
    if (name == "gaussian_filter") {
      if constexpr (std::is_same_v<T, double>) {
        const auto sigma = w.next<double>();
        const auto edge = edge_of(w);
        save_out([&](const auto& out) { quern::gaussian_filter(exec(), out, x_, sigma, edge); });
      }
      return true;
    }
    if (name == "correlate" || name == "convolve") {
      const auto weights = load<T, Rank>(w.next<std::string>(), "right");
      const auto edge = edge_of(w);
      save_out([&](const auto& out) {
        if (name == "correlate") quern::correlate(exec(), out, x_, weights, edge);
        else quern::convolve(exec(), out, x_, weights, edge);
      });
      return true;
    }
    with_each<Rank>(w.list<int>(), [&](const std::initializer_list<int>& size) {
      const auto edge = edge_of(w);
      if (name == "uniform_filter") {
        if constexpr (std::is_same_v<T, double>)
          save_out([&](const auto& out) { quern::uniform_filter(exec(), out, x_, size, edge); });
        return;
      }
      with_each<Rank>(w.list<int>(),
                      [&](const std::initializer_list<int>& moved) { ordered(name, size, moved, edge, w); });
    });
    return true;
  }
  void ordered(const std::string& name, const quern::footprint& window, const quern::origin& moved,
               const quern::boundary& edge, words& w) const {
    save_out([&](const auto& out) {
      if (name == "minimum_filter") quern::minimum_filter(exec(), out, x_, window, edge, moved);
      if (name == "maximum_filter") quern::maximum_filter(exec(), out, x_, window, edge, moved);
      if (name == "median_filter") quern::median_filter(exec(), out, x_, window, edge, moved);
      if (name == "rank_filter") quern::rank_filter(exec(), out, x_, w.next(), window, edge, moved);
      if (name == "percentile_filter") quern::percentile_filter(exec(), out, x_, w.next<double>(), window, edge, moved);
      if (name == "grey_erosion") quern::grey_erosion(exec(), out, x_, window, edge, moved);
      if (name == "grey_dilation") quern::grey_dilation(exec(), out, x_, window, edge, moved);
    });
  }

  array<T, Rank, Kokkos::LayoutStride> x_;
  std::string out_;
};

template <class T>
void run_of_type(int rank, const std::string& in, const std::string& strides, const std::string& out, words& w) {
  const auto run = [&](const auto& of) { of.run(w.next<std::string>(), w); };
  if (rank == 2) run(calls<T, 2>(in, strides, out));
#ifndef QUERN_TEST_MATRICES_ALONE
  if (rank == 1) run(calls<T, 1>(in, strides, out));
  if (rank == 3) run(calls<T, 3>(in, strides, out));
#endif
}

void run_line(const std::string& folder, const std::string& line) {
  words w(line);
  const std::string path = folder + "/" + w.next<std::string>();
  const auto type = w.next<std::string>();
  const auto rank = static_cast<int>(w.next());
  const auto strides = w.next<std::string>();
  try {
    if (type == "float64") run_of_type<double>(rank, path + ".npy", strides, path + "_out.npy", w);
#ifndef QUERN_TEST_MATRICES_ALONE
    else run_of_type<std::int32_t>(rank, path + ".npy", strides, path + "_out.npy", w);
#endif
  } catch (const std::exception& e) {
    std::ofstream(path + "_error") << e.what();
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (argc != 2) {
    std::cerr << "usage: numpy_cases FOLDER\n";
    return 2;
  }
  std::ifstream cases(std::string(argv[1]) + "/cases");
  for (std::string line; std::getline(cases, line);) run_line(argv[1], line);
  return cases.bad() ? 1 : 0;
}
