// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// LAPACK, for hosts.
#include <cmath>
#include <quern/core/memory/scratch_layout.hpp>

#include "fortran.hpp"
#include "instantiate.hpp"

namespace quern::impl::lapack {
namespace {

using fortran::routines;

int narrowed(std::int64_t n) { return fortran::narrowed(n, "LAPACK"); }

/// The size of a routine's workspace, in elements, as it reports it: a number that float may have rounded down.
template <class T>
int workspace_of(const T& answer) {
  if constexpr (is_complex<T>) return workspace_of(answer.real());
  else return narrowed(static_cast<std::int64_t>(std::ceil(answer * (1 + 1.0 / (1 << 23)))));
}

/// Calls `routine(work, &size)` to learn which size of memory it wants, and with that memory.
template <class T, class Exec, class Routine>
void with_workspace(const Exec& exec, const Routine& routine) {
  int size = -1;
  T answer;
  routine(&answer, &size);
  size = workspace_of(answer);
  const scratch_array<Exec, T> work(exec, size);
  routine(work.data(), &size);
}

/// An argument is wrong, which is a mistake here and not the user's.
void check(int info, const char* routine) {
  if (info < 0) throw BackendError(routine, "argument " + std::to_string(-info) + " is wrong");
}

}  // namespace

template <class Exec, class T>
void getrf(const Exec& exec, column_major<T> a, int* pivots, int* info) {
  const fortran::threads_of<Exec> threads(exec);
  const int m = narrowed(a.rows), n = narrowed(a.columns), lda = narrowed(a.ld);
  routines<T>::getrf(&m, &n, a.data, &lda, pivots, info);
  check(*info, "getrf");
}

template <class Exec, class T>
void getrs(const Exec& exec, column_major<const T> lu, const int* pivots, column_major<T> b) {
  const fortran::threads_of<Exec> threads(exec);
  const int n = narrowed(lu.rows), columns = narrowed(b.columns), ld = narrowed(lu.ld), ldb = narrowed(b.ld);
  int info = 0;
  routines<T>::getrs("N", &n, &columns, lu.data, &ld, pivots, b.data, &ldb, &info);
  check(info, "getrs");
}

template <class Exec, class T>
void potrf(const Exec& exec, column_major<T> a, int* info) {
  const fortran::threads_of<Exec> threads(exec);
  const int n = narrowed(a.rows), lda = narrowed(a.ld);
  routines<T>::potrf("L", &n, a.data, &lda, info);
  check(*info, "potrf");
}

template <class Exec, class T>
void geqrf(const Exec& exec, column_major<T> a, T* tau) {
  const fortran::threads_of<Exec> threads(exec);
  const int m = narrowed(a.rows), n = narrowed(a.columns), lda = narrowed(a.ld);
  int info = 0;
  with_workspace<T>(
      exec, [&](T* work, const int* size) { routines<T>::geqrf(&m, &n, a.data, &lda, tau, work, size, &info); });
  check(info, "geqrf");
}

template <class Exec, class T>
void orgqr(const Exec& exec, column_major<T> a, std::int64_t reflections, const T* tau) {
  const fortran::threads_of<Exec> threads(exec);
  const int m = narrowed(a.rows), n = narrowed(a.columns), k = narrowed(reflections), lda = narrowed(a.ld);
  int info = 0;
  with_workspace<T>(
      exec, [&](T* work, const int* size) { routines<T>::orgqr(&m, &n, &k, a.data, &lda, tau, work, size, &info); });
  check(info, "orgqr");
}

template <class Exec, class T>
void svd(const Exec& exec, column_major<T> a, real_type<T>* s, column_major<T> u, column_major<T> vt, int* info) {
  const fortran::threads_of<Exec> threads(exec);
  const char* job = u.data == nullptr ? "N" : "S";
  const int m = narrowed(a.rows), n = narrowed(a.columns), lda = narrowed(a.ld);
  const int ldu = narrowed(std::max(u.ld, a.rows)), ldvt = narrowed(std::max(vt.ld, a.columns));
  const scratch_array<Exec, int> integers(exec, 8 * a.columns);
  with_workspace<T>(exec, [&](T* work, const int* size) {
    if constexpr (is_complex<T>) {  // the largest that LAPACK asks for
      const std::int64_t reals = a.columns * std::max(5 * a.columns + 7, 2 * a.rows + 2 * a.columns + 1);
      const scratch_array<Exec, real_type<T>> real_work(exec, reals);
      routines<T>::gesdd(job, &m, &n, a.data, &lda, s, u.data, &ldu, vt.data, &ldvt, work, size, real_work.data(),
                         integers.data(), info);
    } else {
      routines<T>::gesdd(job, &m, &n, a.data, &lda, s, u.data, &ldu, vt.data, &ldvt, work, size, integers.data(), info);
    }
  });
  check(*info, "gesdd");
}

template <class Exec, class T>
void eigh(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info) {
  const fortran::threads_of<Exec> threads(exec);
  const char* job = vectors ? "V" : "N";
  const int n = narrowed(a.rows), lda = narrowed(a.ld);
  int size = -1, integers = -1, reals = -1;
  const auto call = [&](T* work, [[maybe_unused]] real_type<T>* real_work, int* integer_work) {
    if constexpr (is_complex<T>)
      routines<T>::syevd(job, "L", &n, a.data, &lda, w, work, &size, real_work, &reals, integer_work, &integers, info);
    else routines<T>::syevd(job, "L", &n, a.data, &lda, w, work, &size, integer_work, &integers, info);
  };
  T answer;
  real_type<T> real_answer = 0;
  int integer_answer = 0;
  call(&answer, &real_answer, &integer_answer);
  size = workspace_of(answer);
  reals = workspace_of(real_answer);
  integers = integer_answer;
  T* work = nullptr;
  real_type<T>* real_work = nullptr;
  int* integer_work = nullptr;
  const scratch_arrays<Exec> memory(exec, scratch_part{work, size}, scratch_part{real_work, reals},
                                    scratch_part{integer_work, integers});
  call(work, real_work, integer_work);
  check(*info, "syevd");
}

QUERN_ON_HOSTS(QUERN_LINALG_TYPES, QUERN_LAPACK)

}  // namespace quern::impl::lapack
