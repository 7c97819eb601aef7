// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files of NumPy: those that tools/numpy_files.py has written are read, and what is written is compared with them byte
// by byte. Then damaged ones.

#include <unistd.h>

#include <cmath>
#include <files/folder.hpp>
#include <limits>
#include <quern/map.hpp>
#include <support/testing.hpp>

namespace {

namespace fs = std::filesystem;
using quern::files::FileError;
using host_cube = Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace>;

using test::data, test::expect_file_error, test::folder, test::read_bytes, test::write_bytes;

/// Element k of the test files in row-major order.
template <class T>
T expected(std::int64_t k) {
  if constexpr (std::is_same_v<T, bool>) return k % 2 == 1;
  else if constexpr (quern::impl::is_complex<T>) {
    using real = typename T::value_type;
    return T(static_cast<real>(k), static_cast<real>(-2 * k));
  } else return static_cast<T>(k);
}

template <class T>
void check_type(const std::string& name) {
  using cube = Kokkos::View<T***, Kokkos::LayoutRight, Kokkos::HostSpace>;
  for (const std::string& file : {name + ".npy", name + "_big.npy"}) {
    if (!fs::exists(data(file))) continue;
    const auto info = quern::files::npy_info(data(file));
    EXPECT_EQ(name, info.type.str());
    const auto v = quern::files::load_npy<cube>(data(file));
    ASSERT_EQ(24u, v.size());
    for (std::int64_t k = 0; k < 24; ++k) EXPECT_EQ(expected<T>(k), v.data()[k]) << file << " " << k;
  }
  // What is written is what NumPy writes.
  const folder f;
  const cube v("v", 2, 3, 4);
  for (std::int64_t k = 0; k < 24; ++k) v.data()[k] = expected<T>(k);
  quern::files::write_npy(f / "x.npy", v);
  EXPECT_EQ(read_bytes(data(name + ".npy")), read_bytes(f / "x.npy")) << name;
}

TEST(Npy, AllTypesAsNumpyWritesThem) {
  check_type<bool>("bool");
  check_type<std::int8_t>("int8");
  check_type<std::int16_t>("int16");
  check_type<std::int32_t>("int32");
  check_type<std::int64_t>("int64");
  check_type<std::uint8_t>("uint8");
  check_type<std::uint16_t>("uint16");
  check_type<std::uint32_t>("uint32");
  check_type<std::uint64_t>("uint64");
  check_type<float>("float32");
  check_type<double>("float64");
  check_type<Kokkos::complex<float>>("complex64");
  check_type<Kokkos::complex<double>>("complex128");
  for (const char* name : {"float16.npy", "float16_big.npy"}) {
    const auto v = quern::files::load_npy<host_cube>(data(name));
    for (int k = 0; k < 24; ++k) EXPECT_EQ(k, v.data()[k]);
  }
}

// Every number of 16 bits; NumPy's values of some follow from the format.
TEST(Npy, HalfPrecision) {
  const folder f;
  std::string bytes = read_bytes(data("float16.npy")).substr(0, 128);
  bytes.replace(bytes.find("(2, 3, 4)"), 9, "(65536,) ");
  for (int k = 0; k < 65536; ++k) bytes += {static_cast<char>(k & 0xff), static_cast<char>(k >> 8)};
  write_bytes(f / "half.npy", bytes);
  const auto v = quern::files::load_npy<Kokkos::View<double*, Kokkos::HostSpace>>(f / "half.npy");
  for (int k = 0; k < 65536; ++k) {
    const int exponent = k >> 10 & 31, fraction = k & 1023;
    const double sign = k < 32768 ? 1 : -1;
    if (exponent == 31 && fraction != 0) EXPECT_NE(v(k), v(k)) << k;
    else if (exponent == 31) EXPECT_EQ(sign * std::numeric_limits<double>::infinity(), v(k));
    else
      EXPECT_EQ(sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25)), v(k))
          << k;
  }
}

