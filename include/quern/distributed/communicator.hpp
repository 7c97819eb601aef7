// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_COMMUNICATOR_HPP
#define QUERN_DISTRIBUTED_COMMUNICATOR_HPP

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <quern/core/call/error.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

/// How arrays in the memory of devices go from rank to rank. Those of hosts go by MPI.
enum class device_transport {
  staged,      ///< by MPI, through pinned memory of the host
  device_mpi,  ///< by an MPI that takes pointers to the memory of devices
  nccl         ///< by NCCL or RCCL, in the order of the execution-space instance
};

struct communicator_options {
  /// Without one: nccl where Quern is built with it and each rank has a device of its own; or else device_mpi where the
  /// MPI says that it takes such pointers; or else staged.
  std::optional<device_transport> transport{};
  /// Every distributed operation compares its arguments between the ranks, and all throw where they differ. It costs an
  /// exchange of some bytes a call. The environment variable QUERN_CHECK_CALLS=1 does the same.
  ///
  /// Without it, an operation that rejects what one rank alone passes, as the wrong extents of its View, throws on that
  /// rank, and the others wait in MPI: what operations over ranks throw is the same on all where their arguments are,
  /// where calls are checked, or where their comment says so. `abort_on_exception` ends the ranks that wait.
  bool check_calls = false;
};

namespace impl {
struct communicator_state;
}

/// The ranks among which arrays are distributed: a duplicate of an MPI communicator, and the way in which device memory
/// goes. Copies share the duplicate, which is freed with the last of them or by `MPI_Finalize`, whichever comes first.
///
/// @code
/// int provided;
/// MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
/// Kokkos::initialize(argc, argv);  // chooses the device by the rank's number on its host
/// const quern::Communicator comm(MPI_COMM_WORLD);
/// @endcode
///
/// Calls of one communicator must come in the same order on all ranks, from the thread that initialized MPI unless MPI
/// has a higher thread level. A program that called `MPI_Init` may use it, as long as no other thread calls MPI.
class Communicator {
 public:
  /// Collective.
  /// @throws Error if MPI is not initialized, or if the transport asked for is not available; BackendError if MPI or
  /// NCCL report a failure
  explicit Communicator(MPI_Comm comm, const communicator_options& options = {});

  int rank() const;
  int size() const;
  /// The number of this rank among those of its host, and how many those are.
  int node_rank() const;
  int node_size() const;
  device_transport transport() const;
  bool checks_calls() const;
  /// The duplicate, for calls of MPI.
  MPI_Comm mpi() const;

  /// The ranks of the same colour as a communicator of their own, in the order of their keys, with this one's transport
  /// unless another is asked for. Collective.
  Communicator split(int colour, int key, std::optional<device_transport> transport = {}) const;

  /// Whether both are the same duplicate.
  bool operator==(const Communicator&) const = default;

  /// What other parts of the library need of it.
  impl::communicator_state& state() const { return *state_; }

 private:
  explicit Communicator(std::shared_ptr<impl::communicator_state> state) : state_(std::move(state)) {}
  std::shared_ptr<impl::communicator_state> state_;
};

namespace impl {

/// @throws BackendError unless the status is MPI_SUCCESS
void check_mpi(std::string_view operation, int status);

/// What stands before the values of arrays at the end of a text, each of which has a space before it.
inline constexpr char values_follow = '\0';
/// Throws the same Error on every rank unless all have the same text, with all that must agree; the message shows two
/// that differ, and of many values the first that do.
void check_same(const Communicator& comm, const std::string& operation, const std::string& what,
                const std::string& text);

/// Throws an Error on every rank if one rank has a problem: that of the first, with its number.
void throw_together(const Communicator& comm, const std::string& operation, const std::string& problem);

/// `f()`, which needs no other rank; where it throws on one, all throw an Error, with what the first one says.
template <class F>
auto succeed_together(const Communicator& comm, const std::string& operation, const F& f) {
  std::optional<decltype(f())> result;
  std::string problem;
  try {
    result.emplace(f());
  } catch (const std::exception& e) {
    problem = e.what();
  }
  throw_together(comm, operation, problem);
  return std::move(*result);
}
/// `check()`, which may find what is wrong on this rank alone: where calls are checked, all ranks throw then.
template <class F>
auto check_together(const Communicator& comm, std::string_view operation, const F& check) {
  if constexpr (std::is_void_v<decltype(check())>) {
    check_together(comm, operation, [&] {
      check();
      return true;
    });
  } else {
    return comm.checks_calls() ? succeed_together(comm, std::string(operation), check) : check();
  }
}

/// Joins n items of each rank, in the order of ranks, and gives all ranks the result.
void all_reduce(const Communicator& comm, void* items, std::int64_t n, std::int64_t item_bytes,
                MPI_User_function* join);
/// Gives each rank what the items of the ranks before it join to, and rank 0 `start`.
void exclusive_scan(const Communicator& comm, void* items, std::int64_t n, std::int64_t item_bytes, const void* start,
                    MPI_User_function* join);
void broadcast(const Communicator& comm, void* data, std::int64_t bytes, int root);
/// The values of one rank, of any number, on all.
template <class Values>
Values values_of_rank(const Communicator& comm, const Values& values, int rank) {
  auto length = static_cast<std::int64_t>(values.size());
  broadcast(comm, &length, sizeof length, rank);
  Values all = values;
  all.resize(length);
  broadcast(comm, all.data(), length * static_cast<std::int64_t>(sizeof(all[0])), rank);
  return all;
}
/// all = what each rank gives, in the order of ranks.
void all_gather(const Communicator& comm, const void* mine, void* all, std::int64_t bytes_of_each);
template <class T>
std::vector<T> all_gather(const Communicator& comm, const T& mine) {
  std::vector<T> all(comm.size());
  all_gather(comm, &mine, all.data(), sizeof(T));
  return all;
}
/// The numbers that the ranks of a group have in a communicator with all of them, in the group's order.
std::vector<int> ranks_of(const Communicator& group, const Communicator& all);
/// received(r) = what rank r has for this rank, of what each rank gives for each.
void all_to_all(const Communicator& comm, const std::int64_t* given, std::int64_t* received);
/// The sum, and the greatest, of all ranks' values.
std::int64_t sum_of_ranks(const Communicator& comm, std::int64_t value);
std::int64_t max_of_ranks(const Communicator& comm, std::int64_t value);

/// Reports an exception and ends all ranks.
[[noreturn]] void abort_with(const Communicator& comm, const char* message) noexcept;

}  // namespace impl

/// `f()`; if it throws, the message goes to the standard error stream with the number of the rank, and `MPI_Abort` ends
/// the ranks of the program. Without it, the others would wait for one that has gone.
///
/// @code
/// return quern::abort_on_exception(comm, [&] { return simulate(comm); });
/// @endcode
template <class F>
auto abort_on_exception(const Communicator& comm, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::exception& e) {
    impl::abort_with(comm, e.what());
  } catch (...) {
    impl::abort_with(comm, "an exception that is no std::exception");
  }
}

}  // namespace quern

#endif
