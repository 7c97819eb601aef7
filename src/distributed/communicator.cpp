// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <numeric>
#include <quern/core/call/label.hpp>
#include <set>

#include "communicator_state.hpp"
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace quern {
namespace impl {

void check_mpi(std::string_view operation, int status) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw BackendError(std::string(operation), "MPI reports: " + std::string(text.data(), length));
}

namespace {

bool mpi_has_ended() {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

/// All duplicates that exist. MPI_Finalize frees the attributes of MPI_COMM_SELF first, and with ours the duplicates.
class duplicates {
 public:
  static duplicates& instance() {
    static duplicates d;
    return d;
  }
  void add(communicator_state* s) {
    const std::lock_guard lock(mutex_);
    if (key_ == MPI_KEYVAL_INVALID) {
      check_mpi("quern::Communicator", MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release_all, &key_, nullptr));
      check_mpi("quern::Communicator", MPI_Comm_set_attr(MPI_COMM_SELF, key_, nullptr));
    }
    all_.insert(s);
  }
  void remove(communicator_state* s) {
    const std::lock_guard lock(mutex_);
    all_.erase(s);
  }
  void abort_links() {
    for (auto* s : all_)
      if (s->link) s->link->abort();
  }

 private:
  static int release_all(MPI_Comm, int, void*, void*) {
    for (auto* s : instance().all_) s->release();
    return MPI_SUCCESS;
  }
  std::mutex mutex_;
  std::set<communicator_state*> all_;
  int key_ = MPI_KEYVAL_INVALID;
};

bool mpi_takes_device_pointers() {
#if defined(KOKKOS_ENABLE_CUDA) && defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(KOKKOS_ENABLE_HIP) && defined(MPIX_ROCM_AWARE_SUPPORT)
  return MPIX_Query_rocm_support() == 1;
#else
  const char* said = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
  return said != nullptr && std::strcmp(said, "1") == 0;
#endif
}

/// Whether no two ranks share a device. Collective.
/// @param node the ranks of a host
bool devices_are_apart(const communicator_state& s, MPI_Comm node) {
  constexpr int length = 64;
  std::array<char, length> mine{};
  device_identity().copy(mine.data(), length - 1);
  std::vector<std::array<char, length>> all(s.node_size);
  check_mpi("quern::Communicator", MPI_Allgather(mine.data(), length, MPI_CHAR, all.data(), length, MPI_CHAR, node));
  int apart = std::count(all.begin(), all.end(), mine) == 1 && mine[0] != 0 ? 1 : 0;
  check_mpi("quern::Communicator", MPI_Allreduce(MPI_IN_PLACE, &apart, 1, MPI_INT, MPI_MIN, s.comm));
  return apart != 0;
}

device_transport choose_transport(const communicator_state& s, MPI_Comm node, const communicator_options& options) {
  const auto asked = options.transport;
  if (asked.value_or(device_transport::nccl) == device_transport::nccl) {
    const bool possible = has_device_link() && devices_are_apart(s, node);
    if (possible) return device_transport::nccl;
    if (asked)
      throw Error("quern::Communicator", has_device_link()
                                             ? "NCCL needs a device for each rank, and two ranks of a host share one"
                                             : "this build of Quern has neither NCCL nor RCCL");
  }
  if (asked) return *asked;
  return mpi_takes_device_pointers() ? device_transport::device_mpi : device_transport::staged;
}

/// Completes a state that has its duplicate: where its ranks are, and how device memory goes. Collective.
void complete(communicator_state& s, const communicator_options& options) {
  const std::string& label = label_text("quern::Communicator");
  check_mpi(label, MPI_Comm_set_errhandler(s.comm, MPI_ERRORS_RETURN));
  check_mpi(label, MPI_Comm_rank(s.comm, &s.rank));
  check_mpi(label, MPI_Comm_size(s.comm, &s.size));
  communicator_state node;  // of the ranks of a host; freed where it goes
  check_mpi(label, MPI_Comm_split_type(s.comm, MPI_COMM_TYPE_SHARED, s.rank, MPI_INFO_NULL, &node.comm));
  check_mpi(label, MPI_Comm_rank(node.comm, &s.node_rank));
  check_mpi(label, MPI_Comm_size(node.comm, &s.node_size));
  s.transport = choose_transport(s, node.comm, options);
  if (s.transport == device_transport::nccl) s.link = make_device_link(s.comm, s.rank, s.size);
  const char* checks = std::getenv("QUERN_CHECK_CALLS");
  s.checks = options.check_calls || (checks != nullptr && std::strcmp(checks, "1") == 0);
}

void check_initialized() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0 || mpi_has_ended())
    throw Error("quern::Communicator", "MPI is not initialized; call MPI_Init_thread or MPI_Init before");
}

