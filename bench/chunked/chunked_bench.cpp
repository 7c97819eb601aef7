// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operations on arrays of the host and of files, bounded by the link to the device, and on hosts by memory. The plain
// variant copies all, computes, and copies back, as a user does whose arrays fit.

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <quern/chunked.hpp>
#include <quern/files.hpp>
#include <support/bench.hpp>
#include <support/link.hpp>

namespace {

using bench::direction, bench::exec_space, bench::hashed, bench::link_limit, bench::memory_space, bench::prepared;
using pageable = Kokkos::HostSpace;
using pinned = Kokkos::SharedHostPinnedSpace;
namespace chunked = quern::chunked;

template <class T, class Space>
Kokkos::View<T*, Space> host_values(std::int64_t n, std::uint64_t seed) {
  const Kokkos::View<T*, Space> v(Kokkos::view_alloc(Kokkos::WithoutInitializing, "host"), n);
  for (std::int64_t i = 0; i < n; ++i) v(i) = static_cast<T>(hashed(i, seed));
  return v;
}

template <class T>
struct plain_add {
  Kokkos::View<T*, memory_space> z, x, y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { z(i) = x(i) + y(i); }
};
struct add_values {
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b) const {
    return a + b;
  }
};
struct scale_value {
  KOKKOS_FUNCTION double operator()(double a) const { return 2 * a; }
};
template <class T>
struct plain_scale {
  Kokkos::View<T*, memory_space> z, x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { z(i) = 2 * x(i); }
};
template <class T>
struct plain_sum {
  Kokkos::View<T*, memory_space> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& s) const { s += x(i); }
};

template <class Space>
prepared sum(const exec_space& exec, std::int64_t n) {
  const auto x = host_values<double, Space>(n, 1);
  const auto result = std::make_shared<double>(0);
  double exact = 0;
  for (std::int64_t i = 0; i < n; ++i) exact += x(i);
  prepared p;
  p.bytes = 8.0 * n;
  p.limit = link_limit(exec, direction::to_device);
  p.variants = {{"quern", [=] { *result = quern::sum(exec, quern::in_chunks(x)); }},
                {"plain", [=] {
                   const Kokkos::View<double*, memory_space> there(
                       Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "x"), n);
                   Kokkos::deep_copy(exec, there, x);
                   Kokkos::parallel_reduce("bench::sum", bench::range(exec, 0, n), plain_sum<double>{there}, *result);
                 }}};
  p.poison = [=] { *result = -1; };
  p.right = [=] { return std::abs(*result - exact) < 1e-12 * exact * std::sqrt(static_cast<double>(n)); };
  return p;
}

template <class Space>
prepared map(const exec_space& exec, std::int64_t n) {
  const auto x = host_values<double, Space>(n, 1), z = host_values<double, Space>(n, 2);
  prepared p;
  p.bytes = 16.0 * n;
  p.limit = link_limit(exec, direction::both);
  p.variants = {{"quern", [=] { quern::map(exec, quern::in_chunks(z), scale_value(), quern::in_chunks(x)); }},
                {"plain", [=] {
                   const Kokkos::View<double*, memory_space> there(
                       Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "x"), n);
                   Kokkos::deep_copy(exec, there, x);
                   Kokkos::parallel_for("bench::scale", bench::range(exec, 0, n), plain_scale<double>{there, there});
                   Kokkos::deep_copy(exec, z, there);
                 }}};
  p.poison = [=] { Kokkos::deep_copy(z, -1.0); };
  p.right = [=] {
    for (std::int64_t i = 0; i < n; ++i)
      if (z(i) != 2 * x(i)) return false;
    return true;
  };
  return p;
}

/// Two arrays go in and one comes back: the time of the larger direction is the limit.
template <class Space>
prepared vector_add(const exec_space& exec, std::int64_t n) {
  const auto x = host_values<float, Space>(n, 1), y = host_values<float, Space>(n, 2),
             z = host_values<float, Space>(n, 3);
  prepared p;
  p.bytes = 8.0 * n;
  p.limit = link_limit(exec, direction::to_device);
  p.variants = {
      {"quern", [=] { quern::map(exec, quern::in_chunks(z), add_values(), quern::in_chunks(x), quern::in_chunks(y)); }},
      {"plain", [=] {
         using line = Kokkos::View<float*, memory_space>;
         const line dx(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "x"), n);
         const line dy(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "y"), n);
         Kokkos::deep_copy(exec, dx, x);
         Kokkos::deep_copy(exec, dy, y);
         Kokkos::parallel_for("bench::add", bench::range(exec, 0, n), plain_add<float>{dx, dx, dy});
         Kokkos::deep_copy(exec, z, dx);
       }}};
  p.poison = [=] { Kokkos::deep_copy(z, -1.0f); };
  p.right = [=] {
    for (std::int64_t i = 0; i < n; ++i)
      if (z(i) != x(i) + y(i)) return false;
    return true;
  };
  return p;
}

