// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CORE_VALUES_SHORT_LIST_HPP
#define QUERN_CORE_VALUES_SHORT_LIST_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace quern::impl {

/// A list on the host, as a parameter of a call, which allocates only where it has more than N elements.
template <class T, std::size_t N>
class short_list {
 public:
  using value_type = T;
  short_list() = default;
  explicit short_list(std::size_t count, const T& value = T()) : size_(count) {
    if (count > N) long_.assign(count, value);
    else std::fill_n(short_.begin(), count, value);
  }
  template <std::input_iterator Iterator>
  short_list(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(static_cast<T>(*first));
  }
  short_list(std::initializer_list<T> all) : short_list(all.begin(), all.end()) {}

  void push_back(const T& value) {
    if (size_ < N) {
      short_[size_++] = value;
      return;
    }
    if (size_ == N) long_.assign(short_.begin(), short_.end());
    long_.push_back(value);
    ++size_;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return size_ <= N ? short_.data() : long_.data(); }
  const T* begin() const { return size_ <= N ? short_.data() : long_.data(); }
  T* end() { return begin() + size_; }
  const T* end() const { return begin() + size_; }
  T& back() { return end()[-1]; }
  T& operator[](std::size_t i) { return begin()[i]; }
  const T& operator[](std::size_t i) const { return begin()[i]; }

 private:
  std::array<T, N> short_{};
  std::vector<T> long_;
  std::size_t size_ = 0;
};

/// One entry for each axis; stencils have three axes at most.
template <class T>
using axis_list = short_list<T, 3>;

}  // namespace quern::impl

#endif
