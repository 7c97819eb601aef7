// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_GUIDES_GUIDE_HPP
#define QUERN_TESTS_GUIDES_GUIDE_HPP

/// @file
/// What a reader of the guides imagines around their code.

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <quern/quern.hpp>
#include <support/testing.hpp>

using space = Kokkos::DefaultExecutionSpace;

template <class T>
auto on_device(const std::vector<T>& values) {
  const Kokkos::View<T*> v("values", values.size());
  Kokkos::deep_copy(v, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                           values.data(), values.size()));
  return v;
}

#endif
