// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/core/launch/host_threads.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace quern::impl {
namespace {

/// More threads than this move no more memory on the hosts that were measured.
constexpr int max_threads = 16;

class thread_team {
 public:
  static thread_team& instance() {
    static thread_team team;
    return team;
  }

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  void run(std::int64_t n, const std::function<void(std::int64_t)>& f) {
    const std::lock_guard turn(turn_);
    {
      const std::lock_guard lock(mutex_);
      work_ = &f;
      count_ = n;
      next_ = 0;
      working_ = static_cast<int>(threads_.size());
      failure_ = nullptr;
      ++round_;
    }
    start_.notify_all();
    take_work();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return working_ == 0; });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  thread_team() {
    const int count = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, max_threads);
    for (int t = 1; t < count; ++t) threads_.emplace_back([this] { serve(); });
  }
  ~thread_team() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    start_.notify_all();
    for (auto& t : threads_) t.join();
  }

  void serve() {
    std::uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        start_.wait(lock, [&] { return ends_ || round_ != seen; });
        if (ends_) return;
        seen = round_;
      }
      take_work();
      const std::lock_guard lock(mutex_);
      if (--working_ == 0) done_.notify_one();
    }
  }

  void take_work() {
    for (std::int64_t k; (k = next_.fetch_add(1)) < count_;) try {
        (*work_)(k);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = count_;
      }
  }

  std::mutex turn_, mutex_;
  std::condition_variable start_, done_;
  const std::function<void(std::int64_t)>* work_ = nullptr;
  std::int64_t count_ = 0;
  std::atomic<std::int64_t> next_ = 0;
  int working_ = 0;
  std::uint64_t round_ = 0;
  bool ends_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace

int host_threads() { return thread_team::instance().size(); }

void on_host_threads(std::int64_t n, const std::function<void(std::int64_t)>& f) {
  if (n <= 1 || host_threads() == 1) {
    for (std::int64_t k = 0; k < n; ++k) f(k);
    return;
  }
  thread_team::instance().run(n, f);
}

void yield_thread() { std::this_thread::yield(); }

}  // namespace quern::impl
