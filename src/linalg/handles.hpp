// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_LINALG_HANDLES_HPP
#define QUERN_SRC_LINALG_HANDLES_HPP

#include <Kokkos_Core.hpp>
#include <map>
#include <memory>
#include <mutex>

namespace quern::impl::vendor {

/// What a vendor's library has made, until `Destroy` takes it back.
template <auto Destroy>
struct destroyer {
  void operator()(auto* made) const { Destroy(made); }
};
template <class Pointer, auto Destroy>
using owned = std::unique_ptr<std::remove_pointer_t<Pointer>, destroyer<Destroy>>;

/// The handles of a vendor's library, one for each device, made when first asked for and destroyed by
/// `Kokkos::finalize`. A handle serves one call at a time.
template <class Handle>
class handles {
 public:
  /// Calls f(handle) while no other thread uses the handle of that device, which `make` makes.
  template <class Make, class F>
  static void use(int device, const Make& make, const F& f) {
    handles& all = instance();
    std::lock_guard lock(all.mutex_);
    if (!all.hooked_) {
      Kokkos::push_finalize_hook([] {
        handles& last = instance();
        std::lock_guard lock_last(last.mutex_);
        last.of_device_.clear();
        last.hooked_ = false;
      });
      all.hooked_ = true;
    }
    if (!all.of_device_.contains(device)) all.of_device_.emplace(device, make());
    f(all.of_device_.at(device));
  }

 private:
  static handles& instance() {
    static handles all;
    return all;
  }

  std::mutex mutex_;
  std::map<int, Handle> of_device_;
  bool hooked_ = false;
};

}  // namespace quern::impl::vendor

#endif
