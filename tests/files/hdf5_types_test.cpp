// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Datasets and attributes of every class of types that HDF5 has, as tools/hdf5_files.py has written them: each is read
// right, or refused by its name.

#include <hdf5.h>

#include <files/folder.hpp>
#include <functional>
#include <limits>
#include <quern/chunked.hpp>
#include <support/testing.hpp>

namespace {

using quern::files::Hdf5File;
using test::data, test::expect_file_error;
using complex = Kokkos::complex<double>;

const std::vector<std::pair<std::string, std::string>> numbers{{"bool", "bool"},
                                                               {"bool_turned", "bool"},
                                                               {"bool_int32", "bool"},
                                                               {"int8", "int8"},
                                                               {"int16", "int16"},
                                                               {"int16_big", "int16"},
                                                               {"int24", "int32"},
                                                               {"int32", "int32"},
                                                               {"int32_big", "int32"},
                                                               {"int64", "int64"},
                                                               {"int64_big", "int64"},
                                                               {"uint8", "uint8"},
                                                               {"uint16", "uint16"},
                                                               {"uint16_big", "uint16"},
                                                               {"uint32", "uint32"},
                                                               {"uint32_big", "uint32"},
                                                               {"uint64", "uint64"},
                                                               {"uint64_big", "uint64"},
                                                               {"float16", "float16"},
                                                               {"float16_big", "float16"},
                                                               {"bfloat16", "float32"},
                                                               {"float32", "float32"},
                                                               {"float32_big", "float32"},
                                                               {"float64", "float64"},
                                                               {"float64_big", "float64"},
                                                               {"complex64", "complex64"},
                                                               {"complex64_big", "complex64"},
                                                               {"complex128", "complex128"},
                                                               {"complex128_big", "complex128"}};

const std::vector<std::pair<std::string, std::string>> others{
    {"switch", "an enumeration (ON = 0, OFF = 1)"},
    {"inverted", "an enumeration (TRUE = 0, FALSE = 1)"},
    {"colour", "an enumeration (RED = 1, GREEN = 2, BLUE = -3)"},
    {"point", "a compound (x, y)"},
    {"point64", "a compound (real, imag)"},
    {"exchanged", "a compound (i, r)"},
    {"mixed", "a compound (r, i)"},
    {"gap", "a compound (r, i)"},
    {"integers", "a compound (r, i)"},
    {"record", "a compound (n, v)"},
    {"array", "arrays of extents (3) of float64"},
    {"int128", "integers of 128 bits"},
    {"float80", "floating-point numbers of 80 bits"},
    {"opaque", "opaque values of 5 bytes"},
    {"bits", "bit fields of 8 bits"},
    {"fixed_text", "text of 4 bytes"},
    {"text", "text of variable length"},
    {"sequence", "sequences of variable length of int32"},
    {"reference", "references"},
    {"region", "references"}};

complex element(const std::string& type, std::int64_t k) {
  const auto n = static_cast<double>(k + 1);
  if (type == "bool") return (k + 1) % 2;
  return type.starts_with("complex") ? complex(n, -2 * n) : complex(n);
}

template <class V>
void check_dataset(const Hdf5File& file, const std::string& name, const std::string& type) {
  EXPECT_EQ(type, file.info(name).type.str()) << name;
  const auto v = file.load<V>(name);
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_EQ(element(type, k), v.data()[k]) << name << " " << k;
}

TEST(Hdf5Types, NumbersAreRead) {
  using host = Kokkos::HostSpace;
  using Kokkos::LayoutRight;
  const Hdf5File file(data("types.h5"));
  for (const auto& [group, type] : numbers) {
    check_dataset<Kokkos::View<complex, LayoutRight, host>>(file, group + "/rank0", type);
    check_dataset<Kokkos::View<complex*, LayoutRight, host>>(file, group + "/rank1", type);
    check_dataset<Kokkos::View<complex**, LayoutRight, host>>(file, group + "/rank2", type);
    check_dataset<Kokkos::View<complex***, LayoutRight, host>>(file, group + "/rank3", type);
    EXPECT_EQ(element(type, 0), file.attribute<complex>(group, "rank0")) << group;
    EXPECT_EQ(element(type, 0), file.attribute<complex>(group, "one")) << group;
    const std::string cannot = type + ", which cannot be read as ";
    if (type.starts_with("complex")) {
      expect_file_error("the attribute rank0 holds " + cannot + "float64",
                        [&] { (void)file.attribute<double>(group, "rank0"); });
    } else {
      EXPECT_EQ(1.0, file.attribute<double>(group, "rank0")) << group;
      if (type.starts_with("float"))
        expect_file_error(cannot + "int64", [&] { (void)file.attribute<std::int64_t>(group, "one"); });
      else EXPECT_EQ(1, file.attribute<std::int8_t>(group, "one")) << group;
    }
    expect_file_error("is an array of 3 values", [&] { (void)file.attribute<double>(group, "rank1"); });
    expect_file_error("is an array of 6 values", [&] { (void)file.attribute<complex>(group, "rank2"); });
    expect_file_error("is an array of 12 values", [&] { (void)file.attribute<std::string>(group, "rank3"); });
    expect_file_error("which is not text", [&] { (void)file.attribute<std::string>(group, "rank0"); });
  }
}

TEST(Hdf5Types, OthersAreNamed) {
  const Hdf5File file(data("types.h5"));
  for (const auto& [group, type] : others) {
    for (const char* rank : {"rank0", "rank1", "rank2", "rank3"})
      expect_file_error("the dataset " + group + "/" + rank + " holds " + type + ", which cannot be read",
                        [&, name = group + "/" + rank] { (void)file.info(name); });
    for (const char* name : {"rank0", "one"}) {
      expect_file_error("the attribute " + std::string(name) + " holds " + type,
                        [&, n = name] { (void)file.attribute<double>(group, n); });
      expect_file_error(type, [&, n = name] { (void)file.attribute<complex>(group, n); });
      if (group.ends_with("text")) continue;
      expect_file_error(type + ", which is not text", [&, n = name] { (void)file.attribute<std::string>(group, n); });
    }
    for (const char* name : {"rank1", "rank2", "rank3"}) {
      expect_file_error(" values, and one was asked for", [&, n = name] { (void)file.attribute<double>(group, n); });
      expect_file_error(" values, and one was asked for",
                        [&, n = name] { (void)file.attribute<std::string>(group, n); });
    }
  }
}

TEST(Hdf5Types, TextsAreReadWhole) {
  const Hdf5File file(data("types.h5"));
  const auto text = [&](const std::string& object, const std::string& name) {
    return file.attribute<std::string>(object, name);
  };
  EXPECT_EQ("t\xc3\xabxt 1", text("text", "rank0"));
  EXPECT_EQ("t\xc3\xabxt 1", text("text", "one"));
  EXPECT_EQ(std::string("a\0b", 3), text("fixed_text", "rank0"));
  EXPECT_EQ("t\xc3\xabxt", text("/", "str"));
  EXPECT_EQ("abc", text("/", "ascii"));
  EXPECT_EQ(std::string("a\0bc", 4), text("/", "bytes"));
  EXPECT_EQ("", text("/", "nothing"));
  EXPECT_EQ("ab", text("/", "terminated"));
  EXPECT_EQ("a b", text("/", "spaces"));
  expect_file_error("the attribute thousand is an array of 1000 values", [&] { text("/", "thousand"); });
  expect_file_error("the attribute thousand_bytes is an array of 1000 values", [&] { text("/", "thousand_bytes"); });
}

TEST(Hdf5Types, EmptyOnesAreNotZero) {
  const Hdf5File file(data("types.h5"));
  for (const char* name : {"float", "text"}) {
    expect_file_error("the dataset empty/" + std::string(name) + " is empty",
                      [&, n = name] { (void)file.info("empty/" + std::string(n)); });
    expect_file_error("is empty", [&, n = name] { (void)file.attribute<double>("empty", n); });
    expect_file_error("is empty", [&, n = name] { (void)file.attribute<std::string>("empty", n); });
  }
  EXPECT_EQ(0u, (file.load<Kokkos::View<double**, Kokkos::HostSpace>>("empty/rows").extent(0)));
  expect_file_error("is an array of 0 values", [&] { (void)file.attribute<double>("empty", "rows"); });
}

TEST(Hdf5Types, IntegersOfAttributesAreTheirOwn) {
  const Hdf5File file(data("types.h5"));
  EXPECT_EQ(-(std::int64_t(1) << 40), file.attribute<std::int64_t>("/", "wide"));
  expect_file_error("the attribute wide holds a number, which cannot be read as int32",
                    [&] { (void)file.attribute<std::int32_t>("/", "wide"); });
  expect_file_error("as uint64", [&] { (void)file.attribute<std::uint64_t>("/", "wide"); });
  EXPECT_EQ(std::numeric_limits<std::uint64_t>::max(), file.attribute<std::uint64_t>("/", "large"));
  expect_file_error("as int64", [&] { (void)file.attribute<std::int64_t>("/", "large"); });
  expect_file_error("as uint32", [&] { (void)file.attribute<std::uint32_t>("/", "large"); });
  EXPECT_EQ(0x1p64, file.attribute<double>("/", "large"));
}

// One dataset that is not read does not hide the others.
TEST(Hdf5Types, ContentsListAll) {
  std::size_t unread = 0, read = 0;
  for (const auto& a : quern::files::contents(data("types.h5"))) {
    const std::string group = a.name.substr(0, a.name.find('/'));
    const auto is_group = [&](const auto& entry) { return entry.first == group; };
    if (const auto n = std::find_if(numbers.begin(), numbers.end(), is_group); n != numbers.end()) {
      EXPECT_EQ(n->second, a.info.type.str());
      EXPECT_EQ("", a.unread) << a.name;
      ++read;
    } else if (const auto o = std::find_if(others.begin(), others.end(), is_group); o != others.end()) {
      EXPECT_EQ(o->second, a.unread) << a.name;
      ++unread;
    } else {
      EXPECT_EQ(a.name == "empty/rows" ? "" : "empty", a.unread) << a.name;
    }
  }
  EXPECT_EQ(4 * numbers.size(), read);
  EXPECT_EQ(4 * others.size(), unread);
  const test::folder f;
  expect_file_error("holds text of variable length, which cannot be read",
                    [&] { quern::files::convert(data("types.h5"), f / "a.npy", "text/rank1"); });
  EXPECT_TRUE(f.contents().empty());
}

// What lies behind an external link is read, and never written.
TEST(Hdf5Links, LeaveOtherFilesAsTheyAre) {
  const test::folder f;
  const Kokkos::View<double*, Kokkos::HostSpace> v("v", 3);
  Kokkos::deep_copy(v, 1);
  for (const char* name : {"a.h5", "b.h5"}) {
    auto file = Hdf5File::create(f / name);
    file.write("fields/u", v);
    file.commit();
  }
  const hid_t file = H5Fopen((f / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  EXPECT_GE(H5Lcreate_external("b.h5", "/fields", file, "far", H5P_DEFAULT, H5P_DEFAULT), 0);
  EXPECT_GE(H5Fclose(file), 0);
  Kokkos::deep_copy(v, 2);
  quern::files::write_npy(f / "v.npy", v);
  for (const char* dataset : {"far/u", "far/w"})
    EXPECT_THROW(quern::files::convert(f / "v.npy", f / "a.h5", "", dataset), quern::files::FileError) << dataset;
  EXPECT_EQ(1, Hdf5File(f / "b.h5").load<decltype(v)>("fields/u")(0));
  EXPECT_EQ((std::vector<std::string>{"fields/u"}), Hdf5File(f / "b.h5").datasets());
  EXPECT_EQ(1, Hdf5File(f / "a.h5").load<decltype(v)>("far/u")(0));
}

// What h5py reads as a `str`: UTF-8 of variable length, whatever its own length.
TEST(Hdf5Types, TextsAreWrittenAsText) {
  const test::folder f;
  const std::vector<std::string> texts{"", "kelvin", "t\xc3\xabxt", std::string(100'000, 'x')};
  auto file = Hdf5File::create(f / "a.h5");
  for (std::size_t k = 0; k < texts.size(); ++k) file.set_attribute("/", "t" + std::to_string(k), texts[k]);
  test::expect_error(
      "quern::files::Hdf5File::set_attribute: the text of zero has a zero byte, which ends a text in HDF5",
      [&] { file.set_attribute("/", "zero", std::string("a\0b", 3)); });
  file.commit();
  const Hdf5File read(f / "a.h5");
  const hid_t opened = H5Fopen((f / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const std::string name = "t" + std::to_string(k);
    EXPECT_EQ(texts[k], read.attribute<std::string>("/", name));
    const hid_t attribute = H5Aopen(opened, name.c_str(), H5P_DEFAULT), type = H5Aget_type(attribute);
    EXPECT_GT(H5Tis_variable_str(type), 0);
    EXPECT_EQ(H5T_CSET_UTF8, H5Tget_cset(type));
    H5Tclose(type);
    H5Aclose(attribute);
  }
  EXPECT_EQ(0, H5Aexists(opened, "zero"));
  H5Fclose(opened);
}

std::vector<double> values_of(const std::string& path, const std::string& dataset) {
  const auto v = Hdf5File(path).load<Kokkos::View<double*, Kokkos::HostSpace>>(dataset);
  return {v.data(), v.data() + v.size()};
}

// A dataset is added to a file, or replaced, and the others stay; so do attributes, and groups of the dataset's name.
TEST(Hdf5Types, ConvertKeepsTheOthers) {
  const test::folder f;
  const auto numbers_from = [](double first) {
    const Kokkos::View<double*, Kokkos::HostSpace> v("v", 3);
    for (int i = 0; i < 3; ++i) v(i) = first + i;
    return v;
  };
  for (const int k : {1, 2, 3}) quern::files::write_npy(f / ("v" + std::to_string(k) + ".npy"), numbers_from(k));
  const std::string name = f / "a.h5";
  quern::files::convert(f / "v1.npy", name, "", "first");
  quern::files::convert(f / "v2.npy", name, "", "group/second", {.compression = 4});
  quern::files::convert(f / "v3.npy", name, "", "first");
  EXPECT_EQ((std::vector<std::string>{"first", "group/second"}), Hdf5File(name).datasets());
  EXPECT_EQ((std::vector<double>{3, 4, 5}), values_of(name, "first"));
  EXPECT_EQ((std::vector<double>{2, 3, 4}), values_of(name, "group/second"));
  for (const char* taken : {"group", "first/below", "/"})
    expect_file_error("cannot be made", [&, n = taken] { quern::files::convert(f / "v1.npy", name, "", n); });
  EXPECT_EQ((std::vector<double>{2, 3, 4}), values_of(name, "group/second"));
  quern::files::convert(name, name, "group/second", "copy");
  EXPECT_EQ((std::vector<double>{2, 3, 4}), values_of(name, "copy"));
  std::filesystem::copy_file(data("types.h5"), f / "types.h5");
  quern::files::convert(f / "v1.npy", f / "types.h5");
  EXPECT_EQ((std::vector<double>{1, 2, 3}), values_of(f / "types.h5", "data"));
  EXPECT_EQ("abc", Hdf5File(f / "types.h5").attribute<std::string>("/", "ascii"));
  test::write_bytes(f / "text.h5", "no HDF5");
  expect_file_error("cannot be opened as HDF5", [&] { quern::files::convert(f / "v1.npy", f / "text.h5"); });
  EXPECT_EQ("no HDF5", test::read_bytes(f / "text.h5"));
  EXPECT_EQ(6u, f.contents().size());
}

void make_group(hid_t file, const char* name) {
  EXPECT_GE(H5Oclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), 0);
}
void make_scalar(hid_t file, const char* name) {
  const hid_t space = H5Screate(H5S_SCALAR);
  EXPECT_GE(H5Oclose(H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), 0);
  H5Sclose(space);
}
void set_mark(hid_t file, const char* object) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute =
      H5Acreate_by_name(file, object, "mark", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Aclose(attribute), 0);
  H5Sclose(space);
}
bool has_mark(hid_t file, const char* object) { return H5Aexists_by_name(file, object, "mark", H5P_DEFAULT) > 0; }
bool has_link(hid_t file, const char* name) { return H5Lexists(file, name, H5P_DEFAULT) > 0; }

/// Makes a file of the group `fields` and what `change` puts into it, and writes three zeros to the dataset fields/u,
/// by `convert` and by a sink, where it is and where it is not yet. What `is_there` finds has to stay.
void expect_to_stay(const std::function<void(hid_t)>& change, const std::function<bool(hid_t)>& is_there) {
  const test::folder f;
  quern::files::write_npy(f / "v.npy", Kokkos::View<double*, Kokkos::HostSpace>("v", 3));
  const std::string name = f / "a.h5";
  const auto write = [&](bool by_sink) {
    if (!by_sink) return quern::files::convert(f / "v.npy", name, "", "fields/u");
    quern::map(Kokkos::DefaultHostExecutionSpace(), quern::files::hdf5_sink<double>(name, "fields/u", {3}),
               quern::impl::op::identity(), quern::files::npy_source<double, 1>(f / "v.npy"));
  };
  for (const bool by_sink : {false, true})
    for (const bool has_dataset : {false, true}) {
      SCOPED_TRACE(std::string(by_sink ? "by a sink" : "by convert") + (has_dataset ? ", over a dataset" : ""));
      const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      make_group(file, "fields");
      make_scalar(file, "fields/u");
      change(file);
      if (!has_dataset) {
        EXPECT_GE(H5Ldelete(file, "fields/u", H5P_DEFAULT), 0);
      }
      EXPECT_GE(H5Fclose(file), 0);
      write(by_sink);
      EXPECT_EQ(std::vector<double>(3), values_of(name, "fields/u"));
      const hid_t found = H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
      EXPECT_TRUE(is_there(found));
      EXPECT_GE(H5Fclose(found), 0);
    }
}

// Whatever else a file holds stays when a dataset is replaced, though it is no other dataset.
TEST(Hdf5Types, AttributesOfGroupsStay) {
  for (const char* group : {"/", "fields"})
    expect_to_stay([=](hid_t file) { set_mark(file, group); }, [=](hid_t file) { return has_mark(file, group); });
}

TEST(Hdf5Types, EmptyGroupsStay) {
  for (const char* group : {"empty", "fields/u2"})
    expect_to_stay([=](hid_t file) { make_group(file, group); }, [=](hid_t file) { return has_link(file, group); });
}

TEST(Hdf5Types, NamedTypesStay) {
  const auto commit = [](hid_t file) {
    const hid_t type = H5Tcopy(H5T_NATIVE_INT);
    EXPECT_GE(H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), 0);
    H5Tclose(type);
  };
  expect_to_stay(commit, [](hid_t file) { return has_link(file, "type"); });
}

TEST(Hdf5Types, LinksStay) {
  const auto soft = [](hid_t file) {
    EXPECT_GE(H5Lcreate_soft("/fields/u", file, "link", H5P_DEFAULT, H5P_DEFAULT), 0);
  };
  const auto hard = [](hid_t file) {
    EXPECT_GE(H5Lcreate_hard(file, "fields/u", file, "link", H5P_DEFAULT, H5P_DEFAULT), 0);
  };
  const auto to_another_file = [](hid_t file) {
    EXPECT_GE(H5Lcreate_external("b.h5", "/u", file, "link", H5P_DEFAULT, H5P_DEFAULT), 0);
  };
  for (const auto& make : std::vector<std::function<void(hid_t)>>{soft, hard, to_another_file})
    expect_to_stay(make, [](hid_t file) { return has_link(file, "link"); });
}

}  // namespace
