// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every writer on a disk that becomes full at any byte: an error, the earlier file whole, and nothing else. A limit on
// the size of files stands for the disk everywhere; where a file system can be mounted, a small one too.

#include <fcntl.h>
#ifdef QUERN_TEST_HDF5
#include <hdf5.h>
#endif
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <files/folder.hpp>
#include <functional>
#include <memory>
#include <quern/chunked.hpp>
#include <support/testing.hpp>

namespace {

namespace fs = std::filesystem;
namespace files = quern::files;
namespace chunked = quern::chunked;
using Kokkos::LayoutRight;
using field = Kokkos::View<double**, LayoutRight, Kokkos::HostSpace>;
using test::read_bytes, test::write_bytes;

constexpr const char* mounted = "QUERN_TEST_FULL_DISK";
bool on_small_disk() { return std::getenv(mounted) != nullptr; }
fs::path where() { return on_small_disk() ? fs::path(std::getenv(mounted)) : fs::temp_directory_path(); }

/// Leaves room for so many bytes while it lives: in each file, or on the small disk.
class room {
 public:
  explicit room(std::int64_t bytes) {
    if (on_small_disk()) {
      fill(bytes);
      return;
    }
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &action_);
    getrlimit(RLIMIT_FSIZE, &limit_);
    rlimit now = limit_;
    now.rlim_cur = static_cast<rlim_t>(bytes);
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~room() {
    if (on_small_disk()) {
      fs::remove(filler_);
      return;
    }
    setrlimit(RLIMIT_FSIZE, &limit_);
    sigaction(SIGXFSZ, &action_, nullptr);
  }
  room(const room&) = delete;
  room& operator=(const room&) = delete;