TEST(Npy, OrdersVersionsAndRanks) {
  const auto fortran = quern::files::load_npy<host_cube>(data("fortran.npy"));
  EXPECT_EQ(23.0, fortran(1, 2, 3));
  EXPECT_EQ(6.0, fortran(0, 1, 2));
  EXPECT_EQ(17, (quern::files::load_npy<Kokkos::View<int***, Kokkos::HostSpace>>(data("version2.npy"))(1, 1, 1)));
  EXPECT_EQ(17, (quern::files::load_npy<Kokkos::View<int***, Kokkos::HostSpace>>(data("version3.npy"))(1, 1, 1)));
  EXPECT_EQ(2.5, quern::files::load_npy<Kokkos::View<double>>(data("scalar.npy")).extent(0) == 1 ? 2.5 : 0);
  const auto vector = quern::files::load_npy<Kokkos::View<float*, Kokkos::HostSpace>>(data("vector.npy"));
  EXPECT_EQ(4.0f, vector(4));
  EXPECT_EQ(0u, (quern::files::load_npy<Kokkos::View<double**>>(data("empty.npy")).extent(0)));
  const folder f;
  quern::files::write_npy(f / "x", vector);
  EXPECT_EQ(read_bytes(data("vector.npy")), read_bytes(f / "x"));
  const Kokkos::View<double, Kokkos::HostSpace> scalar("scalar");
  scalar() = 2.5;
  quern::files::write_npy(f / "y", scalar);
  EXPECT_EQ(read_bytes(data("scalar.npy")), read_bytes(f / "y"));
  const Kokkos::View<double***, Kokkos::LayoutLeft, Kokkos::HostSpace> left("left", 2, 3, 4);
  quern::files::read_npy(data("float64.npy"), left);
  quern::files::write_npy(f / "z", left);
  EXPECT_EQ(read_bytes(data("fortran.npy")), read_bytes(f / "z"));
}

TEST(Npz, StoredAndCompressed) {
  EXPECT_EQ((std::vector<std::string>{"u", "v"}), quern::files::npz_names(data("stored.npz")));
  const auto u = quern::files::load_npz<host_cube>(data("stored.npz"), "u");
  EXPECT_EQ(23.0, u(1, 2, 3));
  EXPECT_EQ(6.0, (quern::files::load_npz<Kokkos::View<float*, Kokkos::HostSpace>>(data("stored.npz"), "v")(6)));
  expect_file_error("has no array 'w'; it has: u, v", [] { (void)quern::files::npz_info(data("stored.npz"), "w"); });
#ifdef QUERN_TEST_ZLIB
  const auto c = quern::files::load_npz<host_cube>(data("compressed.npz"), "u");
  EXPECT_EQ(6.0, c(0, 1, 2));
  const auto n = quern::files::load_npz<Kokkos::View<std::int64_t*, Kokkos::HostSpace>>(data("compressed.npz"), "long");
  ASSERT_EQ(100000u, n.size());
  for (int k = 0; k < 100000; ++k) ASSERT_EQ(k % 1000, n(k));
#else
  expect_file_error("built without zlib", [] { (void)quern::files::npz_info(data("compressed.npz"), "u"); });
#endif
}

template <class Case>
struct FilesOn : testing::Test {};
using file_cases = test::covering<double, std::int8_t, Kokkos::complex<double>>;
TYPED_TEST_SUITE(FilesOn, file_cases);

// Views of every layout and memory go to a file and come back; what lies between their elements stays.
TYPED_TEST(FilesOn, RoundTrips) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  const folder f;
  for (const auto& extents : {std::array<std::int64_t, 3>{3, 5, 7}, {0, 3, 4}, {1, 1, 1}, {17, 300, 211}}) {
    const std::int64_t n = extents[0] * extents[1] * extents[2];
    const auto values = test::samples<T>(n, 5);
    const auto u = test::make_array<T, 3, L, E>(extents, values);
    const auto v = test::make_array<T, 3, L, E>(extents, std::vector<T>(n));
    quern::files::write_npy(f / "u.npy", u);
    quern::files::read_npy(f / "u.npy", v);
    EXPECT_EQ(values, test::contents(v));
    const auto w = test::make_array<T, 3, Kokkos::LayoutLeft, E>(extents, std::vector<T>(n));
    quern::files::write_raw(f / "u.bin", u);
    EXPECT_EQ(n * sizeof(T), fs::file_size(f / "u.bin"));
    quern::files::read_raw(f / "u.bin", w);
    EXPECT_EQ(values, test::contents(w));
  }
}

