// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files as sources and sinks, larger than the memory that operations may take.

#include <files/folder.hpp>
#include <quern/chunked.hpp>
#include <support/testing.hpp>

namespace {

namespace fs = std::filesystem;
namespace chunked = quern::chunked;
using Kokkos::LayoutRight;
using quern::files::FileError;

template <class Exec>
struct FileStreams : testing::Test {
  FileStreams() {
    std::string name = (fs::temp_directory_path() / "quern-chunks-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~FileStreams() override { fs::remove_all(folder); }
  std::string path(const std::string& name) const { return folder / name; }
  std::size_t files() const { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }
  fs::path folder;
};
TYPED_TEST_SUITE(FileStreams, test::all_spaces);

quern::chunking memory(std::size_t bytes) {
  quern::chunking o;
  o.memory = bytes;
  return o;
}

struct half_sum {
  KOKKOS_FUNCTION double operator()(double a, float b) const { return 0.5 * (a + static_cast<double>(b)); }
};
struct around {
  template <class Window>
  KOKKOS_FUNCTION auto operator()(const Window& w) const {
    return w(-1, 0) + 2 * w(1, 0) + 3 * w(0, 1) - w(0, -1);
  }
};

TYPED_TEST(FileStreams, FromFileToFile) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 2> extents{211, 37};
  const std::int64_t n = extents[0] * extents[1];
  const auto a = test::samples<double>(n, 1);
  const auto b = test::samples<float>(n, 2);
  const auto va = test::make_array<double, 2, LayoutRight, E>(extents, a);
  const auto expected = test::make_array<double, 2, LayoutRight, E>(extents);
  quern::map(exec, expected, half_sum(), va, test::make_array<float, 2, LayoutRight, E>(extents, b));
  quern::files::write_npy(this->path("a.npy"), va);
  quern::files::write_raw(this->path("b.bin"), test::make_array<float, 2, LayoutRight, E>(extents, b));
  const auto source = quern::files::npy_source<double, 2>(this->path("a.npy"));
  const auto o = memory(3 * 20 * 37 * 20);
  quern::map(exec, quern::files::npy_sink<double>(this->path("c.npy"), {211, 37}), half_sum(), o, source,
             quern::files::raw_source<float>(this->path("b.bin"), {211, 37}));
  const auto c = quern::files::load_npy<Kokkos::View<double**, LayoutRight, Kokkos::HostSpace>>(this->path("c.npy"));
  EXPECT_EQ(test::contents(expected), test::contents(c));

  EXPECT_EQ(quern::sum(exec, va, quern::reproducible), quern::sum(exec, source, quern::reproducible, o));
  EXPECT_EQ(quern::argmax(exec, va), quern::argmax(exec, source, o));
  quern::fill(exec, expected, 0.0);
  quern::stencil<quern::star<1>>(exec, expected, around(), quern::boundary::keep, va);
  quern::stencil<quern::star<1>>(exec, quern::files::raw_sink<double>(this->path("d.bin"), {211, 37}), around(),
                                 quern::boundary::keep, o, source);
  quern::files::read_raw(this->path("d.bin"), c);
  EXPECT_EQ(test::contents(expected), test::contents(c));
  EXPECT_EQ(4u, this->files()) << "a, b, c and d, and nothing unfinished";
}

// Fortran order is cut along the last axis, and beside C order read in rows.
TYPED_TEST(FileStreams, FortranOrder) {
  using E = TypeParam;
  const E exec{};
  const std::array<std::int64_t, 3> extents{13, 7, 41};
  const std::int64_t n = extents[0] * extents[1] * extents[2];
  const auto a = test::samples<double>(n, 1);
  const auto left = test::make_array<double, 3, Kokkos::LayoutLeft, E>(extents, a);
  const auto right = test::make_array<double, 3, LayoutRight, E>(extents, a);
  quern::files::write_npy(this->path("left.npy"), left);
  quern::files::write_npy(this->path("right.npy"), right);
  const auto source = quern::files::npy_source<double, 3>(this->path("left.npy"));
  const auto other = quern::files::npy_source<double, 3>(this->path("right.npy"));
  const auto o = memory(3 * 6 * 13 * 41 * 8 * 3);
  EXPECT_EQ(quern::argmin(exec, left), quern::argmin(exec, source, o));
  EXPECT_EQ(quern::sum(exec, left), quern::sum(exec, source, o));
  const auto sums = test::make_array<double, 2, LayoutRight, E>({13, 7}),
             expected = test::make_array<double, 2, LayoutRight, E>({13, 7});
  quern::sum(exec, sums, source, quern::axis{2}, o);
  quern::sum(exec, expected, left, quern::axis{2});
  EXPECT_EQ(test::contents(expected), test::contents(sums));
  const auto twice = test::make_array<double, 3, Kokkos::LayoutLeft, Kokkos::DefaultHostExecutionSpace>(extents);
  quern::map(exec, quern::files::npy_sink<double>(this->path("sum.npy"), {13, 7, 41}, true),
             quern::impl::plus<double>(), o, source, other);
  quern::files::read_npy(this->path("sum.npy"), twice);
  std::vector<double> doubled(a);
  for (auto& v : doubled) v *= 2;
  EXPECT_EQ(doubled, test::contents(twice));
  // Over all elements a scan goes by rows.
  const auto scan = test::make_array<double, 3, LayoutRight, E>(extents);
  quern::cumsum(exec, scan, left);
  quern::cumsum(exec, quern::files::npy_sink<double>(this->path("scan.npy"), {13, 7, 41}), source, o);
  quern::files::read_npy(this->path("scan.npy"), twice);
  EXPECT_EQ(test::contents(scan), test::contents(twice));
  {
    const test::with_gaps none(test::gaps::none);  // only what is contiguous is written in this order
    quern::files::write_npy(this->path("flat.npy"), test::make_array<double, 2, Kokkos::LayoutLeft, E>({91, 41}, a));
  }
  const auto smooth = test::make_array<double, 2, Kokkos::LayoutLeft, E>({91, 41});
  quern::stencil<quern::star<1>>(exec, smooth, around(), quern::boundary::wrap,
                                 test::make_array<double, 2, Kokkos::LayoutLeft, E>({91, 41}, a));
  const auto found = test::make_array<double, 2, LayoutRight, Kokkos::DefaultHostExecutionSpace>({91, 41});
  quern::stencil<quern::star<1>>(exec, quern::files::npy_sink<double>(this->path("smooth.npy"), {91, 41}, true),
                                 around(), quern::boundary::wrap, memory(3 * 91 * 8 * 2 * 5),
                                 quern::files::npy_source<double, 2>(this->path("flat.npy")));
  quern::files::read_npy(this->path("smooth.npy"), found);
  EXPECT_EQ(test::contents(smooth), test::contents(found));
}

std::int64_t status_bytes(const std::string& wanted) {
  std::ifstream status("/proc/self/status");
  std::string key, rest;
  for (std::int64_t kilobytes; status >> key; std::getline(status, rest))
    if (key == wanted && status >> kilobytes) return kilobytes * 1024;
  return 0;
}

/// Values that no two neighbours share.
struct counted {
  KOKKOS_FUNCTION float operator()(const Kokkos::Array<std::int64_t, 2>& at) const {
    return static_cast<float>((at[0] * 1000 + at[1]) % 1021);
  }
};

TYPED_TEST(FileStreams, TenTimesTheMemory) {
  using E = TypeParam;
  const E exec{};
  constexpr std::int64_t budget = 12'000'000, rows = 30'000, columns = 1000;  // of 120 MB
  const auto o = memory(budget);
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew
  const std::int64_t before = status_bytes("VmRSS:");
  quern::map(exec, quern::files::npy_sink<float>(this->path("big.npy"), {rows, columns}), counted(), o,
             quern::positions());
  const auto source = quern::files::npy_source<float, 2>(this->path("big.npy"));
  const double sum = quern::sum<double>(exec, source, o);
  quern::map(exec, quern::files::npy_sink<float>(this->path("half.npy"), {rows, columns}), half_sum(), o, source, 1.0f);
  const std::int64_t peak = status_bytes("VmHWM:");
  double expected = 0;
  for (std::int64_t k = 0; k < rows * columns; ++k) expected += static_cast<double>(k % 1021);
  EXPECT_EQ(expected, sum);
  EXPECT_EQ(0.5 * (expected + rows * columns),
            quern::sum<double>(exec, quern::files::npy_source<float, 2>(this->path("half.npy")), o));
  if (!quern::impl::is_device<E> && before > 0) {
    // The buffers, by an eighth larger in the pool, and for three operations; threads and their stacks.
    EXPECT_LT(peak - before, 3 * budget / 8 * 9 + 8'000'000);
    EXPECT_LT(peak - before, rows * columns * 4 / 2);
  }
}

TYPED_TEST(FileStreams, ShrinkWhileTheyAreRead) {
  const TypeParam exec;
  const Kokkos::View<double**, LayoutRight, Kokkos::HostSpace> ones("ones", 100, 10);
  Kokkos::deep_copy(ones, 1.0);
  quern::files::write_npy(this->path("a.npy"), ones);
  const auto source = quern::files::npy_source<double, 2>(this->path("a.npy"));
  quern::chunking o = memory(3 * 800 * 2);
  o.on_progress = [&](const chunked::progress& p) {
    if (p.chunks_done == 2) fs::resize_file(this->path("a.npy"), 128 + 4000);
  };
  try {
    quern::map(exec, quern::files::npy_sink<double>(this->path("b.npy"), {100, 10}), half_sum(), o, source, 0.0f);
    ADD_FAILURE() << "no error";
  } catch (const chunked::ChunkError& e) {
    EXPECT_NE(nullptr, std::strstr(e.what(), "quern::map: chunk 5 of 10 (")) << e.what();
    EXPECT_NE(nullptr, std::strstr(e.what(), "a.npy, bytes 4128 to 4927): ")) << e.what();
    EXPECT_NE(nullptr, std::strstr(e.what(), "ends at byte 4128")) << e.what();
    EXPECT_THROW(std::rethrow_if_nested(e), FileError);
  }
  EXPECT_EQ(1u, this->files()) << "nothing under the final name, and nothing unfinished";
  EXPECT_THROW((quern::files::npy_source<double, 2>(this->path("a.npy"))), FileError);
  EXPECT_THROW((quern::files::npy_source<double, 3>(this->path("a.npy"))), FileError);
}

TYPED_TEST(FileStreams, StopAtAFullDisk) {
  if (!fs::exists("/dev/full")) {
    ASSERT_EQ(nullptr, std::getenv("CI")) << "there is no /dev/full";
    GTEST_SKIP() << "this system has no /dev/full";
  }
  const TypeParam exec;
  const auto ones = chunked::reader<double>(
      {100, 10}, [](std::int64_t, std::int64_t n, double* to) { std::fill_n(to, n * 10, 1.0); });
  EXPECT_THROW(
      quern::map(exec, quern::files::raw_sink<double>("/dev/full", {100, 10}), half_sum(), memory(4800), ones, 0.0f),
      std::runtime_error);
}

// An array without elements is a file, in place of an earlier one.
TYPED_TEST(FileStreams, WithoutElements) {
  using E = TypeParam;
  const E exec{};
  int number = 0;
  const auto expect_empty = [&](std::size_t rows, std::size_t columns, const auto& f) {
    const std::string npy = this->path(std::to_string(number) + ".npy");
    const std::string raw = this->path(std::to_string(number++) + ".bin");
    for (const auto& name : {npy, raw}) test::write_bytes(name, "earlier");
    const auto reads = chunked::reader<double>(
        {rows, columns}, [](std::int64_t, std::int64_t, double*) { ADD_FAILURE() << "nothing is to be read"; });
    f(quern::files::npy_sink<double>(npy, {rows, columns}), reads);
    f(quern::files::raw_sink<double>(raw, {rows, columns}), reads);
    const auto v = quern::files::load_npy<Kokkos::View<double**, Kokkos::HostSpace>>(npy);
    EXPECT_EQ(rows, v.extent(0));
    EXPECT_EQ(columns, v.extent(1));
    EXPECT_EQ(0u, fs::file_size(raw)) << raw;
#ifdef QUERN_TEST_HDF5
    f(quern::files::hdf5_sink<double>(this->path("a.h5"), npy, {rows, columns}, {.compression = 1}), reads);
    EXPECT_EQ((quern::shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}),
              quern::files::Hdf5File(this->path("a.h5")).info(npy).extents);
#endif
  };
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{0, 4}, {4, 0}, {0, 0}}) {
    const auto both = [&, n = rows, m = columns](const auto& f) { expect_empty(n, m, f); };
    both([&](const auto& out, const auto& in) { quern::map(exec, out, half_sum(), in, 1.0f); });
    both([&](const auto& out, const auto& in) {
      quern::stencil<quern::star<1>>(exec, out, around(), quern::boundary::keep, in);
    });
    both([&](const auto& out, const auto& in) { quern::cumsum(exec, out, in); });
    both([&](const auto& out, const auto& in) { quern::cumsum(exec, out, in, quern::axis{1}); });
    both([&](const auto& out, const auto& in) { quern::cumprod(exec, out, in, quern::axis{0}); });
    both([&](const auto& out, const auto& in) {
      quern::inclusive_scan(exec, out, quern::impl::plus<double>(), 0.0, in);
    });
    both([&](const auto& out, const auto& in) {
      quern::exclusive_scan(exec, out, quern::impl::plus<double>(), 0.0, in);
    });
    both([&](const auto& out, const auto& in) {
      chunked::for_each_chunk(
          exec, [](const E&, const chunked::chunk_info&, const auto&, const auto&) { ADD_FAILURE() << "no chunk"; }, in,
          out);
    });
  }
  test::write_bytes(this->path("b.npy"), "earlier");
  quern::files::convert(this->path("0.npy"), this->path("b.npy"));
  EXPECT_EQ(test::read_bytes(this->path("0.npy")), test::read_bytes(this->path("b.npy")));
}

