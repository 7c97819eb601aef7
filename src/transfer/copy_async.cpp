// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <future>
#include <quern/transfer/copy_async.hpp>

namespace quern::impl {
namespace {

using future = std::shared_future<void>;
const future& future_of(const std::shared_ptr<void>& work) { return *static_cast<const future*>(work.get()); }

}  // namespace

void host_task::start(const std::function<void()>& work) {
  work_ = std::make_shared<future>(std::async(std::launch::async, work));
}
bool host_task::ended() const {
  return work_ == nullptr || future_of(work_).wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}
void host_task::wait() const {
  if (work_ != nullptr) future_of(work_).get();
}

}  // namespace quern::impl