TEST(Files, ConvertOnlyWhatCanBeHeld) {
  const Kokkos::View<int***, Kokkos::HostSpace> integers("integers", 2, 3, 4);
  expect_file_error("holds float64, which cannot be read as int32",
                    [&] { quern::files::read_npy(data("float64.npy"), integers); });
  const host_cube reals("reals", 2, 3, 4);
  expect_file_error("holds complex64, which cannot be read as float64",
                    [&] { quern::files::read_npy(data("complex64.npy"), reals); });
  quern::files::read_npy(data("int16_big.npy"), reals);
  EXPECT_EQ(23.0, reals(1, 2, 3));
  const Kokkos::View<Kokkos::complex<double>***, Kokkos::HostSpace> complex("complex", 2, 3, 4);
  quern::files::read_npy(data("uint8.npy"), complex);
  EXPECT_EQ(Kokkos::complex<double>(23), complex(1, 2, 3));
}

TEST(Files, ReportWhatIsWrong) {
  const folder f;
  const host_cube u("u", 2, 3, 4);
  expect_file_error("none.npy: cannot be opened: No such file", [&] { quern::files::read_npy(f / "none.npy", u); });
  expect_file_error("has extents (2, 3, 4), and out of quern::files::read_npy (2, 3, 5)",
                    [&] { quern::files::read_npy(data("float64.npy"), host_cube("v", 2, 3, 5)); });
  expect_file_error("was asked for rank 2",
                    [&] { (void)quern::files::load_npy<Kokkos::View<double**>>(data("float64.npy")); });
  expect_file_error("the dtype '|O'", [&] { (void)quern::files::npy_info(data("objects.npy")); });
  expect_file_error("a structured dtype", [&] { (void)quern::files::npy_info(data("records.npy")); });
  expect_file_error("the dtype '<U2'", [&] { (void)quern::files::npy_info(data("strings.npy")); });
  expect_file_error("is not a regular file", [&] { quern::files::read_npy("/dev/null", u); });
  expect_file_error("is not a .npz file", [&] { (void)quern::files::npz_names(data("float64.npy")); });
  expect_file_error("is not a .npy file", [&] { (void)quern::files::npy_info(data("stored.npz")); });
  expect_file_error("cannot be written: No such file", [&] { quern::files::write_npy(f / "none/u.npy", u); });
}

/// A file of the given header, without elements.
std::string with_header(const std::string& text, int version = 1) {
  std::string h("\x93NUMPY");
  h += static_cast<char>(version);
  h += '\0';
  h += static_cast<char>(text.size() & 0xff);
  h += static_cast<char>(text.size() >> 8);
  if (version > 1) h += std::string(2, '\0');
  return h + text;
}