template <class T>
T reduced(const Communicator& comm, T value, MPI_Datatype type, MPI_Op op) {
  check_mpi("quern::Communicator", MPI_Allreduce(MPI_IN_PLACE, &value, 1, type, op, comm.mpi()));
  return value;
}

/// Bytes as MPI counts them, in units that a count of 32 bits holds.
template <class F>
void for_each_part(std::int64_t n, std::int64_t max_items, const F& f) {
  for (std::int64_t first = 0; first < n; first += max_items)
    f(first, static_cast<int>(std::min(max_items, n - first)));
}

/// Calls f(part, count, type, operation), which returns a status, for parts of n items of some bytes that a count of
/// 32 bits holds, with the type and the operation that joins items, as MPI knows them.
template <class F>
void join_in_parts(void* items, std::int64_t n, std::int64_t item_bytes, MPI_User_function* join, const F& f) {
  MPI_Datatype item;
  MPI_Op op;
  check_mpi("quern::Communicator", MPI_Type_contiguous(static_cast<int>(item_bytes), MPI_BYTE, &item));
  check_mpi("quern::Communicator", MPI_Type_commit(&item));
  check_mpi("quern::Communicator", MPI_Op_create(join, 0, &op));  // 0: in the order of ranks
  int status = MPI_SUCCESS;
  for_each_part(n, std::max<std::int64_t>(INT_MAX / item_bytes, 1), [&](std::int64_t first, int count) {
    if (status == MPI_SUCCESS) status = f(static_cast<std::byte*>(items) + first * item_bytes, count, item, op);
  });
  MPI_Op_free(&op);
  MPI_Type_free(&item);
  check_mpi("quern::Communicator", status);
}

/// A text as a message shows it beside another: of many values the first that differs.
std::string shown_beside(const std::string& other, const std::string& text) {
  const std::size_t end = std::min(text.find(values_follow), text.size());
  const std::string call = text.substr(0, end), values = text.substr(std::min(end + 1, text.size()));
  constexpr int values_shown = 9;
  if (std::count(values.begin(), values.end(), ' ') <= values_shown) return call + values;
  const auto same = std::mismatch(text.begin(), text.end(), other.begin(), other.end()).first;
  const auto differs = static_cast<std::size_t>(same - text.begin());
  if (differs <= end + 1) return call;
  const std::size_t first = text.rfind(' ', differs - 1);
  const auto position = std::count(text.begin() + static_cast<std::ptrdiff_t>(end),
                                   text.begin() + static_cast<std::ptrdiff_t>(first), ' ');
  return call + ", with" + text.substr(first, text.find(' ', first + 1) - first) + " at position " +
         std::to_string(position);
}

}  // namespace

communicator_state::communicator_state() { duplicates::instance().add(this); }
communicator_state::~communicator_state() {
  duplicates::instance().remove(this);
  release();
}
void communicator_state::release() {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  if (side != nullptr && Kokkos::is_initialized())
    side->exec().fence(kernel_label("quern::Communicator: its last transfers"));
  // After Kokkos has ended, its instances cannot be destroyed any more.
  else if (side != nullptr) new std::shared_ptr<side_instance>(std::move(side));
#endif
  link.reset();
  side.reset();
  if (comm != MPI_COMM_NULL && !mpi_has_ended()) MPI_Comm_free(&comm);
  comm = MPI_COMM_NULL;
}

void check_same(const Communicator& comm, const std::string& operation, const std::string& what,
                const std::string& text) {
  const std::string first = values_of_rank(comm, text, 0);
  const int other = reduced(comm, first == text ? INT_MAX : comm.rank(), MPI_INT, MPI_MIN);
  if (other == INT_MAX) return;
  const std::string differing = values_of_rank(comm, text, other);
  throw Error(operation, what + " differ between ranks: " + shown_beside(differing, first) + " on rank 0 and " +
                             shown_beside(first, differing) + " on rank " + std::to_string(other));
}

