// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The calls of CUDA and HIP, whose functions have the same names.
#include "side_instance.hpp"

#include <optional>

#include "device_runtime.hpp"

namespace quern::impl {

namespace {

using stream = QUERN_DEVICE(Stream_t);

stream vendor_stream(const device_space& exec) { return static_cast<stream>(stream_of(exec)); }

}  // namespace

void* stream_of(const device_space& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  return exec.cuda_stream();
#else
  return exec.hip_stream();
#endif
}

struct side_instance::state {
  stream own = nullptr;
  QUERN_DEVICE(Event_t) here = nullptr, there = nullptr;
  std::optional<device_space> exec;

  static void order(QUERN_DEVICE(Event_t) event, stream first, stream then) {
    check_device(QUERN_DEVICE(EventRecord)(event, first));
    check_device(QUERN_DEVICE(StreamWaitEvent)(then, event, 0));
  }
};

side_instance::side_instance() : state_(std::make_unique<state>()) {
  int least = 0, greatest = 0;
  check_device(QUERN_DEVICE(DeviceGetStreamPriorityRange)(&least, &greatest));
  check_device(QUERN_DEVICE(StreamCreateWithPriority)(&state_->own, QUERN_DEVICE(StreamNonBlocking), greatest));
  check_device(QUERN_DEVICE(EventCreateWithFlags)(&state_->here, QUERN_DEVICE(EventDisableTiming)));
  check_device(QUERN_DEVICE(EventCreateWithFlags)(&state_->there, QUERN_DEVICE(EventDisableTiming)));
  state_->exec.emplace(state_->own);
}
side_instance::~side_instance() {
  state_->exec.reset();
  static_cast<void>(QUERN_DEVICE(EventDestroy)(state_->here));
  static_cast<void>(QUERN_DEVICE(EventDestroy)(state_->there));
  static_cast<void>(QUERN_DEVICE(StreamDestroy)(state_->own));
}

const device_space& side_instance::exec() const { return *state_->exec; }
void side_instance::after(const device_space& other) { state::order(state_->there, vendor_stream(other), state_->own); }
void side_instance::before(const device_space& other) { state::order(state_->here, state_->own, vendor_stream(other)); }

}  // namespace quern::impl