TEST(Files, RefuseDamagedHeaders) {
  const folder f;
  const auto expect_refused = [&](const std::string& part, const std::string& bytes) {
    write_bytes(f / "x.npy", bytes);
    expect_file_error(part,
                      [&] { (void)quern::files::load_npy<Kokkos::View<double**, Kokkos::HostSpace>>(f / "x.npy"); });
  };
  const std::string whole = read_bytes(data("float64.npy"));
  for (std::size_t n : {0, 5, 9, 50}) expect_refused("is truncated within its header", whole.substr(0, n));
  for (std::size_t n : {128, 129, 200, 319}) expect_refused("is truncated", whole.substr(0, n));
  expect_refused("version 9", with_header("{}", 9));
  expect_refused("no descr, fortran_order or shape", with_header("{}"));
  expect_refused("no '{'", with_header("[]"));
  const std::string type = "{'descr': '<f8', 'fortran_order': False, 'shape': ";
  expect_refused("is truncated: it has", with_header(type + "(4611686018427387903, 1)}"));
  expect_refused("extents of more than 64 bits", with_header(type + "(9223372036854775807, 3)}"));
  expect_refused("an extent of more than 64 bits", with_header(type + "(99223372036854775807, 3)}"));
  expect_refused("no extent", with_header(type + "(-1, 3)}"));
  expect_refused("more than 8 axes", with_header(type + "(1,1,1,1,1,1,1,1,1)}"));
  expect_refused("a string without an end", with_header("{'descr"));
  expect_refused("no True or False", with_header("{'fortran_order': 1}"));
  expect_refused("the key 'x'", with_header("{'x': 1}"));
  expect_refused("the dtype '<f3'", with_header("{'descr': '<f3', 'fortran_order': False, 'shape': ()}"));
  expect_refused("has a header of", std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12) + std::string(99, ' '));
}

