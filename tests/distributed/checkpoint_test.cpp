// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <distributed/world.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <quern/distributed/checkpoint.hpp>
#include <quern/distributed/npy.hpp>

namespace {

using quern::Decomposition, quern::shape, quern::distributed::Checkpoint;

/// A folder that all ranks share, while a test runs.
struct shared_folder {
  quern::Communicator comm = test::world();
  std::filesystem::path path;
  shared_folder() {
    std::int64_t process = ::getpid();
    quern::impl::broadcast(comm, &process, sizeof process, 0);
    path = std::filesystem::temp_directory_path() / ("quern-checkpoint-" + std::to_string(process));
    if (comm.rank() == 0) std::filesystem::create_directories(path);
    wait();
  }
  ~shared_folder() {
    wait();
    if (comm.rank() == 0) std::filesystem::remove_all(path);
    wait();
  }
  void wait() const { quern::impl::sum_of_ranks(comm, 0); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

template <class F>
void expect_file_error(const std::string& part, const F& f) {
  try {
    f();
    ADD_FAILURE() << "no error";
  } catch (const quern::files::FileError& e) {
    EXPECT_NE(std::string::npos, std::string(e.what()).find(part)) << e.what();
  }
}

// Arrays of which some ranks have no cells, too.
TEST(GatheredNpy, OfMoreRanksThanRows) {
  using exec = Kokkos::DefaultExecutionSpace;
  const shared_folder folder;
  for (const shape& extents : {shape{2, 3}, shape{1, 1}, shape{0, 3}}) {
    const auto values = test::samples<float>(extents.size(), 3);
    const Decomposition d(folder.comm, extents, {.grid = {folder.comm.size(), 1}});
    const std::string name = folder.file("few.npy");
    quern::distributed::write_npy(name, test::distribute<float, 2, Kokkos::LayoutRight, exec>(d, values));
    folder.wait();
    const quern::DistributedView<float, 2, exec> u("u", d);
    quern::distributed::read_npy(name, u);
    EXPECT_EQ(test::part_of(values, extents, d.local()), test::contents(u.local()));
    folder.wait();
  }
}

TEST(GatheredNpy, WritesAndReads) {
  using exec = Kokkos::DefaultExecutionSpace;
  const shared_folder folder;
  const shape extents{5, 8};
  const auto values = test::samples<float>(40, 3);
  const Decomposition d(folder.comm, extents, {.halo = {1}}),
      other(folder.comm, extents, {.grid = {1, folder.comm.size()}});
  quern::distributed::write_npy(folder.file("u.npy"), test::distribute<float, 2, Kokkos::LayoutLeft, exec>(d, values));
  folder.wait();
  const quern::DistributedView<float, 2, exec> u("u", other);
  quern::distributed::read_npy(folder.file("u.npy"), u);
  EXPECT_EQ(test::part_of(values, extents, other.local()), test::contents(u.local()));
  const quern::DistributedView<float, 1, exec> v("v", Decomposition(folder.comm, {40}));
  expect_file_error("has extents (5, 8)", [&] { quern::distributed::read_npy(folder.file("u.npy"), v); });
  expect_file_error("none.npy", [&] { quern::distributed::read_npy(folder.file("none.npy"), u); });
}

/// Files end at so many bytes while it lives, as on a disk that is full.
struct full_disk {
  rlimit before{};
  explicit full_disk(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit now{bytes, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~full_disk() { ::setrlimit(RLIMIT_FSIZE, &before); }
};

TEST(GatheredNpy, KeepsTheOldOneWhereTheDiskIsFull) {
  const shared_folder folder;
  const std::string name = folder.file("u.npy");
  const Decomposition d(folder.comm, {1000});
  const auto values = test::samples<double>(1000, 3);
  const auto u = test::distribute<double, 1, Kokkos::LayoutRight, Kokkos::DefaultExecutionSpace>(d, values);
  quern::distributed::write_npy(name, u);
  for (const rlim_t limit : {0, 100, 8127}) {
    {
      const full_disk disk(limit);
      expect_file_error("cannot be written", [&] { quern::distributed::write_npy(name, u); });
    }
    folder.wait();
    const quern::DistributedView<double, 1, Kokkos::DefaultExecutionSpace> v("v", d);
    quern::distributed::read_npy(name, v);
    EXPECT_EQ(test::contents(u.local()), test::contents(v.local()));
    int files = 0;
    for ([[maybe_unused]] const auto& f : std::filesystem::directory_iterator(folder.path)) ++files;
    EXPECT_EQ(1, files);
    folder.wait();
  }
}

#ifdef QUERN_TEST_PARALLEL_HDF5

template <class Case>
struct Checkpoints : testing::Test {};
using checkpoint_cases = test::covering<double, std::int8_t, Kokkos::complex<float>>;
TYPED_TEST_SUITE(Checkpoints, checkpoint_cases);

TYPED_TEST(Checkpoints, RestartsOnAnotherGrid) {
  using T = typename TypeParam::value;
  using E = typename TypeParam::exec;
  const shared_folder folder;
  const auto& comm = folder.comm;
  const shape extents{7, 4, 9};
  const auto values = test::samples<T>(extents.size(), 8);
  const std::string name = folder.file("run.h5");
  const Decomposition d(comm, extents, {.halo = {1}});
  const auto u = test::distribute<T, 3, Kokkos::LayoutLeft, E>(d, values);
  {
    auto file = Checkpoint::create(comm, name);
    file.write("fields/u", u);
    file.set_attribute("/", "time", 2.5);
    file.set_attribute("fields/u", "unit", "kelvin");
    EXPECT_FALSE(std::filesystem::exists(name)) << "not before it is complete";
    file.commit();
  }
  folder.wait();
  for (const auto& grid : test::grids(comm.size(), 3)) {
    const Checkpoint file(comm, name);
    const Decomposition e(comm, extents, {.grid = grid});
    const quern::DistributedView<T, 3, E> v("v", e);
    file.read("fields/u", v);
    EXPECT_EQ(test::part_of(values, extents, e.local()), test::contents(v.local()));
    EXPECT_EQ(2.5, file.attribute<double>("/", "time"));
    EXPECT_EQ("kelvin", file.attribute<std::string>("fields/u", "unit"));
  }
  // On fewer ranks, and by a program that knows of no ranks.
  const quern::Communicator self(MPI_COMM_SELF);
  const Checkpoint alone(self, name);
  const quern::DistributedView<T, 3, E> w("w", Decomposition(self, extents));
  alone.read("fields/u", w);
  EXPECT_EQ(values, test::contents(w.local()));
  EXPECT_EQ(values, test::contents(quern::files::Hdf5File(name).load<Kokkos::View<T***, E>>("fields/u")));
}

using exec = Kokkos::DefaultExecutionSpace;

TEST(CheckpointFile, KeepsTheOldOne) {
  const shared_folder folder;
  const std::string name = folder.file("run.h5");
  const Decomposition d(folder.comm, {12});
  const auto u = test::distribute<double, 1, Kokkos::LayoutRight, exec>(d, test::samples<double>(12));
  {
    auto first = Checkpoint::create(folder.comm, name);
    first.write("u", u);
    first.commit();
  }
  {
    auto second = Checkpoint::create(folder.comm, name);
    second.write("u", u);
    expect_file_error("the dataset u cannot be made", [&] { second.write("u", u); });
  }
  folder.wait();
  const Checkpoint file(folder.comm, name);
  file.read("u", u);
  int files = 0;
  for ([[maybe_unused]] const auto& f : std::filesystem::directory_iterator(folder.path)) ++files;
  EXPECT_EQ(1, files) << "nothing remains of the second";
}

TEST(CheckpointFile, OfMoreRanksThanRows) {
  const shared_folder folder;
  for (const shape& extents : {shape{2, 3}, shape{1, 1}, shape{0, 3}}) {
    const std::string name = folder.file("few.h5");
    const auto values = test::samples<double>(extents.size(), 3);
    const Decomposition d(folder.comm, extents, {.grid = {folder.comm.size(), 1}});
    {
      auto file = Checkpoint::create(folder.comm, name);
      file.write("u", test::distribute<double, 2, Kokkos::LayoutRight, exec>(d, values));
      file.commit();
    }
    folder.wait();
    const Checkpoint file(folder.comm, name);
    const quern::DistributedView<double, 2, exec> u("u", d);
    file.read("u", u);
    EXPECT_EQ(test::part_of(values, extents, d.local()), test::contents(u.local()));
    folder.wait();
  }
}

TEST(CheckpointFile, KeepsTheOldOneWhereTheDiskIsFull) {
  const shared_folder folder;
  const std::string name = folder.file("run.h5");
  const Decomposition d(folder.comm, {100000});
  const auto values = test::samples<double>(100000);
  const auto u = test::distribute<double, 1, Kokkos::LayoutRight, exec>(d, values);
  {
    auto first = Checkpoint::create(folder.comm, name);
    first.write("u", u);
    first.commit();
  }
  {
    const full_disk limit(100000);
    auto second = Checkpoint::create(folder.comm, name);
    EXPECT_THROW(
        {
          second.write("u", u);
          second.commit();
        },
        quern::files::FileError);
  }
  folder.wait();
  const Checkpoint file(folder.comm, name);
  file.read("u", u);
  EXPECT_EQ(test::part_of(values, shape{100000}, d.local()), test::contents(u.local()));
}

// At whatever byte the disk is full, on all ranks or on one: an error on all, the file of before, and nothing else.
TEST(CheckpointFile, KeepsTheOldOneOnAnyFullDisk) {
  const shared_folder folder;
  const std::string name = folder.file("run.h5");
  const Decomposition d(folder.comm, {3000});
  const auto u = test::distribute<double, 1, Kokkos::LayoutRight, exec>(d, test::samples<double>(3000));
  // The limit begins when the file is open: MPI's own files in shared memory have one size on all ranks.
  const auto write = [&](std::optional<rlim_t> limit = {}) {
    std::optional<full_disk> disk;
    auto file = Checkpoint::create(folder.comm, name);
    if (limit) disk.emplace(*limit);
    file.write("group/u", u);
    file.set_attribute("/", "text", std::string(3000, 'x'));
    file.set_attribute("group/u", "time", 2.5);
    file.commit();
  };
  write();
  folder.wait();
  const auto stamp = std::filesystem::last_write_time(name);
  const auto bytes = static_cast<rlim_t>(std::filesystem::file_size(name));
  for (const int full_rank : {-1, 0, folder.comm.size() - 1})
    for (const rlim_t limit :
         {rlim_t(0), rlim_t(100), rlim_t(2000), rlim_t(5000), bytes / 2, bytes - 3000, bytes - 1}) {
      bool failed = false;
      const bool full = full_rank < 0 || folder.comm.rank() == full_rank;
      try {
        write(full ? std::optional(limit) : std::nullopt);
      } catch (const quern::files::FileError&) {
        failed = true;
      }
      folder.wait();
      const auto found = quern::impl::sum_of_ranks(folder.comm, failed ? 1 : 0);
      EXPECT_TRUE(found == 0 || found == folder.comm.size()) << found << " ranks failed";
      // One rank is sure to write beyond a limit that is before the first element of its block.
      EXPECT_TRUE(failed || limit > (full_rank < 0 ? bytes / 2 : rlim_t(100))) << "rank " << full_rank << ", " << limit;
      int files = 0;
      for ([[maybe_unused]] const auto& f : std::filesystem::directory_iterator(folder.path)) ++files;
      EXPECT_EQ(1, files) << limit;
      if (full_rank < 0 && limit <= bytes / 2) {
        EXPECT_EQ(stamp, std::filesystem::last_write_time(name)) << limit;
      }
      const Checkpoint file(folder.comm, name);
      const quern::DistributedView<double, 1, exec> v("v", d);
      file.read("group/u", v);
      EXPECT_EQ(test::contents(u.local()), test::contents(v.local())) << limit;
      EXPECT_EQ(2.5, file.attribute<double>("group/u", "time"));
      EXPECT_EQ(std::string(3000, 'x'), file.attribute<std::string>("/", "text"));
      folder.wait();
    }
}

TEST(CheckpointFile, ReportsTruncatedAndForeignFiles) {
  const shared_folder folder;
  const std::string name = folder.file("run.h5"), text = folder.file("text.h5"), cut = folder.file("cut.h5");
  const Decomposition d(folder.comm, {5000});
  const auto u = test::distribute<double, 1, Kokkos::LayoutRight, exec>(d, test::samples<double>(5000));
  {
    auto file = Checkpoint::create(folder.comm, name);
    file.write("u", u);
    file.commit();
  }
  if (folder.comm.rank() == 0) {
    std::ofstream(text) << "no HDF5";
    std::filesystem::copy_file(name, cut);
    std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
  }
  folder.wait();
  expect_file_error("cannot be opened as HDF5", [&] { Checkpoint(folder.comm, text); });
  expect_file_error("cannot be opened as HDF5", [&] { Checkpoint(folder.comm, cut); });
  expect_file_error("cannot be opened as HDF5", [&] { Checkpoint(folder.comm, folder.file("none.h5")); });
  const Checkpoint file(folder.comm, name);
  expect_file_error("there is no dataset v", [&] { file.read("v", u); });
  const quern::DistributedView<double, 1, exec> w("w", Decomposition(folder.comm, {5001}));
  expect_file_error("has extents (5000), expected (5001) as of out", [&] { file.read("u", w); });
  expect_file_error("there is no attribute time", [&] { file.attribute<double>("/", "time"); });
}

TEST(CheckpointFile, FailsOnEveryRankWhereOneFails) {
  const shared_folder folder;
  expect_file_error("cannot be written", [&] { Checkpoint::create(folder.comm, folder.file("none/run.h5")); });
  expect_file_error("on rank 0: no", [&] {
    quern::impl::on_all_ranks(folder.comm, "f", [&] {
      if (folder.comm.rank() == 0) throw std::runtime_error("no");
    });
  });
}

TEST(Checkpoint, CallsThatDiffer) {
  const shared_folder folder;
  const quern::Communicator comm(MPI_COMM_WORLD, {.check_calls = true});
  if (comm.size() == 1) return;
  const bool differs = comm.rank() == comm.size() - 1;
  const quern::DistributedView<double, 1, exec> u("u", Decomposition(comm, {9}));
  const std::string last = std::to_string(comm.size() - 1), grid = std::to_string(comm.size());
  const auto expect = [&](const std::string& call, const std::string& first, const std::string& other, const auto& f) {
    test::expect_error(
        call + ": the calls differ between ranks: " + first + " on rank 0 and " + other + " on rank " + last, f);
  };
  auto file = Checkpoint::create(comm, folder.file("a.h5"));
  const std::string write = "quern::distributed::Checkpoint::write",
                    of = write + " of float64 (9) on a grid of " + grid;
  expect(write, of + " u", of + " v", [&] { file.write(differs ? "v" : "u", u); });
  const std::string set = "quern::distributed::Checkpoint::set_attribute";
  expect(set, set + " of /, attribute time = int32 1", set + " of /, attribute time = int32 2",
         [&] { file.set_attribute("/", "time", differs ? 2 : 1); });
  expect(set, set + " of /, attribute dt = float64 9.9999999999999995e-08",
         set + " of /, attribute dt = float64 1.9999999999999999e-07",
         [&] { file.set_attribute("/", "dt", differs ? 2e-7 : 1e-7); });
  file.write("u", u);
  file.commit();
}

#else

TEST(CheckpointFile, SaysWhatItNeeds) {
  expect_file_error("needs a Quern that was built with a parallel HDF5", [] { Checkpoint(test::world(), "run.h5"); });
}

#endif

}  // namespace