void throw_together(const Communicator& comm, const std::string& operation, const std::string& problem) {
  const int first = reduced(comm, problem.empty() ? INT_MAX : comm.rank(), MPI_INT, MPI_MIN);
  if (first == INT_MAX) return;
  throw Error(operation, "on rank " + std::to_string(first) + ": " + values_of_rank(comm, problem, first));
}

void all_reduce(const Communicator& comm, void* items, std::int64_t n, std::int64_t item_bytes,
                MPI_User_function* join) {
  join_in_parts(items, n, item_bytes, join, [&](void* part, int count, MPI_Datatype item, MPI_Op op) {
    return MPI_Allreduce(MPI_IN_PLACE, part, count, item, op, comm.mpi());
  });
}

void exclusive_scan(const Communicator& comm, void* items, std::int64_t n, std::int64_t item_bytes, const void* start,
                    MPI_User_function* join) {
  join_in_parts(items, n, item_bytes, join, [&](void* part, int count, MPI_Datatype item, MPI_Op op) {
    return MPI_Exscan(MPI_IN_PLACE, part, count, item, op, comm.mpi());
  });
  if (comm.rank() > 0) return;
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(static_cast<std::byte*>(items) + i * item_bytes, start, item_bytes);
}

void all_to_all(const Communicator& comm, const std::int64_t* given, std::int64_t* received) {
  check_mpi("quern::Communicator", MPI_Alltoall(given, 1, MPI_INT64_T, received, 1, MPI_INT64_T, comm.mpi()));
}

void broadcast(const Communicator& comm, void* data, std::int64_t bytes, int root) {
  for_each_part(bytes, INT_MAX, [&](std::int64_t first, int count) {
    check_mpi("quern::Communicator",
              MPI_Bcast(static_cast<std::byte*>(data) + first, count, MPI_BYTE, root, comm.mpi()));
  });
}

void all_gather(const Communicator& comm, const void* mine, void* all, std::int64_t bytes_of_each) {
  if (bytes_of_each > INT_MAX)
    throw Error("quern::Communicator",
                std::to_string(bytes_of_each) + " bytes of each rank are too many for one message");
  const int count = static_cast<int>(bytes_of_each);
  check_mpi("quern::Communicator", MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm.mpi()));
}

std::vector<int> ranks_of(const Communicator& group, const Communicator& all) {
  std::vector<int> own(group.size()), ranks(group.size());
  std::iota(own.begin(), own.end(), 0);
  MPI_Group from, to;
  check_mpi("quern::Communicator", MPI_Comm_group(group.mpi(), &from));
  check_mpi("quern::Communicator", MPI_Comm_group(all.mpi(), &to));
  check_mpi("quern::Communicator", MPI_Group_translate_ranks(from, group.size(), own.data(), to, ranks.data()));
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  return ranks;
}

std::int64_t sum_of_ranks(const Communicator& comm, std::int64_t value) {
  return reduced(comm, value, MPI_INT64_T, MPI_SUM);
}
std::int64_t max_of_ranks(const Communicator& comm, std::int64_t value) {
  return reduced(comm, value, MPI_INT64_T, MPI_MAX);
}

void abort_with(const Communicator& comm, const char* message) noexcept {
  std::fprintf(stderr, "rank %d of %d: %s\n", comm.rank(), comm.size(), message);
  std::fflush(stderr);
  duplicates::instance().abort_links();
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::abort();
}

}  // namespace impl

Communicator::Communicator(MPI_Comm comm, const communicator_options& options) {
  impl::check_initialized();
  state_ = std::make_shared<impl::communicator_state>();
  impl::check_mpi("quern::Communicator", MPI_Comm_dup(comm, &state_->comm));
  impl::complete(*state_, options);
}

int Communicator::rank() const { return state_->rank; }
int Communicator::size() const { return state_->size; }
int Communicator::node_rank() const { return state_->node_rank; }
int Communicator::node_size() const { return state_->node_size; }
device_transport Communicator::transport() const { return state_->transport; }
bool Communicator::checks_calls() const { return state_->checks; }
MPI_Comm Communicator::mpi() const { return state_->comm; }

Communicator Communicator::split(int colour, int key, std::optional<device_transport> other) const {
  auto part = std::make_shared<impl::communicator_state>();
  impl::check_mpi("quern::Communicator", MPI_Comm_split(state_->comm, colour, key, &part->comm));
  impl::complete(*part, {other.value_or(transport()), checks_calls()});
  return Communicator(std::move(part));
}

}  // namespace quern