TYPED_TEST(FileStreams, SinksServeOneOperation) {
  const TypeParam exec;
  const auto ones = chunked::reader<double>(
      {100, 10}, [](std::int64_t, std::int64_t n, double* to) { std::fill_n(to, n * 10, 1.0); });
  const auto expect_once = [&](const std::string& name, const auto& sink) {
    // What is refused before anything is written leaves the sink as it is.
    EXPECT_THROW(quern::map(exec, sink, half_sum(), memory(10), ones, 1.0f), quern::Error);
    quern::map(exec, sink, half_sum(), ones, 1.0f);
    test::expect_error("quern::cumsum: the sink " + name + " was used before; a sink serves one operation",
                       [&] { quern::cumsum(exec, sink, ones); });
  };
  expect_once(this->path("a.npy"), quern::files::npy_sink<double>(this->path("a.npy"), {100, 10}));
  expect_once(this->path("a.bin"), quern::files::raw_sink<double>(this->path("a.bin"), {100, 10}));
#ifdef QUERN_TEST_HDF5
  expect_once(this->path("a.h5") + ": u", quern::files::hdf5_sink<double>(this->path("a.h5"), "u", {100, 10}));
#endif
  const auto twice = quern::files::npy_sink<double>(this->path("b.npy"), {100, 10});
  test::expect_error("quern::chunked::for_each_chunk: the sink " + this->path("b.npy") +
                         " was used before; a sink serves one operation",
                     [&] {
                       chunked::for_each_chunk(
                           exec, [](const auto&, const chunked::chunk_info&, const auto&, const auto&) {}, {}, twice,
                           twice);
                     });
}

}  // namespace
