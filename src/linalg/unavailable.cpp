// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes the place of a BLAS and a LAPACK where this installation has none: `available` says so, and nothing else is
// called.
#include <quern/core/call/error.hpp>

#include "instantiate.hpp"

namespace quern::impl {

[[noreturn]] static void missing(const char* routine) {
  throw BackendError(routine, "this Quern was built without (QUERN_ENABLE_LINALG=OFF)");
}

}  // namespace quern::impl

namespace quern::impl::blas {

template <class Exec>
bool available() {
  return false;
}
template <class Exec, class T>
void gemm(const Exec&, std::int64_t, std::int64_t, std::int64_t, std::int64_t, T, operand<const T>, operand<const T>, T,
          operand<T>) {
  missing("gemm");
}
template <class Exec, class T>
void trsm(const Exec&, side, triangle_kind, std::int64_t, std::int64_t, operand<const T>, operand<T>) {
  missing("trsm");
}

QUERN_ON_ALL(QUERN_BLAS_TYPES)

}  // namespace quern::impl::blas

namespace quern::impl::lapack {

template <class Exec, class T>
void getrf(const Exec&, column_major<T>, int*, int*) {
  missing("getrf");
}
template <class Exec, class T>
void getrs(const Exec&, column_major<const T>, const int*, column_major<T>) {
  missing("getrs");
}
template <class Exec, class T>
void potrf(const Exec&, column_major<T>, int*) {
  missing("potrf");
}
template <class Exec, class T>
void geqrf(const Exec&, column_major<T>, T*) {
  missing("geqrf");
}
template <class Exec, class T>
void orgqr(const Exec&, column_major<T>, std::int64_t, const T*) {
  missing("orgqr");
}
template <class Exec, class T>
void svd(const Exec&, column_major<T>, real_type<T>*, column_major<T>, column_major<T>, int*) {
  missing("svd");
}
template <class Exec, class T>
void eigh(const Exec&, column_major<T>, real_type<T>*, bool, int*) {
  missing("eigh");
}
template <class Exec, class T>
void eigh_batch(const Exec&, column_major<T>, real_type<T>*, bool, int*) {
  missing("eigh");
}

QUERN_ON_ALL(QUERN_LINALG_TYPES, QUERN_LAPACK)
QUERN_ON_ALL(QUERN_LINALG_TYPES, QUERN_LAPACK_BATCH)

}  // namespace quern::impl::lapack
