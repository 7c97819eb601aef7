// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <build_info.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <quern/config.hpp>
#include <quern/core/memory/free_memory.hpp>
#include <quern/files.hpp>
#include <quern/linalg.hpp>

namespace app {

double seconds_of(const std::function<void()>& call) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  call();
  return std::chrono::duration<double>(clock::now() - start).count();
}

double median_time(const settings& s, const std::function<double()>& time) {
  const double first = time();  // the warm-up: scratch memory, code on the device
  const double second = time();
  const int repeat =
      s.repeat > 0 ? s.repeat : static_cast<int>(std::clamp(0.2 / std::max(std::min(first, second), 1e-6), 3.0, 200.0));
  std::vector<double> times;
  for (int i = 0; i < repeat; ++i) times.push_back(time());
  std::nth_element(times.begin(), times.begin() + repeat / 2, times.end());
  return times[repeat / 2];
}

double time_call(const settings& s, const std::function<void()>& call) {
  const auto until_fence = [&] {
    call();
    s.exec.fence();
  };
  return median_time(s, [&] { return seconds_of(until_fence); });
}

double time_baseline(std::int64_t total, const std::function<void(std::int64_t)>& loop) {
  for (std::int64_t units = std::min<std::int64_t>(total, std::max<std::int64_t>(1, total / 1000));;) {
    const double seconds = seconds_of([&] { loop(units); });
    if (units == total || seconds > 0.2) return seconds * static_cast<double>(total) / static_cast<double>(units);
    const double factor = std::clamp(0.4 / std::max(seconds, 1e-7), 2.0, 50.0);
    units = std::min(total, static_cast<std::int64_t>(static_cast<double>(units) * factor) + 1);
  }
}

double limits::copy_rate() {
  if (copy_ > 0) return copy_;
  // Several times the last cache of a host, which has up to 12 MB for each core; on a device enough for its full rate.
  const double large = quern::impl::is_device<exec_space> ? 2e9 : std::max(128e6, 32e6 * exec_.concurrency());
  const double wanted = std::min(free_memory() / 8, large);
  const auto n = static_cast<std::int64_t>(wanted / sizeof(double));
  const progress shown("measuring the copy rate");
  const settings s{{}, exec_};
  const auto x = filled<device_view<double*>>(s, hashes{1}, n), y = filled<device_view<double*>>(s, hashes{2}, n);
  // On a device the driver's copy, on the host the loop that a user would write.
  const double seconds = time_call(s, [&] {
    if constexpr (quern::impl::is_device<exec_space>) {
      Kokkos::deep_copy(exec_, y, x);
    } else {
      Kokkos::parallel_for(
          "quern_app::copy", Kokkos::RangePolicy<exec_space, Kokkos::IndexType<std::int64_t>>(exec_, 0, n),
          KOKKOS_LAMBDA(std::int64_t i) { y(i) = x(i); });
    }
  });
  return copy_ = 16.0 * static_cast<double>(n) / seconds / 1e9;
}

double limits::product_rate() {
  if (product_ > 0) return product_;
  const progress shown("measuring the matrix product");
  const std::int64_t n = quern::impl::is_device<exec_space> ? 8192 : 512;
  const settings s{{}, exec_};
  using matrix = device_view<double**>;
  const auto a = filled<matrix>(s, hashes{1}, n, n), b = filled<matrix>(s, hashes{2}, n, n),
             c = uninitialized<matrix>("c", n, n);
  const double seconds = time_call(s, [&] { quern::matmul(exec_, c, a, b); });
  return product_ = 2.0 * static_cast<double>(n) * n * n / seconds / 1e9;
}

double limits::link_rate() {
  if (link_ > 0) return link_;
  if constexpr (!quern::impl::is_device<exec_space>) {
    return link_ = copy_rate();
  } else {
    constexpr std::int64_t n = 1 << 28;
    const progress shown("measuring the link");
    const device_view<char*> there("there", n);
    const Kokkos::View<char*, Kokkos::SharedHostPinnedSpace> here("here", n);
    settings s{{}, exec_};
    s.repeat = 3;
    return link_ = static_cast<double>(n) / time_call(s, [&] { Kokkos::deep_copy(exec_, there, here); }) / 1e9;
  }
}

double free_memory() { return static_cast<double>(quern::impl::free_memory<memory_space>()); }

double plain_read_rate(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(4 << 20);
  double bytes = 0;
  const double seconds = seconds_of([&] {
    while (bytes < 256e6 && file) {
      file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
      bytes += static_cast<double>(file.gcount());
    }
  });
  return bytes / seconds / 1e9;
}

