// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes the place of a library for Fourier transforms where this installation has none: `available` says so, and
// nothing else is called.
#include <quern/core/call/error.hpp>

#include "instantiate.hpp"

namespace quern::impl::fourier {

template <class Exec>
bool available() {
  return false;
}
template <class Exec>
bool takes(const transform&, const void*, const void*) {
  return false;
}
template <class Exec>
bool overwrites(kind, int) {
  return false;
}
template <class Exec>
plan_key key_of(const Exec&, const transform& t, const void*, const void*) {
  return {t};
}
template <class Exec>
std::shared_ptr<void> plan(const Exec&, const plan_key&) {
  throw BackendError("quern::fft", "this Quern was built without (QUERN_ENABLE_FFT=OFF)");
}
template <class Exec>
void execute(const Exec&, const std::shared_ptr<void>&, const transform&, void*, void*) {}

QUERN_ON_HOSTS(QUERN_FFT)
QUERN_ON_DEVICES(QUERN_FFT)

}  // namespace quern::impl::fourier
