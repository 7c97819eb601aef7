// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_DISTRIBUTED_SIDE_INSTANCE_HPP
#define QUERN_SRC_DISTRIBUTED_SIDE_INSTANCE_HPP

#include <Kokkos_Core.hpp>
#include <memory>

namespace quern::impl {

#ifdef KOKKOS_ENABLE_CUDA
using device_space = Kokkos::Cuda;
#elif defined(KOKKOS_ENABLE_HIP)
using device_space = Kokkos::HIP;
#endif

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
/// An instance of the device for what goes from rank to rank, and what waits for it: on a stream of the highest
/// priority, so that it runs beside what other instances compute and is not kept from the device by them.
class side_instance {
 public:
  side_instance();
  ~side_instance();
  side_instance(const side_instance&) = delete;
  side_instance& operator=(const side_instance&) = delete;

  const device_space& exec() const;
  /// What is launched here from now on comes after what was launched on the other instance.
  void after(const device_space& other);
  /// What is launched on the other instance from now on comes after what was launched here.
  void before(const device_space& other);

 private:
  struct state;
  std::unique_ptr<state> state_;
};
/// The stream of an instance, for the vendor's library.
void* stream_of(const device_space& exec);
#else
class side_instance;  // hosts have none
#endif

}  // namespace quern::impl

#endif
