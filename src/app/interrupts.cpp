// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interrupts.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>

#include "launcher.hpp"

namespace app {
namespace {

std::mutex actions_mutex;
std::map<int, std::function<void()>> actions;
int last_action = 0;
std::atomic<int> works_that_end_themselves = 0, signal_received = 0;

/// How long work may take to end itself.
constexpr std::chrono::seconds grace(60);

std::map<int, std::function<void()>> current_actions() {
  const std::lock_guard lock(actions_mutex);
  return actions;
}

void end_program(int signal) {
  signal_received = signal;
  for (const auto& [number, action] : current_actions()) {
    try {
      action();
    } catch (const std::exception& e) {
      const std::string_view problem = e.what();
      (void)!::write(STDERR_FILENO, problem.data(), problem.size());
      (void)!::write(STDERR_FILENO, "\n", 1);
    }
  }
  if (works_that_end_themselves > 0) std::this_thread::sleep_for(grace);
  constexpr std::string_view message = "quern: interrupted\n", erase = "\r\033[K";
  if (launched_rank() == 0) {  // not through stdio, whose locks other threads may hold
    if (::isatty(STDERR_FILENO) != 0) (void)!::write(STDERR_FILENO, erase.data(), erase.size());
    (void)!::write(STDERR_FILENO, message.data(), message.size());
  }
  std::_Exit(128 + signal);
}

}  // namespace

void watch_interrupts() {
  std::signal(SIGINT, SIG_DFL);  // a shell starts programs in the background with SIGINT ignored
  std::signal(SIGTERM, SIG_DFL);
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);  // threads that are started from here on inherit it
  std::thread([watched] {
    int signal = 0;
    while (sigwait(&watched, &signal) != 0) {
    }
    pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
    end_program(signal);
  }).detach();
}

at_interrupt::at_interrupt(std::function<void()> action) {
  const std::lock_guard lock(actions_mutex);
  number_ = ++last_action;
  actions.emplace(number_, std::move(action));
}
at_interrupt::~at_interrupt() {
  const std::lock_guard lock(actions_mutex);
  actions.erase(number_);
}

interruptible_work::interruptible_work() { ++works_that_end_themselves; }
interruptible_work::~interruptible_work() { --works_that_end_themselves; }
void interruptible_work::check() {
  if (const int signal = signal_received) throw interrupted(signal);
}

}  // namespace app