 private:
  void fill(std::int64_t bytes) {
    filler_ = where() / "filler";
    struct statvfs s{};
    statvfs(where().c_str(), &s);
    const auto free = static_cast<std::int64_t>(s.f_bavail * s.f_frsize);
    const int file = ::open(filler_.c_str(), O_WRONLY | O_CREAT, 0600);
    if (free > bytes) {
      EXPECT_EQ(0, ::posix_fallocate(file, 0, free - bytes));
    }
    ::close(file);
  }
  rlimit limit_{};
  struct sigaction action_{};
  fs::path filler_;
};

field samples(std::uint64_t seed) {
  const field v("v", 120, 50);
  const auto values = test::samples<double>(6000, seed);
  std::copy(values.begin(), values.end(), v.data());
  return v;
}
std::vector<double> contents(const field& v) { return {v.data(), v.data() + v.size()}; }

struct writer {
  std::string name, file;
  std::function<void(const std::string&, const field&)> write;
  std::function<field(const std::string&)> read;
};

std::vector<writer> writers() {
  std::vector<writer> all;
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto through = [=](const field& v, const auto& sink) {
    const auto source = chunked::reader<double>({120, 50}, [v](std::int64_t first, std::int64_t rows, double* to) {
      std::copy_n(v.data() + first * 50, rows * 50, to);
    });
    quern::chunking o;
    o.memory = 3 * 2 * 50 * 8 * 30;
    quern::map(exec, sink, quern::impl::op::identity(), o, source);
  };
  const auto npy = [](const std::string& path) { return files::load_npy<field>(path); };
  const auto raw = [](const std::string& path) {
    const field v("v", 120, 50);
    files::read_raw(path, v);
    return v;
  };
  all.push_back({"npy", "a.npy", [](const auto& path, const auto& v) { files::write_npy(path, v); }, npy});
  all.push_back({"raw", "a.bin", [](const auto& path, const auto& v) { files::write_raw(path, v); }, raw});
  all.push_back({"npy sink", "a.npy",
                 [=](const auto& path, const auto& v) { through(v, files::npy_sink<double>(path, {120, 50})); }, npy});
  all.push_back({"raw sink", "a.bin",
                 [=](const auto& path, const auto& v) { through(v, files::raw_sink<double>(path, {120, 50})); }, raw});
  // What is converted lies on another disk.
  const auto elsewhere = std::make_shared<test::folder>();
  for (const int seed : {1, 2}) files::write_npy(*elsewhere / (std::to_string(seed) + ".npy"), samples(seed));
  const auto convert = [=](const std::string& path, const field& v, int compression) {
    const std::string from = *elsewhere / (v(0, 0) == samples(1)(0, 0) ? "1.npy" : "2.npy");
    files::convert(from, path, "", "u", {.compression = compression});
  };
  all.push_back({"convert", "a.npy", [=](const auto& path, const auto& v) { convert(path, v, 0); }, npy});
#ifdef QUERN_TEST_HDF5
  const auto hdf5 = [](const std::string& path) { return files::Hdf5File(path).load<field>("u"); };
  for (const int compression : {0, 1, 9}) {
    const std::string level = " " + std::to_string(compression);
    const files::hdf5_options options{.compression = compression};
    all.push_back({"HDF5" + level, "a.h5",
                   [=](const auto& path, const auto& v) {
                     auto file = files::Hdf5File::create(path);
                     file.write("u", v, options);
                     file.commit();
                   },
                   hdf5});
    all.push_back({"HDF5 in parts" + level, "a.h5",
                   [=](const auto& path, const auto& v) {
                     auto file = files::Hdf5File::create(path);
                     file.template create_dataset<double>("u", quern::shape{120, 50}, options);
                     for (int i = 0; i < 120; i += 8) {
                       file.write_part("u", Kokkos::subview(v, std::pair(i, i + 8), Kokkos::ALL), {i, 0});
                       file.set_attribute("u", "text" + std::to_string(i), std::string(100 * i, 'x'));
                       file.set_attribute("u", "number", i);
                       if (i % 32 == 0) file.flush();
                     }
                     file.commit();
                   },
                   hdf5});
    all.push_back(
        {"HDF5 sink" + level, "a.h5",
         [=](const auto& path, const auto& v) { through(v, files::hdf5_sink<double>(path, "u", {120, 50}, options)); },
         hdf5});
    all.push_back(
        {"convert" + level, "a.h5", [=](const auto& path, const auto& v) { convert(path, v, compression); }, hdf5});
  }
#endif
  return all;
}

// Whether a writer fails or not, what lies under the name afterwards is whole.
TEST(FullDisk, WritersKeepWhatWasThere) {
  const auto good = samples(1), next = samples(2);
  for (const auto& w : writers()) {
    const test::folder f(where());
    const std::string path = f / w.file;
    w.write(path, good);
    const std::string before = read_bytes(path);
    const auto bytes = static_cast<std::int64_t>(before.size());
    ASSERT_EQ(contents(good), contents(w.read(path)));
    for (const std::int64_t limit : {std::int64_t(0), std::int64_t(1), std::int64_t(100), std::int64_t(700),
                                     std::int64_t(2100), std::int64_t(5000), bytes / 4, bytes / 2, bytes - 9000,
                                     bytes - 3000, bytes - 500, bytes - 9, bytes - 1, bytes, 4 * bytes}) {
      bool failed = false;
      {
        const room r(limit);
        try {
          w.write(path, next);
        } catch (const files::FileError&) {
          failed = true;
        } catch (const chunked::ChunkError&) {
          failed = true;
        }
      }
      EXPECT_EQ(std::vector<std::string>{w.file}, f.contents()) << w.name << ", " << limit << " bytes";
      EXPECT_TRUE(failed || limit > bytes / 2) << w.name << ", " << limit << " bytes";
      EXPECT_TRUE(!failed || limit < 4 * bytes) << w.name << ", " << limit << " bytes";
      if (failed) {
        EXPECT_TRUE(before == read_bytes(path)) << w.name << ", " << limit << " bytes";
        continue;
      }
      EXPECT_EQ(contents(next), contents(w.read(path))) << w.name << ", " << limit << " bytes";
      write_bytes(path, before);
    }
  }
}

#ifdef QUERN_TEST_HDF5

// While the object that failed is still there, too; and what follows the failure does not make a file of it.
TEST(FullDisk, CommitRemovesWhatIsNotWhole) {
  const test::folder f(where());
  for (const int compression : {0, 4}) {
    write_bytes(f / "a.h5", "good");
    auto file = files::Hdf5File::create(f / "a.h5");
    {
      const room r(5'000);
      try {
        file.write("u", samples(1), {.compression = compression});
      } catch (const files::FileError&) {
      }
    }
    test::expect_file_error("a.h5: is not committed, as an earlier write to it failed", [&] { file.commit(); });
    EXPECT_TRUE("good" == read_bytes(f / "a.h5"));
    EXPECT_EQ(std::vector<std::string>{"a.h5"}, f.contents());
  }
  auto file = files::Hdf5File::create(f / "a.h5");
  file.set_attribute("/", "text", "in the memory of the library");
  {
    const room r(0);
    test::expect_file_error("a.h5: cannot be written: ", [&] { file.commit(); });
    EXPECT_EQ(std::vector<std::string>{"a.h5"}, f.contents());
  }
  test::expect_file_error("is closed", [&] { file.commit(); });
  EXPECT_EQ("good", read_bytes(f / "a.h5"));
}

// What goes without a commit is closed where nothing can be written, too; else the library would keep it open, and try
// again when the program ends.
TEST(FullDisk, ClosesWhatIsNotCommitted) {
  const test::folder f(where());
  const auto open_files = [] { return H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_FILE); };
  const auto before = open_files();
  for (const std::string text : {"", "in the memory of the library"}) {
    auto file = std::make_unique<files::Hdf5File>(files::Hdf5File::create(f / "a.h5"));
    file->set_attribute("/", "text", text);
    {
      const room r(0);
      file.reset();
    }
    EXPECT_EQ(before, open_files());
    EXPECT_EQ(std::vector<std::string>{}, f.contents());
  }
}

// A mistake of the user does no damage to the file.
TEST(FullDisk, MistakesDoNotEndAFile) {
  const test::folder f(where());
  auto file = files::Hdf5File::create(f / "a.h5");
  file.write("u", samples(1));
  test::expect_file_error("the dataset u cannot be made", [&] { file.write("u", samples(2)); });
  EXPECT_THROW(file.write("v", samples(2), {.compression = 10}), quern::Error);
  file.write("v", samples(2));
  file.commit();
  EXPECT_EQ(contents(samples(1)), contents(files::Hdf5File(f / "a.h5").load<field>("u")));
  EXPECT_EQ(contents(samples(2)), contents(files::Hdf5File(f / "a.h5").load<field>("v")));
}

// The steps that were complete stay, whatever comes after them.
TEST(FullDisk, TimeSeriesKeepTheirSteps) {
  const field u = samples(1);
  std::string before;
  for (const int compression : {0, 4})
    for (int limit = 0; limit < 400'000; limit += 14'653) {
      const test::folder f(where());
      write_bytes(f / "a.h5", "an earlier series");
      write_bytes(f / "a.xdmf", "of before");
      int complete = 0;
      {
        const room r(limit);
        try {
          files::TimeSeries series(f / "a", {1, 1});
          for (; complete < 5; ++complete) {
            u(0, 0) = complete;
            series.write(complete, "u", u, {.compression = compression});
          }
        } catch (const files::FileError&) {
        }
      }
      ASSERT_EQ((std::vector<std::string>{"a.h5", "a.xdmf"}), f.contents()) << limit;
      if (complete == 0) {
        ASSERT_EQ("an earlier series", read_bytes(f / "a.h5")) << limit;
        ASSERT_EQ("of before", read_bytes(f / "a.xdmf")) << limit;
        continue;
      }
      const std::string description = read_bytes(f / "a.xdmf");
      const files::Hdf5File file(f / "a.h5");
      ASSERT_EQ(static_cast<std::size_t>(complete), file.datasets().size()) << limit;
      for (int k = 0; k < 5; ++k) {
        const std::string name = "00000" + std::to_string(k) + "/u";
        ASSERT_EQ(k < complete, description.find(name) != std::string::npos) << limit;
        if (k >= complete) continue;
        u(0, 0) = k;
        ASSERT_EQ(contents(u), contents(file.load<field>(name))) << limit << ", step " << k;
      }
    }
}

#endif

/// Mounts a file system of that size over a folder, in a namespace of this process, as root or in one of its own users.
bool mount_small_disk(const std::string& folder) {
  const auto user = ::getuid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    write_bytes("/proc/self/uid_map", std::to_string(user) + " " + std::to_string(user) + " 1");
  }
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=600k") == 0;
}

