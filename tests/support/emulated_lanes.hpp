// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_SUPPORT_EMULATED_LANES_HPP
#define QUERN_TESTS_SUPPORT_EMULATED_LANES_HPP

#include <ucontext.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace test {

/// Runs a function on `Width` lanes that take turns on one thread of a host: in `from` each writes its value, gives the
/// turn to the next one, and reads when all have written.
template <int Width>
class lanes_in_turn {
 public:
  struct lane_type {
    static constexpr int width = Width;
    int lane;
    lanes_in_turn* all;
    template <class T>
    T from(int source, const T& x) const {
      return all->template exchange<T>(lane, source % Width, x);
    }
    void wait() const { from(lane, 0); }
  };

  template <class F>
  void each(const F& f) {
    body_ = [this, &f](int lane) { f(lane_type{lane, this}); };
    for (int l = 0; l < Width; ++l) start(l);
    for (bool some = true; some;) {
      some = false;
      for (current_ = 0; current_ < Width; ++current_)
        if (!done_[current_]) {
          swapcontext(&main_, &context_[current_]);
          some = true;
        }
    }
  }
  template <class T>
  T* scratch(int elements) {
    memory_.resize(elements * sizeof(T) / sizeof(double) + 1);
    return reinterpret_cast<T*>(memory_.data());
  }

 private:
  template <class T>
  T exchange(int lane, int source, const T& x) {
    auto& round = slots_[round_[lane]++ % 2];
    std::memcpy(round[lane].data(), &x, sizeof(T));
    swapcontext(&context_[lane], &main_);
    T result;
    std::memcpy(static_cast<void*>(&result), round[source].data(), sizeof(T));
    return result;
  }
  void start(int lane) {
    stack_[lane].resize(1 << 15);
    done_[lane] = false;
    round_[lane] = 0;
    getcontext(&context_[lane]);
    context_[lane].uc_stack.ss_sp = stack_[lane].data();
    context_[lane].uc_stack.ss_size = stack_[lane].size();
    context_[lane].uc_link = &main_;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context_[lane], reinterpret_cast<void (*)()>(&run), 2, static_cast<unsigned>(self),
                static_cast<unsigned>(self >> 32));
  }
  static void run(unsigned low, unsigned high) {
    auto* self = reinterpret_cast<lanes_in_turn*>(std::uintptr_t{high} << 32 | low);
    const int lane = self->current_;
    self->body_(lane);
    self->done_[lane] = true;
  }

  std::function<void(int)> body_;
  ucontext_t main_{}, context_[Width];
  std::array<std::vector<char>, Width> stack_;
  std::array<bool, Width> done_{};
  std::array<unsigned, Width> round_{};
  std::array<std::array<char, 32>, Width> slots_[2];
  std::vector<double> memory_;
  int current_ = 0;
};

/// The lanes of an item, as kernels take them (core/launch/register_lanes.hpp).
template <int Width>
class emulated_lanes {
 public:
  template <class F>
  void each(const F& f) const {
    lanes_->each(f);
  }
  template <class T>
  T* scratch(int elements) const {
    return lanes_->template scratch<T>(elements);
  }

 private:
  std::unique_ptr<lanes_in_turn<Width>> lanes_ = std::make_unique<lanes_in_turn<Width>>();
};

}  // namespace test

#endif
