// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// LAPACK, for hosts.
#include <cmath>
#include <quern/core/launch/launch_units.hpp>
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

/// The eigenvalues and vectors of Hermitian matrices of one size.
template <class T>
class hermitian_solver {
 public:
  /// What each of several threads needs.
  template <class Exec>
  struct memory {
    memory(const Exec& exec, const hermitian_solver& s, std::int64_t threads)
        : arrays(exec, scratch_part{work, threads * s.size_}, scratch_part{reals, threads * s.reals_},
                 scratch_part{integers, threads * s.integers_}) {}
    T* work = nullptr;
    real_type<T>* reals = nullptr;
    int* integers = nullptr;
    scratch_arrays<Exec> arrays;
  };

  hermitian_solver(int n, bool vectors) : n_(n), job_(vectors ? "V" : "N") {
    T answer;
    real_type<T> real_answer = 0;
    int integer_answer = 0, info = 0;
    call(nullptr, n, nullptr, &answer, &real_answer, &integer_answer, &info);
    size_ = workspace_of(answer);
    reals_ = workspace_of(real_answer);
    integers_ = integer_answer;
  }
  template <class Memory>
  void operator()(T* a, int lda, real_type<T>* w, const Memory& m, std::int64_t thread, int* info) const {
    call(a, lda, w, m.work + thread * size_, m.reals + thread * reals_, m.integers + thread * integers_, info);
  }

 private:
  void call(T* a, int lda, real_type<T>* w, T* work, [[maybe_unused]] real_type<T>* reals, int* integers,
            int* info) const {
    if constexpr (is_complex<T>)
      routines<T>::syevd(job_, "L", &n_, a, &lda, w, work, &size_, reals, &reals_, integers, &integers_, info);
    else routines<T>::syevd(job_, "L", &n_, a, &lda, w, work, &size_, integers, &integers_, info);
  }

  int n_, size_ = -1, reals_ = -1, integers_ = -1;
  const char* job_;
};

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
  const hermitian_solver<T> solver(narrowed(a.rows), vectors);
  const typename hermitian_solver<T>::template memory<Exec> memory(exec, solver, 1);
  solver(a.data, narrowed(a.ld), w, memory, 0, info);
  check(*info, "syevd");
}

template <class Exec, class T>
void eigh_batch(const Exec& exec, column_major<T> a, real_type<T>* w, bool vectors, int* info) {
  const fortran::threads_of<Exec> no_more(exec);
  const hermitian_solver<T> solver(narrowed(a.rows), vectors);
  const std::int64_t items = a.columns / a.rows, threads = std::min<std::int64_t>(items, exec.concurrency());
  const typename hermitian_solver<T>::template memory<Exec> memory(exec, solver, threads);
  launch_units(exec, "quern::eigh/syevd", static_cast<int>(threads), [&](std::int64_t thread) {
    for (std::int64_t item = thread * items / threads; item < (thread + 1) * items / threads; ++item)
      solver(a.data + item * a.rows * a.ld, static_cast<int>(a.ld), w + item * a.rows, memory, thread, info + item);
  });
}

QUERN_ON_HOSTS(QUERN_LINALG_TYPES, QUERN_LAPACK)
QUERN_ON_HOSTS(QUERN_LINALG_TYPES, QUERN_LAPACK_BATCH)

}  // namespace quern::impl::lapack
