// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5_handle.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace quern::files::impl {
namespace {

/// The descriptors of an open file, below the library: one, or those that MPI has of a file of several processes, which
/// only the system tells.
std::vector<int> descriptors_of(hid_t file, bool shared) try {
  if (!shared) {
    const hid_t access = H5Fget_access_plist(file);  // of a shared file all processes would have to ask together
    void* descriptor = nullptr;
    const bool known = access >= 0 && H5Pget_driver(access) == H5FD_SEC2 &&
                       H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor) >= 0 && descriptor != nullptr;
    if (access >= 0) H5Pclose(access);
    return known ? std::vector{*static_cast<const int*>(descriptor)} : std::vector<int>{};
  }
  std::vector<int> found;
#ifdef __linux__
  std::string name(static_cast<std::size_t>(std::max<ssize_t>(0, H5Fget_name(file, nullptr, 0))) + 1, '\0');
  struct stat wanted{}, other{};
  if (H5Fget_name(file, name.data(), name.size()) <= 0 || ::stat(name.c_str(), &wanted) != 0) return {};
  std::error_code ended;
  for (std::filesystem::directory_iterator i("/proc/self/fd", ended), last; !ended && i != last; i.increment(ended)) {
    const int number = std::atoi(i->path().filename().c_str());
    if (::fstat(number, &other) == 0 && other.st_dev == wanted.st_dev && other.st_ino == wanted.st_ino)
      found.push_back(number);
  }
#endif
  return found;
} catch (...) {  // where an error is under way, and memory or descriptors are gone
  return {};
}

/// While it lives, what is written to a file goes to memory, so that a library that cannot write to a full disk ends
/// its work and frees what it has. A limit on the size of files (`ulimit -f`), which is one reason for such a failure,
/// would count there, too, and is lifted for that time.
class nowhere {
 public:
  explicit nowhere(const std::vector<int>& descriptors) {
#ifdef __linux__
    if (descriptors.empty()) return;
    const int memory = ::memfd_create("quern", MFD_CLOEXEC);
    if (memory < 0) return;
    bool redirected = true;
    for (const int d : descriptors) redirected = redirected && ::dup3(memory, d, O_CLOEXEC) >= 0;
    ::close(memory);
    if (!redirected || ::getrlimit(RLIMIT_FSIZE, &limit_) != 0) return;
    rlimit raised = limit_;
    raised.rlim_cur = raised.rlim_max;
    changed_ = ::setrlimit(RLIMIT_FSIZE, &raised) == 0;
#endif
  }
  ~nowhere() {
    if (changed_) ::setrlimit(RLIMIT_FSIZE, &limit_);
  }
  nowhere(const nowhere&) = delete;
  nowhere& operator=(const nowhere&) = delete;

 private:
  rlimit limit_{};
  bool changed_ = false;
};

#ifdef __linux__
/// Whether there is room for so many bytes, as far as the file system can tell.
bool reserve_bytes(int descriptor, off_t bytes) {
  while (::fallocate(descriptor, 0, 0, bytes) != 0)
    if (errno != EINTR) return errno != ENOSPC && errno != EFBIG && errno != EDQUOT;
  return true;
}
#endif

}  // namespace

void hdf5_handle::reserve() {
  const library_lock lock;
  haddr_t bytes = needed_;
  if (!shared_) check(path_, "cannot be written", H5Fget_eoa(file(), &bytes));
  // Where another process has made the file longer, the limit of this one is not asked below.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur)
    throw FileError(path_, "cannot be written: " + std::string(std::strerror(EFBIG)));
#ifdef __linux__
  for (const int d : descriptors_of(file_, shared_))
    if (!reserve_bytes(d, static_cast<off_t>(bytes))) throw FileError(path_, "cannot be written: " + reason());
#endif
}

// What an earlier call has written is replaced by a flush alone, which cannot fail half-way for lack of room. Until
// then the library appends data, and keeps in memory what tells where they are.
void hdf5_handle::publish() {
  const library_lock lock;
  reserve();
  flush();
  for (const int d : descriptors_of(file_, shared_))
    if (!bring_to_disk(d)) throw FileError(path_, "cannot be written: " + reason());
  check(path_, "cannot be written", H5Fget_filesize(file(), &published_));
  give_name();
}

void hdf5_handle::revert() noexcept {
  const library_lock lock;
  discard();
  if (file_ < 0) return;
  const auto descriptors = descriptors_of(file_, shared_);
  const int file = descriptors.empty() ? -1 : ::fcntl(descriptors[0], F_DUPFD_CLOEXEC, 0);
  abandon();
  if (file < 0) return;
  // Where this fails, the file has bytes at its end that nothing refers to.
  if (published_ > 0) [[maybe_unused]]
    const int status = ::ftruncate(file, static_cast<off_t>(published_));
  ::close(file);
}

void hdf5_handle::abandon() noexcept {
  const library_lock lock;
  if (file_ < 0) return;
  const nowhere other(descriptors_of(file_, shared_));
  H5Fclose(std::exchange(file_, -1));
}

}  // namespace quern::files::impl
