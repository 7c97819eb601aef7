// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_BENCH_RANDOM_RANDOM_VENDOR_HPP
#define QUERN_BENCH_RANDOM_RANDOM_VENDOR_HPP

/// @file
/// Fields of the vendor's library, on CUDA.

#include "support/bench.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include <curand.h>

#include <memory>
#include <stdexcept>

namespace bench::vendor {

inline void check(curandStatus_t status) {
  if (status != CURAND_STATUS_SUCCESS) throw std::runtime_error("cuRAND: status " + std::to_string(status));
}

inline auto generator(const exec_space& exec, curandRngType type) {
  curandGenerator_t made = nullptr;
  check(curandCreateGenerator(&made, type));
  const std::shared_ptr<std::remove_pointer_t<curandGenerator_t>> owned(made, curandDestroyGenerator);
  check(curandSetStream(made, exec.cuda_stream()));
  check(curandSetPseudoRandomGeneratorSeed(made, 1));
  check(curandGenerateSeeds(made));
  return owned;
}

/// Variants of cuRAND: `fill(generator)` with the generator that Quern has, and with cuRAND's default.
template <class Fill>
void add(prepared& p, const exec_space& exec, const Fill& fill) {
  for (const auto& [name, type] :
       {std::pair("vendor", CURAND_RNG_PSEUDO_PHILOX4_32_10), std::pair("vendor_xorwow", CURAND_RNG_PSEUDO_XORWOW)})
    p.variants.push_back({name, [fill, g = generator(exec, type)] { check(fill(g.get())); }});
}

inline void add_uniform(prepared& p, const exec_space& exec, const view<double*>& v) {
  add(p, exec, [v](curandGenerator_t g) { return curandGenerateUniformDouble(g, v.data(), v.size()); });
}
inline void add_normal(prepared& p, const exec_space& exec, const view<double*>& v) {
  add(p, exec, [v](curandGenerator_t g) { return curandGenerateNormalDouble(g, v.data(), v.size(), 0, 1); });
}
inline void add_normal(prepared& p, const exec_space& exec, const view<float*>& v) {
  add(p, exec, [v](curandGenerator_t g) { return curandGenerateNormal(g, v.data(), v.size(), 0, 1); });
}
inline void add_poisson(prepared& p, const exec_space& exec, const view<int*>& v, double rate) {
  add(p, exec, [v, rate](curandGenerator_t g) {
    return curandGeneratePoisson(g, reinterpret_cast<unsigned*>(v.data()), v.size(), rate);
  });
}

}  // namespace bench::vendor
#endif

#endif
