// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_CALL_REF_HPP
#define QUERN_TESTS_SUPPORT_CALL_REF_HPP

namespace test {

/// A call that somebody else owns, called with `Args`. What takes it is compiled once, and not for each of the many
/// lambdas of tests.
template <class... Args>
class call_ref {
  const void* call_;
  void (*run_)(const void*, Args...);

  template <class F>
  static void run(const void* call, Args... args) {
    static_cast<void>((*static_cast<const F*>(call))(args...));
  }

 public:
  template <class F>
  call_ref(const F& call) : call_(&call), run_(&run<F>) {}  // implicit: a lambda is an argument as before
  call_ref(const call_ref&) = default;
  void operator()(Args... args) const { run_(call_, args...); }
};

}  // namespace test

#endif