namespace {

std::string bar(const quern::chunked::progress& p, double limit, const std::string& what) {
  constexpr int width = 30;
  const double fraction = p.bytes > 0 ? p.bytes_done / p.bytes : 1, rate = p.bytes_done / p.seconds / 1e9;
  const auto done = static_cast<int>(fraction * width);
  return fmt::format("[{:#<{}}{:<{}}] {:3.0f} %  {:.1f} GB/s ({:.0f} % of {})  {:.0f} s left", "", done, "",
                     width - done, 100 * fraction, rate, 100 * rate / limit, what,
                     (p.bytes - p.bytes_done) / 1e9 / rate);
}

std::string rate_text(const workload& w, const measurement& m) {
  if (w.limit == bound::compute) return fmt::format("{:.1f} GFLOP/s", m.flops / m.seconds / 1e9);
  if (m.bytes > 0) return fmt::format("{:.1f} GB/s", m.bytes / m.seconds / 1e9);
  return "-";
}

constexpr const char* line_format = "{:<16} {:<10} {:<23} {:>11} {:>15} {:>7} {:>9}  {}\n";

/// What CMake has built, by the options that add it.
struct component {
  const char *name, *adds, *option;
  bool built;
};
constexpr component components[] = {
    {"core", "operations that need Kokkos alone", "", true},
    {"linalg", "a BLAS and LAPACK", "QUERN_ENABLE_LINALG", QUERN_APP_LINALG},
    {"fft", "a library for Fourier transforms", "QUERN_ENABLE_FFT", QUERN_APP_FFT},
    {"files", ".npy, stored .npz and raw files", "", true},
    {"zlib", "compressed .npz archives", "QUERN_ENABLE_FILES", QUERN_APP_FILES},
    {"hdf5", "HDF5 files", "QUERN_ENABLE_HDF5", QUERN_APP_HDF5},
    {"distributed", "arrays over the ranks of MPI", "QUERN_ENABLE_DISTRIBUTED", QUERN_APP_DISTRIBUTED},
    {"nccl", "NCCL between GPUs", "QUERN_ENABLE_NCCL", QUERN_APP_NCCL},
    {"rccl", "RCCL between GPUs", "QUERN_ENABLE_RCCL", QUERN_APP_RCCL}};

void print_components() {
  fmt::print("components:\n");
  for (const component& c : components)
    fmt::print("  {:<12} {:<4} {}{}\n", c.name, c.built ? "yes" : "no", c.adds,
               c.built ? "" : fmt::format(" ({}=ON)", c.option));
}

}  // namespace

quern::chunking shown_chunking(const settings& s, double limit, const std::string& what) {
  const auto show = [limit, what, shown = isatty(STDERR_FILENO) != 0](const quern::chunked::progress& p) {
    if (shown) std::fputs(("\r\033[K" + (p.chunks_done < p.chunks ? bar(p, limit, what) : "")).c_str(), stderr);
  };
  return {.memory = s.memory, .on_progress = show};
}

int print_file(const std::string& path) {
  for (const auto& [name, info, unread] : quern::files::contents(path)) {
    fmt::print("{}{}", name, name.empty() ? "" : "  ");
    if (!unread.empty()) fmt::print("{}, not read\n", unread);
    else
      fmt::print("{} {}{}{}\n", info.type.str(), info.extents.str(), info.fortran_order ? ", Fortran order" : "",
                 info.big_endian ? ", big endian" : "");
  }
  return 0;
}

std::string time_text(double t) {
  if (t >= 1) return fmt::format("{:.2f} s ", t);
  if (t >= 1e-3) return fmt::format("{:.3f} ms", t * 1e3);
  return fmt::format("{:.2f} us", t * 1e6);
}

std::string bytes_text(double b) {
  if (b >= 1e9) return fmt::format("{:.1f} GB", b / 1e9);
  return fmt::format("{:.1f} MB", b / 1e6);
}

void print_header() {
  fmt::print(line_format, "workload", "type", "size", "time", "rate", "limit", "speed-up", "verified");
  fmt::print("{:-<105}\n", "");
  std::fflush(stdout);
}

void print_line(const workload& w, const measurement& m, double fraction) {
  const std::string percent = fraction > 0 ? fmt::format("{:.0f} %", 100 * fraction) : "-";
  const double speedup = m.baseline_seconds / m.seconds;  // of no elements there is none
  fmt::print(line_format, w.name, w.type, m.size, time_text(m.seconds), rate_text(w, m), percent,
             std::isfinite(speedup) ? fmt::format("{:.1f}x", speedup) : "-", m.verified ? "yes" : "NO");
  std::fflush(stdout);
}

void print_missing(const workload& w) { fmt::print("{:<16} {:<10} not run: needs {}\n", w.name, w.type, w.missing); }

void print_notes(bool in_chunks) {
  fmt::print(
      "\nlimit: the fraction of what this machine reached in this run: of the copy rate or, for transfers, of the link "
      "to the\ndevice (GB/s), or of the double-precision matrix product (GFLOP/s). Data that stay in the caches exceed "
      "100 %.\n"
      "speed-up: over plain code on one core, which {}.\n",
      in_chunks ? "reads the whole file" : "is timed for up to half a second and scaled to the size");
}

nlohmann::json record(const workload& w, const measurement& m, double fraction) {
  return {{"workload", w.name},
          {"type", w.type},
          {"size", m.size},
          {"seconds", m.seconds},
          {"bytes", m.bytes},
          {"flops", m.flops},
          {"fraction_of_limit", fraction > 0 ? nlohmann::json(fraction) : nlohmann::json(nullptr)},
          {"speedup", m.baseline_seconds / m.seconds},
          {"verified", m.verified}};
}

progress::progress(const std::string& text) : shown_(isatty(STDERR_FILENO)) {
  if (shown_) std::fprintf(stderr, "%s ...", text.c_str());  // which throws nothing where the terminal is gone
}
progress::~progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

int print_info(const exec_space& exec, bool measure) {
  fmt::print("Quern {} ({}), {}, flags: {}\n", QUERN_VERSION_STRING, quern::build_info::commit,
             quern::build_info::compiler, quern::build_info::flags);
  print_components();
  fmt::print("Kokkos {}.{}.{}, running on {}, {} at a time\n", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
             KOKKOS_VERSION % 100, exec.name(), exec.concurrency());
  fmt::print("free memory: {}\n\n", bytes_text(free_memory()));
  std::fflush(stdout);
  Kokkos::print_configuration(std::cout);
  if (measure) {
    limits l(exec);
    fmt::print("\ncopy: {:.1f} GB/s read plus written\n", l.copy_rate());
    fmt::print("matrix product, float64: {:.1f} GFLOP/s\n", l.product_rate());
  }
  return 0;
}

}  // namespace app
