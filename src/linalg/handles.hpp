// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_LINALG_HANDLES_HPP
#define QUERN_SRC_LINALG_HANDLES_HPP

#include <Kokkos_Core.hpp>
#include <map>
#include <memory>
#include <mutex>

namespace quern::impl::vendor {

/// The handles of a vendor's library, one for each device, made when first asked for and destroyed by
/// `Kokkos::finalize`. A handle serves one call at a time.
template <class Handle>
class handles {
 public:
  /// Calls f(handle) while no other thread uses the handle of that device.
  template <class F>
  static void use(int device, const F& f) {
    static handles all;
    std::lock_guard lock(all.mutex_);
    if (!all.hooked_) {
      Kokkos::push_finalize_hook([] {
        std::lock_guard last(all.mutex_);
        all.of_device_.clear();
        all.hooked_ = false;
      });
      all.hooked_ = true;
    }
    auto& handle = all.of_device_[device];
    if (!handle) handle = std::make_unique<Handle>();
    f(handle->get());
  }

 private:
  std::mutex mutex_;
  std::map<int, std::unique_ptr<Handle>> of_device_;
  bool hooked_ = false;
};

}  // namespace quern::impl::vendor

#endif
