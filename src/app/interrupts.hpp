// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_INTERRUPTS_HPP
#define QUERN_APP_INTERRUPTS_HPP

#include <functional>
#include <memory>
#include <stdexcept>

namespace app {

/// SIGINT or SIGTERM, for work that ends itself: `exit_status()` is 128 plus the signal's number.
class interrupted : public std::runtime_error {
 public:
  explicit interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int exit_status() const { return 128 + signal_; }

 private:
  int signal_;
};

/// From here on, SIGINT and SIGTERM are taken by a thread of its own, which does what `at_interrupt` objects say and
/// ends the program with the status 128 plus the signal's number, whatever the other threads do. A second signal ends
/// it at once. To be called before there are other threads.
void watch_interrupts();

/// Something to be done before a signal ends the program, while this object lives. Another thread calls it, so it owns
/// what it uses.
class at_interrupt {
 public:
  explicit at_interrupt(std::function<void()> action);
  ~at_interrupt();
  at_interrupt(const at_interrupt&) = delete;
  at_interrupt& operator=(const at_interrupt&) = delete;

 private:
  int number_;
};

/// While one lives, the work ends itself: it calls `check` between its parts, which throws `interrupted` after a
/// signal, and its destructors remove what it has not completed.
class interruptible_work {
 public:
  interruptible_work();
  ~interruptible_work();
  interruptible_work(const interruptible_work&) = delete;
  interruptible_work& operator=(const interruptible_work&) = delete;
  static void check();
};

}  // namespace app

#endif