struct laplace {
  template <class Window>
  KOKKOS_FUNCTION double operator()(const Window& w) const {
    return w(-1, 0, 0) + w(1, 0, 0) + w(0, -1, 0) + w(0, 1, 0) + w(0, 0, -1) + w(0, 0, 1) - 6 * w(0, 0, 0);
  }
};

prepared laplacian(const exec_space& exec, std::int64_t n) {
  using cube = Kokkos::View<double***, Kokkos::LayoutRight, pinned>;
  const cube u("u", n, n, n), out("out", n, n, n);
  for (std::int64_t i = 0; i < n * n * n; ++i) u.data()[i] = hashed(i, 1);
  prepared p;
  p.bytes = 16.0 * n * n * n;
  p.limit = link_limit(exec, direction::both);
  p.variants = {{"quern", [=] {
                   quern::stencil<quern::star<1>>(exec, quern::in_chunks(out), laplace(), quern::boundary::constant(0),
                                                  quern::in_chunks(u));
                 }}};
  p.poison = [=] { Kokkos::deep_copy(out, -99.0); };
  p.right = [=] {
    const auto at = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      return i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n ? 0.0 : u(i, j, k);
    };
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t k = 0; k < n; ++k) {
          const double exact = at(i - 1, j, k) + at(i + 1, j, k) + at(i, j - 1, k) + at(i, j + 1, k) + at(i, j, k - 1) +
                               at(i, j, k + 1) - 6 * at(i, j, k);
          if (std::abs(out(i, j, k) - exact) > 1e-14) return false;
        }
    return true;
  };
  return p;
}

/// A file that goes with its last user.
struct temporary_file {
  std::string path =
      (std::filesystem::temp_directory_path() / ("quern-bench-" + std::to_string(getpid()) + ".npy")).string();
  ~temporary_file() { std::filesystem::remove(path); }
};

/// A file in the page cache, read into memory of the host: by Quern, and by read calls of one thread.
prepared read_file(const exec_space&, std::int64_t n) {
  const auto file = std::make_shared<temporary_file>();
  const auto x = host_values<double, pageable>(n, 1), found = host_values<double, pageable>(n, 2);
  quern::files::write_npy(file->path, x);
  prepared p;
  p.bytes = 8.0 * n;
  p.variants = {{"quern", [=] { quern::files::read_npy(file->path, found); }},
                {"plain", [=] {
                   const int f = ::open(file->path.c_str(), O_RDONLY);
                   char* to = reinterpret_cast<char*>(found.data());
                   std::int64_t left = 8 * n;
                   for (::lseek(f, 128, SEEK_SET); left > 0;) {
                     const auto got = ::read(f, to, std::min<std::int64_t>(left, 1 << 30));
                     if (got <= 0) break;
                     to += got;
                     left -= got;
                   }
                   ::close(f);
                 }}};
  p.poison = [=] { Kokkos::deep_copy(found, -1.0); };
  p.right = [=] {
    for (std::int64_t i = 0; i < n; ++i)
      if (found(i) != x(i)) return false;
    return true;
  };
  return p;
}

/// The sum of a file in the page cache.
prepared sum_of_file(const exec_space& exec, std::int64_t n) {
  const auto file = std::make_shared<temporary_file>();
  const auto x = host_values<double, pageable>(n, 1);
  const auto result = std::make_shared<double>(0);
  double exact = 0;
  for (std::int64_t i = 0; i < n; ++i) exact += x(i);
  quern::files::write_npy(file->path, x);
  prepared p;
  p.bytes = 8.0 * n;
  p.limit = link_limit(exec, direction::to_device);
  p.variants = {{"quern", [=] { *result = quern::sum(exec, quern::files::npy_source<double, 1>(file->path)); }}};
  p.poison = [=] { *result = -1; };
  p.right = [=] { return std::abs(*result - exact) < 1e-12 * exact * std::sqrt(static_cast<double>(n)); };
  return p;
}

const bool registered = [] {
  bench::add({"chunked/sum/pinned", {1'000'000, 100'000'000, 500'000'000}, 1000, sum<pinned>});
  bench::add({"chunked/sum/pageable", {100'000'000}, 1000, sum<pageable>});
  bench::add({"chunked/map/pinned", {1'000'000, 100'000'000, 300'000'000}, 1000, map<pinned>});
  bench::add({"chunked/map/pageable", {100'000'000}, 1000, map<pageable>});
  bench::add({"chunked/vector_add/pinned", {1'000'000, 100'000'000}, 1000, vector_add<pinned>});
  bench::add({"chunked/vector_add/pageable", {100'000'000}, 1000, vector_add<pageable>});
  bench::add({"chunked/laplacian/pinned", {512}, 20, laplacian});
  bench::add({"files/read", {100'000'000}, 1000, read_file});
  bench::add({"files/sum", {100'000'000}, 1000, sum_of_file});
  return true;
}();

}  // namespace