TEST(Files, RefuseDamagedArchives) {
  const folder f;
  const std::string whole = read_bytes(data("stored.npz"));
  const auto load = [&] { (void)quern::files::load_npz<host_cube>(f / "x.npz", "u"); };
  std::string changed = whole;
  changed[200] = static_cast<char>(changed[200] ^ 1);  // an element
  write_bytes(f / "x.npz", changed);
  expect_file_error("its checksum is not that of the archive", load);
  write_bytes(f / "x.npz", whole.substr(0, whole.size() - 30));
  expect_file_error("is not a .npz file", load);
  // No change of a byte, and no cut, does more than an error.
  int refused = 0;
  for (const std::string& name : {std::string("stored.npz"), std::string("compressed.npz")}) {
    const std::string bytes = read_bytes(data(name));
    for (std::size_t k = 0; k < bytes.size(); k += 1 + bytes.size() / 400) {
      changed = bytes;
      changed[k] = static_cast<char>(changed[k] ^ (1 << k % 8));
      write_bytes(f / "x.npz", changed);
      try {
        load();
      } catch (const FileError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

// Two that write one file at a time do not mix.
TEST(Files, AreWrittenBesideEachOther) {
  const folder f;
  const auto numbers = [](double first) {
    const Kokkos::View<double*, Kokkos::HostSpace> v("v", 3);
    for (int i = 0; i < 3; ++i) v(i) = first + i;
    return v;
  };
  quern::files::write_npy(f / "1.npy", numbers(1));
  quern::files::write_npy(f / "2.npy", numbers(2));
  {
    quern::files::impl::output_file one(f / "a.npy"), two(f / "a.npy");
    for (auto* file : {&one, &two}) {
      const std::string bytes = read_bytes(f / (file == &one ? "1.npy" : "2.npy"));
      file->write(bytes.data(), static_cast<std::int64_t>(bytes.size()));
    }
    two.commit();
    EXPECT_EQ(read_bytes(f / "2.npy"), read_bytes(f / "a.npy"));
    one.commit();
    expect_file_error("cannot be committed", [&] { one.commit(); });
  }
  EXPECT_EQ(read_bytes(f / "1.npy"), read_bytes(f / "a.npy"));
  EXPECT_EQ((std::vector<std::string>{"1.npy", "2.npy", "a.npy"}), f.contents());
}

// Memory that is a folder holds files as any other, although it lies among the devices.
TEST(Files, AreReplacedInSharedMemory) {
  if (!std::filesystem::is_directory("/dev/shm")) GTEST_SKIP() << "there is no /dev/shm";
  const std::string name = "/dev/shm/quern-test-" + std::to_string(::getpid()) + ".npy";
  const Kokkos::View<double*, Kokkos::HostSpace> v("v", 3);
  for (const double value : {1.0, 2.0}) {
    Kokkos::deep_copy(v, value);
    quern::files::write_npy(name, v);
    EXPECT_EQ(value, quern::files::load_npy<decltype(v)>(name)(2));
  }
  std::filesystem::remove(name);
}

// A link stays one, and what it points to is replaced.
TEST(Files, AreWrittenThroughLinks) {
  const folder f;
  std::filesystem::create_directory(f / "far");
  const Kokkos::View<double*, Kokkos::HostSpace> v("v", 3);
  quern::files::write_npy(f / "far/a.npy", v);
  std::filesystem::create_symlink("far/a.npy", f / "a.npy");
  v(1) = 2;
  quern::files::write_npy(f / "a.npy", v);
  EXPECT_TRUE(std::filesystem::is_symlink(f / "a.npy"));
  EXPECT_EQ(2, quern::files::load_npy<decltype(v)>(f / "far/a.npy")(1));
  EXPECT_EQ((std::vector<std::string>{"a.npy", "far"}), f.contents());
  std::filesystem::create_symlink(f / "far/new.npy", f / "b.npy");
  std::filesystem::create_symlink("b.npy", f / "c.npy");
  quern::files::write_npy(f / "c.npy", v);
  EXPECT_TRUE(std::filesystem::is_symlink(f / "b.npy") && std::filesystem::is_symlink(f / "c.npy"));
  EXPECT_EQ(2, quern::files::load_npy<decltype(v)>(f / "far/new.npy")(1));
}

// An array that is not read does not hide the others.
TEST(Files, ListArraysOfAllTypes) {
  const auto all = quern::files::contents(data("mixed.npz"));
  ASSERT_EQ(4u, all.size());
  EXPECT_EQ("float64", all[0].info.type.str());
  EXPECT_EQ("", all[0].unread);
  EXPECT_EQ("the dtype '<U2'", all[1].unread);
  EXPECT_EQ("a structured dtype", all[2].unread);
  EXPECT_EQ("the dtype '|O'", all[3].unread);
  const folder f;
  quern::files::convert(data("mixed.npz"), f / "u.npy");  // the only one that can be read
  EXPECT_EQ(3.0, (quern::files::load_npy<Kokkos::View<double*, Kokkos::HostSpace>>(f / "u.npy")(3)));
  expect_file_error("the dtype '<U2', which cannot be read",
                    [&] { quern::files::convert(data("mixed.npz"), f / "v.npy", "names"); });
  expect_file_error("strings.npy: its header has the dtype '<U2'", [] { quern::files::contents(data("strings.npy")); });
}

TEST(Files, ListMembersThatCannotBeRead) {
  const folder f;
  const std::string whole = read_bytes(data("stored.npz"));
  const std::size_t entry = whole.find("PK\x01\x02");  // of u, in the directory
  const auto with = [&](std::size_t at, char value) {
    std::string changed = whole;
    changed[entry + at] = value;
    write_bytes(f / "x.npz", changed);
  };
  const auto check = [&](const std::string& unread) {
    const auto all = quern::files::contents(f / "x.npz");
    ASSERT_EQ(2u, all.size());
    EXPECT_EQ(unread, all[0].unread);
    EXPECT_EQ("", all[1].unread);
    EXPECT_EQ(6.0, (quern::files::load_npz<Kokkos::View<float*, Kokkos::HostSpace>>(f / "x.npz", "v")(6)));
    expect_file_error("u.npy: is " + unread + ", which cannot be read",
                      [&] { (void)quern::files::load_npz<host_cube>(f / "x.npz", "u"); });
  };
  with(10, 12);
  check("compressed by method 12 of zip");
  with(8, 1);
  check("encrypted");
}

TEST(Files, WriteToDevices) {
  const Kokkos::View<double*, Kokkos::HostSpace> u("u", 1000);
  quern::files::write_npy("/dev/null", u);
  if (fs::exists("/dev/full"))
    expect_file_error("No space left on device", [&] { quern::files::write_npy("/dev/full", u); });
}

}  // namespace
