// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// HDF5, or the message of builds without it.

#include <files/folder.hpp>
#include <limits>
#include <quern/chunked.hpp>
#include <quern/map.hpp>
#include <support/testing.hpp>

namespace {

namespace fs = std::filesystem;
using Kokkos::LayoutRight;
using quern::files::FileError;
using quern::files::Hdf5File;

struct Hdf5Files : testing::Test {
  Hdf5Files() {
    std::string name = (fs::temp_directory_path() / "quern-hdf5-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~Hdf5Files() override { fs::remove_all(folder); }
  std::string path(const std::string& name) const { return folder / name; }
  std::size_t files() const { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }
  fs::path folder;
};

using test::expect_file_error;

#ifndef QUERN_TEST_HDF5

TEST_F(Hdf5Files, SayWhatIsMissing) {
  expect_file_error("built without HDF5 (QUERN_ENABLE_HDF5)", [&] { Hdf5File file(path("a.h5")); });
  expect_file_error("built without HDF5 (QUERN_ENABLE_HDF5)", [&] { (void)Hdf5File::create(path("a.h5")); });
}

#else

template <class Case>
struct Hdf5On : Hdf5Files {};
using hdf5_cases = test::covering<double, std::int8_t, Kokkos::complex<double> >;
TYPED_TEST_SUITE(Hdf5On, hdf5_cases);

TYPED_TEST(Hdf5On, RoundTripsOfAllLayouts) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  using L = typename TypeParam::layout;
  for (const auto& extents : {std::array<std::int64_t, 3>{3, 5, 7}, {0, 3, 4}, {1, 1, 1}, {17, 300, 211}}) {
    const std::int64_t n = extents[0] * extents[1] * extents[2];
    const auto values = test::samples<T>(n, 5);
    const auto u = test::make_array<T, 3, L, E>(extents, values);
    const auto v = test::make_array<T, 3, Kokkos::LayoutLeft, E>(extents, std::vector<T>(n));
    auto file = Hdf5File::create(this->path("u.h5"));
    file.write("plain", u);
    file.write("group/inner/packed", u, {.compression = 4});
    file.commit();
    const Hdf5File read(this->path("u.h5"));
    EXPECT_EQ((std::vector<std::string>{"group/inner/packed", "plain"}), read.datasets());
    for (const auto& name : read.datasets()) {
      read.read(name, v);
      EXPECT_EQ(values, test::contents(v)) << name;
      EXPECT_EQ(quern::files::data_type_of<T>(), read.info(name).type);
    }
    if (n < 100) continue;
    // A part, read and written.
    const auto part = test::make_array<T, 3, L, E>({2, 3, 4}, std::vector<T>(24));
    read.read("group/inner/packed", part, {1, 2, 3});
    const auto found = test::contents(part);
    for (int k = 0; k < 24; ++k)
      EXPECT_EQ(values[((1 + k / 12) * extents[1] + 2 + k / 4 % 3) * extents[2] + 3 + k % 4], found[k]);
    expect_file_error("no part of extents (2, 3, 4) at (", [&] { read.read("plain", part, {extents[0] - 1, 0, 0}); });
    expect_file_error("no part", [&] { read.read("plain", part, {0, -1, 0}); });
  }
}

TEST_F(Hdf5Files, KeepAttributesAndConvert) {
  auto file = Hdf5File::create(path("a.h5"));
  const Kokkos::View<float**, Kokkos::HostSpace> u("u", 4, 3);
  u(3, 2) = 2.5f;
  file.write("u", u);
  file.set_attribute("/", "title", "a field");
  file.set_attribute("u", "time", 0.25);
  file.set_attribute("u", "time", 0.5);
  file.set_attribute("u", "step", std::int64_t(1) << 40);
  file.create_dataset<std::int16_t>("rows", quern::shape{5, 2});
  const Kokkos::View<std::int16_t**, Kokkos::HostSpace> row("row", 1, 2);
  row(0, 1) = 7;
  file.write_part("rows", row, {4, 0});
  file.commit();
  const Hdf5File read(path("a.h5"));
  EXPECT_EQ("a field", read.attribute<std::string>("/", "title"));
  EXPECT_EQ(0.5, read.attribute<double>("u", "time"));
  EXPECT_EQ(std::int64_t(1) << 40, read.attribute<std::int64_t>("u", "step"));
  EXPECT_EQ(2.5, (read.load<Kokkos::View<double**, Kokkos::HostSpace> >("u")(3, 2)));
  EXPECT_EQ(7, (read.load<Kokkos::View<int**, Kokkos::HostSpace> >("rows")(4, 1)));
  expect_file_error("holds float32, which cannot be read as int32",
                    [&] { (void)read.load<Kokkos::View<int**> >("u"); });
  expect_file_error("there is no dataset none", [&] { (void)read.info("none"); });
  expect_file_error("there is no attribute none", [&] { (void)read.attribute<double>("u", "none"); });
}

TEST_F(Hdf5Files, DamagedOrUnfinished) {
  const Kokkos::View<double*, Kokkos::HostSpace> u("u", 1000);
  {
    auto file = Hdf5File::create(path("a.h5"));
    file.write("u", u);
  }
  EXPECT_EQ(0u, files()) << "without commit nothing stays";
  auto file = Hdf5File::create(path("a.h5"));
  file.write("u", u);
  file.commit();
  expect_file_error("was committed", [&] { file.write("v", u); });
  fs::resize_file(path("a.h5"), fs::file_size(path("a.h5")) - 1000);
  expect_file_error("a.h5: cannot be opened as HDF5", [&] { Hdf5File broken(path("a.h5")); });
  std::ofstream(path("b.h5")) << "no HDF5";
  expect_file_error("b.h5: cannot be opened as HDF5", [&] { Hdf5File broken(path("b.h5")); });
  expect_file_error("cannot be written", [&] { (void)Hdf5File::create(path("none/a.h5")); });
}

struct doubled {
  KOKKOS_FUNCTION double operator()(double x) const { return 2 * x; }
};

TYPED_TEST(Hdf5On, Chunks) {
  using E = typename TypeParam::exec;
  const E exec{};
  const auto values = test::samples<double>(61 * 40, 1);
  const auto u = test::make_array<double, 2, LayoutRight, E>({61, 40}, values);
  auto file = Hdf5File::create(this->path("u.h5"));
  file.write("u", u, {.compression = 1});
  file.commit();
  quern::chunking o;
  o.memory = 3 * 40 * 8 * 2 * 7;
  const auto source = quern::files::hdf5_source<double, 2>(this->path("u.h5"), "u");
  EXPECT_EQ(quern::sum(exec, u, quern::reproducible), quern::sum(exec, source, o, quern::reproducible));
  quern::map(exec, quern::files::hdf5_sink<double>(this->path("v.h5"), "a/v", {61, 40}), doubled(), o, source);
  const auto v = Hdf5File(this->path("v.h5")).load<Kokkos::View<double**, Kokkos::HostSpace> >("a/v");
  for (int k = 0; k < 61 * 40; ++k) ASSERT_EQ(2 * values[k], v(k / 40, k % 40));
}

TEST_F(Hdf5Files, TimeSeries) {
  const Kokkos::View<double***, Kokkos::LayoutRight> u("u", 2, 3, 4);
  {
    quern::files::TimeSeries series(path("heat"), {0.5, 0.25, 0.125});
    series.write(0, "temperature", u);
    series.write(0, "a<b", Kokkos::View<std::int8_t***>("w", 2, 3, 4));
    series.write(0.5, "temperature", u);
    test::expect_error("quern::files::TimeSeries: the field temperature has extents (2, 3, 5), expected (2, 3, 4)",
                       [&] { series.write(1, "temperature", Kokkos::View<double***>("v", 2, 3, 5)); });
    test::expect_error("quern::files::TimeSeries: the time 0.25 is before the last, 0.5",
                       [&] { series.write(0.25, "temperature", u); });
  }
  EXPECT_EQ((std::vector<std::string>{"000000/a<b", "000000/temperature", "000001/temperature"}),
            Hdf5File(path("heat.h5")).datasets());
  std::ifstream xdmf(path("heat.xdmf"));
  const std::string text{std::istreambuf_iterator<char>(xdmf), {}};
  for (const char* part :
       {"<Time Value=\"0.5\"/>", "3DCoRectMesh\" Dimensions=\"2 3 4\"", "heat.h5:/000001/temperature",
        "Name=\"a&lt;b\"", "NumberType=\"Char\" Precision=\"1\"", ">0.5 0.25 0.125<"})
    EXPECT_NE(std::string::npos, text.find(part)) << part;
  EXPECT_EQ(2u, files());
}

TEST_F(Hdf5Files, TimeSeriesRejectWhatViewersCannotRead) {
  const Kokkos::View<double**, LayoutRight> u("u", 2, 3);
  const std::string label = "quern::files::TimeSeries: ";
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::ofstream(path("a.h5")) << "earlier";
  test::expect_error(label + "spacing has 1 numbers and origin 1, expected 2 or 3 of each",
                     [&] { quern::files::TimeSeries(path("a"), {1}); });
  test::expect_error(label + "spacing has nan; distances must be finite and not 0",
                     [&] { quern::files::TimeSeries(path("a"), {1, nan}); });
  test::expect_error(label + "spacing has 0; distances must be finite and not 0",
                     [&] { quern::files::TimeSeries(path("a"), {0, 1}); });
  test::expect_error(label + "origin has inf; coordinates must be finite",
                     [&] { quern::files::TimeSeries(path("a"), {1, 1}, {0, inf}); });
  test::expect_error(label + "the name of the series is empty", [&] { quern::files::TimeSeries(path(""), {1, 1}); });
  EXPECT_EQ("earlier", test::read_bytes(path("a.h5"))) << "what is rejected replaces nothing";
  quern::files::TimeSeries series(path("a"), {1, 1});
  EXPECT_EQ("earlier", test::read_bytes(path("a.h5"))) << "nor does what has no field yet";
  for (const double time : {nan, inf, -inf}) EXPECT_THROW(series.write(time, "u", u), quern::Error);
  test::expect_error(label + "the time is nan; it must be finite", [&] { series.write(nan, "u", u); });
  test::expect_error(label + "the name of a field is empty", [&] { series.write(0, "", u); });
  for (const char* name : {"a/b", "a:b", "a\nb", "/", ".", "..", " a", "a\t", "\x01", "\xff", "a\xc3"})
    EXPECT_THROW(series.write(0, name, u), quern::Error) << name;
  series.write(-1.5, "t\xc3\xabxt \"<&>'", u);
  test::expect_error(label + "the field u was written at the time -1.5", [&] {
    series.write(-1.5, "u", u);
    series.write(-1.5, "u", u);
  });
  series.write(1e-300, "u", u);
  EXPECT_EQ(3u, Hdf5File(path("a.h5")).datasets().size());
  const std::string text = test::read_bytes(path("a.xdmf"));
  EXPECT_NE(std::string::npos, text.find("Name=\"t\xc3\xabxt &quot;&lt;&amp;&gt;'\"")) << text;
  EXPECT_NE(std::string::npos, text.find("<Time Value=\"1e-300\"/>")) << text;
}

// What is refused before anything is written does not end a series.
TEST_F(Hdf5Files, TimeSeriesOutliveMistakes) {
  const Kokkos::View<double**, Kokkos::HostSpace> u("u", 3, 4);
  quern::files::TimeSeries series(path("a"), {1, 1});
  for (const int level : {-1, 10}) EXPECT_THROW(series.write(0, "u", u, {.compression = level}), quern::Error) << level;
  series.write(0, "u", u, {.compression = 9});
  EXPECT_THROW(series.write(1, "u", u, {.compression = 10}), quern::Error);
  series.write(1, "u", u);
  EXPECT_EQ((std::vector<std::string>{"000000/u", "000001/u"}), Hdf5File(path("a.h5")).datasets());
}

// The library of HDF5 would read a name up to its zero byte, and take another object or file.
TEST_F(Hdf5Files, NamesHaveNoZeroByte) {
  const std::string zero("u\0v", 3), name = path("a.h5");
  const Kokkos::View<double*, Kokkos::HostSpace> u("u", 3);
  auto file = Hdf5File::create(name);
  file.write("u", u);
  file.set_attribute("u", "u", 1);
  const std::string message = "the name 'u...' has a zero byte";
  expect_file_error(message, [&] { file.write(zero, u); });
  expect_file_error(message, [&] { file.write_part(zero, u, {0}); });
  expect_file_error(message, [&] { file.set_attribute("u", zero, 2); });
  expect_file_error(message, [&] { file.set_attribute(zero, "u", 2); });
  file.commit();
  const Hdf5File read(name);
  EXPECT_EQ(1, read.attribute<int>("u", "u"));
  expect_file_error(message, [&] { read.read(zero, u); });
  expect_file_error(message, [&] { (void)read.info(zero); });
  expect_file_error(message, [&] { (void)read.attribute<int>("u", zero); });
  expect_file_error(message, [&] { (void)read.attribute<int>(zero, "u"); });
  expect_file_error(message, [&] { (void)quern::files::hdf5_sink<double>(name, zero, {3}); });
  const std::string before = test::read_bytes(name), other = name + std::string("\0b", 2);
  const std::string of_file = "a.h5...' has a zero byte";
  expect_file_error(of_file, [&] { (void)Hdf5File(other); });
  expect_file_error(of_file, [&] { (void)Hdf5File::create(other); });
  expect_file_error(of_file, [&] { (void)quern::files::hdf5_sink<double>(other, "w", {3}); });
  expect_file_error(of_file, [&] { quern::files::write_npy(other, u); });
  expect_file_error(of_file, [&] { quern::files::write_raw(other, u); });
  expect_file_error(of_file, [&] { quern::files::read_npy(other, u); });
  EXPECT_TRUE(before == test::read_bytes(name));
  EXPECT_EQ(1u, files());
}

// A sink adds its dataset to a file, and two at a time do not lose one.
TEST_F(Hdf5Files, SinksKeepOtherDatasets) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto values = quern::chunked::reader<double>(
      {6}, [](std::int64_t first, std::int64_t n, double* to) { std::fill_n(to, n, static_cast<double>(first)); });
  for (const char* name : {"a", "b"})
    quern::map(exec, quern::files::hdf5_sink<double>(path("a.h5"), name, {6}), doubled(), values);
  EXPECT_EQ((std::vector<std::string>{"a", "b"}), Hdf5File(path("a.h5")).datasets());
  const auto c = quern::files::hdf5_sink<double>(path("a.h5"), "c", {6}),
             d = quern::files::hdf5_sink<double>(path("a.h5"), "d", {6});
  quern::map(exec, c, doubled(), values);
  try {
    quern::map(exec, d, doubled(), values);
    ADD_FAILURE() << "no error";
  } catch (const quern::chunked::ChunkError& e) {
    const std::string message = e.what();
    EXPECT_NE(std::string::npos, message.find("quern::map: an output cannot be completed: ")) << message;
    EXPECT_NE(std::string::npos, message.find("another file has this name")) << message;
    EXPECT_EQ(std::string::npos, message.find("chunk")) << message;
  }
  EXPECT_EQ((std::vector<std::string>{"a", "b", "c"}), Hdf5File(path("a.h5")).datasets());
  EXPECT_EQ(1u, files());
  fs::create_symlink("a.h5", path("link.h5"));
  quern::map(exec, quern::files::hdf5_sink<double>(path("link.h5"), "e", {6}), doubled(), values);
  EXPECT_TRUE(fs::is_symlink(path("link.h5")));
  EXPECT_EQ((std::vector<std::string>{"a", "b", "c", "e"}), Hdf5File(path("a.h5")).datasets());
}

#endif

}  // namespace
