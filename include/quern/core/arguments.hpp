// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_ARGUMENTS_HPP
#define QUERN_CORE_ARGUMENTS_HPP

#include <exception>
#include <functional>
#include <quern/core/overlap.hpp>
#include <quern/core/pack.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace quern {

/// Several outputs of an operation: `outputs(u, v)`.
template <class... Out>
std::tuple<Out...> outputs(const Out&... out) {
  static_assert(sizeof...(Out) > 1, "quern::outputs: at least two");
  return {out...};
}

}  // namespace quern

namespace quern::impl {

template <class T>
inline constexpr bool is_outputs = false;
template <class... Out>
inline constexpr bool is_outputs<std::tuple<Out...>> = true;
template <class Out>
auto as_outputs(const Out& out) {
  if constexpr (is_outputs<Out>) return out;
  else return std::tuple<Out>(out);
}

/// The View whose type tells rank and layout.
template <class V>
auto typical_view() {
  if constexpr (dual_view<V>) return std::type_identity<typename V::t_dev>();
  else return std::type_identity<V>();
}
template <class V>
using typical = typename decltype(typical_view<std::remove_cvref_t<V>>())::type;

/// The rank of a View, or -1 where it is not known when compiling.
template <class V>
constexpr int known_rank() {
  if constexpr (requires { std::integral_constant<std::size_t, typical<V>::rank()>(); })
    return static_cast<int>(typical<V>::rank());
  else return -1;
}

/// An input of an operation on the host: an array, or a scalar that stands for one.
template <class T>
struct array_input {
  using value_type = T;
  using operand = array_operand<const T>;
  strided<const T> array;
  operand at_step(std::int64_t step) const { return {array.data, step}; }
};

template <class T>
struct scalar_input {
  using value_type = T;
  using operand = scalar_operand<T>;
  T value;
  strided<const T> array{};  // rank 0 broadcasts to all extents
  operand at_step(std::int64_t) const { return {value}; }
};

/// Positions along some axes, with the extents of an array.
struct position_input {
  using value_type = std::int64_t;
  using operand = position_operand;
  strided<const std::int64_t> array;
  operand at_step(std::int64_t step) const { return {step}; }
};

template <class Exec, class V>
auto make_input(const V& v, const std::string& operation) {
  if constexpr (std::is_same_v<V, position_input>) {
    return v;
  } else if constexpr (view_like<V>) {
    static_assert(view_traits<V>::template accessible<Exec>,
                  "quern: an input is not accessible from the execution space");
    const auto s = as_strided<Exec, use::input>(v, operation);
    return array_input<value_of<V>>{{s.data, s.extents, s.stride}};
  } else {
    static_assert(scalar_value<V>, "quern: an input is neither a View nor a scalar");
    return scalar_input<std::remove_cvref_t<V>>{v};
  }
}

/// Collects the DualViews that an operation of several steps writes, and marks them as modified when it is done; none
/// where it throws. Within another one of the same thread it leaves that to the other.
class deferred_marks {
 public:
  deferred_marks() {
    if (current() == nullptr) current() = this;
  }
  ~deferred_marks() {
    if (current() != this) return;
    current() = nullptr;
    if (std::uncaught_exceptions() == exceptions_)
      for (const auto& mark : marks_) mark();
  }
  deferred_marks(const deferred_marks&) = delete;
  deferred_marks& operator=(const deferred_marks&) = delete;

  /// Now, or when the operation that is under way is done.
  static void mark(std::function<void()> how) {
    if (current() == nullptr) how();
    else current()->marks_.push_back(std::move(how));
  }

 private:
  static deferred_marks*& current() {
    thread_local deferred_marks* of_thread = nullptr;
    return of_thread;
  }
  int exceptions_ = std::uncaught_exceptions();
  std::vector<std::function<void()>> marks_;
};

/// The side of a DualView that an operation writes. It is marked as modified when the operation is done, so that one
/// that throws changes nothing and one that reads the same DualView still sees whether that is up to date.
template <class Exec, class V>
class dual_output : public strided<typename V::t_dev::value_type> {
 public:
  using value_type = typename V::t_dev::value_type;
  dual_output(const strided<value_type>& side, const V& view) : strided<value_type>(side), view_(view) {}
  dual_output(dual_output&& other) noexcept
      : strided<value_type>(other), view_(other.view_), owner_(std::exchange(other.owner_, false)) {}
  ~dual_output() {
    if (owner_ && std::uncaught_exceptions() == exceptions_) deferred_marks::mark([v = view_] { mark(v); });
  }

 private:
  static void mark(V v) {  // which shares the flags
    v.clear_sync_state();
    if constexpr (on_device_side<Exec, V>) v.modify_device();
    else v.modify_host();
  }
  V view_;
  bool owner_ = true;
  int exceptions_ = std::uncaught_exceptions();
};

template <class Exec, class V>
auto make_output(const V& v, const std::string& operation) {
  static_assert(view_like<V>, "quern: out is not a View");
  static_assert(!view_traits<V>::is_const, "quern: out must not be const");
  static_assert(view_traits<V>::template accessible<Exec>, "quern: out is not accessible from the execution space");
  const auto out = as_strided<Exec, use::output>(v, operation);
  check_output(operation, out);
  if constexpr (dual_view<V>) return dual_output<Exec, V>(out, v);
  else return out;
}

/// The extents of an output before it is one: a DualView need not be up to date.
template <class V>
shape extents_of(const V& v) {
  if constexpr (dual_view<V>) return describe(v.view_device().data(), v.view_device()).extents;
  else if constexpr (pointer_view<V>) return describe(v.data(), v).extents;
  else return describe(v.data_handle(), v).extents;
}

/// The name of input number `i` in messages.
inline std::string input_name(std::size_t i) { return "in " + std::to_string(i + 1); }

/// The strides of an input that broadcasts to `to`, or an Error.
template <class Input>
std::array<std::int64_t, max_rank> broadcast_input(const std::string& operation, const Input& in, const shape& to,
                                                   std::size_t number) {
  std::array<std::int64_t, max_rank> stride;
  if (!broadcast_strides(in.array.extents, in.array.stride, to, stride))
    throw Error(operation, input_name(number) + " has extents " + in.array.extents.str() +
                               ", which do not broadcast to " + to.str());
  return stride;
}

}  // namespace quern::impl

#endif