// The tests above, in a process of their own on such a file system.
TEST(FullDisk, OfASmallFileSystem) {
  if (on_small_disk()) return;
  const test::folder f;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!mount_small_disk(f.path())) ::_exit(77);
    ::setenv(mounted, f.path().c_str(), 1);
    ::execl("/proc/self/exe", "test_files", "--gtest_filter=FullDisk.*", "--gtest_brief=1", nullptr);
    ::_exit(78);
  }
  int status = 0;
  ASSERT_EQ(child, ::waitpid(child, &status, 0));
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "no file system can be mounted here; the limit on files has stood for one in the tests above";
  EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST(Interrupted, AHandlerRemovesWhatIsNotComplete) {
  const test::folder f;
  write_bytes(f / "a.npy", "good");
  const pid_t child = ::fork();
  if (child == 0) {
    const auto npy = files::npy_sink<double>(f / "a.npy", {10});
    const auto raw = files::raw_sink<double>(f / "b.bin", {10});
#ifdef QUERN_TEST_HDF5
    auto hdf5 = files::Hdf5File::create(f / "c.h5");
    if (f.contents().size() != 4) ::_exit(1);
#endif
    std::signal(SIGTERM, [](int) {
      files::remove_unfinished();
      ::_exit(9);
    });
    std::raise(SIGTERM);
  }
  int status = 0;
  ASSERT_EQ(child, ::waitpid(child, &status, 0));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(9, WEXITSTATUS(status));
  EXPECT_EQ(std::vector<std::string>{"a.npy"}, f.contents());
  EXPECT_EQ("good", read_bytes(f / "a.npy"));
}

// A forked process has no part in the files that its parent has begun.
TEST(Interrupted, AForkedProcessKeepsTheFilesOfItsParent) {
  const test::folder f;
  const auto sink = files::npy_sink<double>(f / "a.npy", {2, 2});
  ASSERT_EQ(1u, f.contents().size());
  const pid_t child = ::fork();
  if (child == 0) {
    {
      const auto own = files::npy_sink<double>(f / "b.npy", {2, 2});
      files::remove_unfinished();
    }
    ::_exit(9);
  }
  int status = 0;
  ASSERT_EQ(child, ::waitpid(child, &status, 0));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(9, WEXITSTATUS(status));
  const auto found = f.contents();
  ASSERT_EQ(1u, found.size()) << "that of the parent, and not that of the child";
  EXPECT_TRUE(found[0].starts_with("a.npy.part-")) << found[0];
}

}  // namespace
