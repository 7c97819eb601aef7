// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TRANSFER_COPY_ASYNC_HPP
#define QUERN_TRANSFER_COPY_ASYNC_HPP

#include <functional>
#include <memory>
#include <quern/transfer/copy.hpp>

namespace quern {
namespace impl {

/// Work of another thread of the host, if there is any.
class host_task {
 public:
  void start(const std::function<void()>& work);
  /// Whether it has ended; does not wait.
  bool ended() const;
  /// @throws what the work threw
  void wait() const;

 private:
  std::shared_ptr<void> work_;
};

}  // namespace impl

/// A copy that is under way. It keeps the memory of both Views, and waits when it is destroyed.
template <execution_space Exec>
class CopyHandle {
 public:
  CopyHandle() = default;

  /// Whether the copy has ended; does not wait.
  bool ready() const { return state_ == nullptr || (state_->launched.ended() && state_->end.reached()); }

  /// Waits for the copy, and for nothing that was launched after it.
  /// @throws what the copy threw
  void wait() {
    if (const auto s = std::exchange(state_, nullptr)) s->finish();
  }

 private:
  template <execution_space E, view_like Out, view_like In>
  friend CopyHandle<E> copy_async(const E&, const Out&, const In&);

  struct state {
    std::shared_ptr<const void> views;
    impl::host_task launched;
    impl::order_mark<Exec> end;

    void finish() {
      launched.wait();
      end.wait();
    }
    ~state() {
      try {
        finish();
      } catch (...) {  // of a copy that nobody has waited for
      }
    }
  };
  std::shared_ptr<state> state_;
};

/// `copy` without the waiting: threads of the host pack and unpack beside the caller. It comes after what was launched
/// on `exec` before the call; what is launched later may come before or after it. Until it has ended, `out` is
/// undefined and `in` must not change.
///
/// @code
/// auto arrives = quern::copy_async(exec, on_host, on_device);
/// compute_something_else();
/// arrives.wait();
/// @endcode
///
/// On hosts, whose kernels end before their launch returns, this is `copy`.
/// @throws Error at once if `in` does not broadcast to `out`
template <execution_space Exec, view_like Out, view_like In>
[[nodiscard]] CopyHandle<Exec> copy_async(const Exec& exec, const Out& out, const In& in) {
  CopyHandle<Exec> handle;
  handle.state_ = std::make_shared<typename CopyHandle<Exec>::state>();
  auto* state = handle.state_.get();
  state->views = std::make_shared<const std::pair<Out, In>>(out, in);
  const auto launch = [=] {
    copy(exec, out, in);
    state->end.set(exec);
  };
  if constexpr (impl::across_link<Exec, Out, In>) {
    if (impl::waits_for_host<Exec>(out, in)) {
      impl::checked_ends<Exec>(out, in);
      state->launched.start(launch);
      return handle;
    }
  }
  launch();
  return handle;
}
QUERN_TAKES_NAME(copy_async)

}  // namespace quern

#endif
