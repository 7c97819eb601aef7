// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TRANSFER_MIRROR_HPP
#define QUERN_TRANSFER_MIRROR_HPP

#include <memory>
#include <quern/core/call/label.hpp>
#include <quern/core/views/copies.hpp>
#include <quern/transfer/copy.hpp>

namespace quern {

/// An array with a side on the host and one on the device, which remembers the side that was written last. Operations
/// take it where they take a `Kokkos::DualView`: they work on the side that their execution space reaches, refuse it
/// where the other side is newer, and mark it when they write.
///
/// A DualView makes both of its sides, of one layout. A mirror takes a View that is there, of any layout, pinned or
/// not, and gives it another side, in the layout that is natural there; `sync` copies asynchronously on an instance.
/// Where a DualView serves, use that.
///
/// @code
/// quern::Mirror u(field);                 // field is a View of the host
/// u.modify_host();
/// u.sync_device(exec);
/// quern::gaussian_filter(exec, smooth, u, 2.0, quern::boundary::reflect);
/// @endcode
///
/// Copies of a mirror share memory and marks. Not safe for several host threads at a time.
/// @tparam Host   the View of the host
/// @tparam Device the View of the device; its layout is that of the device's execution space
template <class Host, class Device = Kokkos::View<typename Host::non_const_data_type, Kokkos::DefaultExecutionSpace>>
  requires(Kokkos::is_view_v<Host> && impl::host_reachable<Host>)
class Mirror {
 public:
  using t_host = Host;
  using t_dev = Device;
  using execution_space = typename Device::execution_space;
  static constexpr const char* name = "a mirror";  // in messages

  /// Allocates the device's side, whose content is undefined: the host's is the newer one.
  explicit Mirror(const Host& host)
      : host_(host),
        device_(Kokkos::view_alloc(Kokkos::WithoutInitializing, host.label()), impl::layout_like<Device>(host)),
        marks_(std::make_shared<marks>(marks{true, false})) {}

  /// The sides, by the names that DualView has for them.
  const Host& view_host() const { return host_; }
  const Device& view_device() const { return device_; }

  /// To be called after a side was written other than by one of Quern's operations.
  void modify_host() const { marks_->host_is_newer = true; }
  void modify_device() const { marks_->device_is_newer = true; }
  bool need_sync_device() const { return marks_->host_is_newer; }
  bool need_sync_host() const { return marks_->device_is_newer; }
  void clear_sync_state() const { *marks_ = {}; }

  /// Brings the side up to date, as `quern::copy` does, where the other one is newer.
  /// @throws Error if both sides were modified
  template <quern::execution_space Exec>
  void sync_device(const Exec& exec) const {
    sync("quern::Mirror::sync_device", need_sync_device(), [&] { copy(exec, device_, host_); });
  }
  template <quern::execution_space Exec>
  void sync_host(const Exec& exec) const {
    sync("quern::Mirror::sync_host", need_sync_host(), [&] { copy(exec, host_, device_); });
  }
  /// On a default instance, for which they wait.
  void sync_device() const {
    sync_and_wait([&](const auto& exec) { sync_device(exec); });
  }
  void sync_host() const {
    sync_and_wait([&](const auto& exec) { sync_host(exec); });
  }

 private:
  struct marks {
    bool host_is_newer = false, device_is_newer = false;
  };
  template <class Copy>
  void sync(const impl::operation_name& label, bool needed, const Copy& copy_side) const {
    if (!needed) return;
    if (need_sync_host() && need_sync_device()) throw Error(label, "both sides were modified");
    copy_side();
    clear_sync_state();
  }
  template <class Sync>
  static void sync_and_wait(const Sync& sync_side) {
    const execution_space exec;
    sync_side(exec);
    exec.fence(impl::kernel_label("quern::Mirror"));
  }

  Host host_;
  Device device_;
  std::shared_ptr<marks> marks_;
};

}  // namespace quern

#endif
