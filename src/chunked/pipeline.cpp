// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/chunked/pipeline.hpp>
#include <quern/core/call/label.hpp>
#include <quern/core/launch/compiled.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <future>
#include <limits>
#include <mutex>
#include <quern/core/launch/tuning.hpp>
#include <quern/core/memory/free_memory.hpp>
#include <quern/core/memory/workspace.hpp>
#include <quern/core/values/bytes_text.hpp>
#include <thread>
#include <utility>

namespace quern::impl {

shape chunk_plan::first_of_chunk(const array_chunk& c, bool with_halo) const {
  shape first = extents;
  first.extent = {};
  first.extent[axis] = c.begin(with_halo);
  return first;
}

packed_box box_along(const array_io& array, int axis, std::int64_t first, std::int64_t count) {
  shape extents = array.extents;
  stride_array begin{};
  extents.extent[axis] = count;
  begin[axis] = first;
  return make_box(extents, begin, array.fortran_order);
}

namespace {

/// Bytes of a chunk where memory allows it: enough to hide what each costs, few enough for the first to be read and the
/// last to be written in little time. (bench_chunked)
constexpr std::int64_t preferred_bytes = 64 << 20;

/// Does one task after the other on a thread of its own. Tasks that have not begun when it goes are dropped.
class worker {
 public:
  worker() : thread_([this] { serve(); }) {}
  ~worker() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    more_.notify_one();
    thread_.join();
  }
  std::future<void> submit(std::function<void()> f) {
    std::packaged_task<void()> task(std::move(f));
    auto result = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    more_.notify_one();
    return result;
  }

 private:
  void serve() {
    for (;;) {
      std::packaged_task<void()> task;
      {
        std::unique_lock lock(mutex_);
        more_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
        if (ends_) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::packaged_task<void()>> tasks_;
  bool ends_ = false;
  std::thread thread_;
};

template <class Exec>
using slot_instances = std::array<Exec, chunk_slots>;

/// Instances for the chunk_slots of pipelines that no pipeline has. They are kept, as is the scratch memory of
/// operations on them.
template <class Exec>
struct unused_instances {
  std::mutex mutex;
  std::vector<slot_instances<Exec>> all;
  bool hooked = false;

  static unused_instances& get() {
    static unused_instances u;
    return u;
  }
};

/// The instances of a pipeline, which it waits for when it ends, in whatever way.
template <class Exec>
class instance_lease {
 public:
  explicit instance_lease(const Exec& exec) : instances_(take(exec)) {}
  ~instance_lease() {
    for (const auto& e : instances_) e.fence(kernel_label("quern::chunked"));
    if constexpr (is_device<Exec>) {
      auto& unused = unused_instances<Exec>::get();
      const std::lock_guard lock(unused.mutex);
      unused.all.push_back(instances_);
    }
  }
  instance_lease(const instance_lease&) = delete;
  instance_lease& operator=(const instance_lease&) = delete;
  const Exec& operator[](int slot) const { return instances_[slot]; }

 private:
  static slot_instances<Exec> take(const Exec& exec) {
    if constexpr (is_device<Exec>) {
      auto& unused = unused_instances<Exec>::get();
      const std::lock_guard lock(unused.mutex);
      if (!std::exchange(unused.hooked, true))
        Kokkos::push_finalize_hook([&unused] {
          unused.all.clear();
          unused.hooked = false;
        });
      if (unused.all.empty()) {
        const auto parts = Kokkos::Experimental::partition_space(exec, 1, 1, 1);
        return {parts[0], parts[1], parts[2]};
      }
      const auto found = unused.all.back();
      unused.all.pop_back();
      return found;
    } else {
      return {exec, exec, exec};
    }
  }
  slot_instances<Exec> instances_;
};

/// Bytes of an array for each index along the axis.
template <class Access>
std::int64_t row_bytes(const planned_array<Access>& a, int axis) {
  std::int64_t n = a.element;
  if (a.array->extents.extent[axis] == 0) return 0;
  for (int d = 0; d < a.array->extents.rank; ++d)
    if (d != axis) n *= a.array->extents.extent[d];
  return n;
}

/// Bytes of several arrays, each of which has at most 2^63 - 1.
__extension__ using wide = __int128;
constexpr wide max_bytes = std::numeric_limits<std::int64_t>::max();

/// How a plan is cut into chunks.
struct cut {
  std::int64_t count, chunks;  // the greatest extent of a chunk, and their number

  cut(const chunk_plan& p, std::size_t free) {
    const std::size_t given = p.settings.memory > 0 ? p.settings.memory : free;
    if (!std::in_range<std::int64_t>(given))
      throw Error(p.label, "the memory is to be " + std::to_string(given) + " bytes, expected at most 2^63 - 1");
    const auto memory = static_cast<std::int64_t>(given);
    wide row = p.scratch, around = 2 * p.halo * wide(p.scratch);
    const auto add = [&](const auto& a) {
      bytes_of_array(p.label, a.array->extents, a.element);
      row += row_bytes(a, p.axis);
      if (a.with_halo) around += 2 * p.halo * wide(row_bytes(a, p.axis));
    };
    for (const auto& a : p.inputs) add(a);
    for (const auto& a : p.outputs) add(a);
    const std::int64_t n = p.extents.extent[p.axis], least = std::min(n, p.halo + 1);
    row = std::max<wide>(row, 1);
    count = static_cast<std::int64_t>(
        std::min((memory / chunk_slots - around) / row, std::max<wide>(preferred_bytes / row, least)));
    if (count < least || (count < 1 && n > 0)) {
      const auto needed = static_cast<std::uint64_t>(std::min<wide>(chunk_slots * (least * row + around), max_bytes));
      const byte_unit unit(memory, needed);
      throw Error(p.label, "the memory of " + unit.text(memory) + " is too little for chunks of " +
                               std::to_string(least) + " along axis " + std::to_string(p.axis) + ", which take " +
                               unit.text(needed));
    }
    count = std::max<std::int64_t>(count, 1);
    chunks = std::max<std::int64_t>((n + count - 1) / count, 1);
    count = std::max<std::int64_t>((n + chunks - 1) / chunks, least);  // of about equal size
    chunks = std::max<std::int64_t>((n + count - 1) / std::max<std::int64_t>(count, 1), 1);
  }
};

template <class Exec>
class pipeline {
 public:
  using host_space = result_space<Exec>;
  using memory_space = typename Exec::memory_space;

  pipeline(const Exec& exec, const chunk_plan& p, const chunk_function<Exec>& compute)
      : plan_(p), compute_(compute), cut_(p, free_memory<memory_space>() / 2), instances_(exec) {
    for (auto& s : slot_) {
      for (const auto& a : p.inputs) add_buffer(exec, s.in, a);
      for (const auto& a : p.outputs) add_buffer(exec, s.out, a);
    }
    for (const auto& a : p.inputs) row_total_ += static_cast<double>(row_bytes(a, p.axis));
    for (const auto& a : p.outputs) row_total_ += static_cast<double>(row_bytes(a, p.axis));
  }

  void run() {
    for (const auto& a : plan_.outputs) a.array->begin(plan_.label);
    if (writes_elements()) run_all();
    for (const auto& a : plan_.outputs) complete(*a.array);
  }

 private:
  /// Whether there is an element to be written, or something else than arrays to be computed.
  bool writes_elements() const {
    return plan_.outputs.empty() || std::any_of(plan_.outputs.begin(), plan_.outputs.end(),
                                                [](const auto& a) { return a.array->extents.size() > 0; });
  }
  void run_all() {
    worker reads, writes;
    for (std::int64_t k = 0; k < cut_.chunks; ++k) {
      slot& s = slot_[k % chunk_slots];
      finish(s);
      s.what = chunk_number(k);
      s.read = reads.submit([this, &s] { read(s); });
      if (k > 0) process(slot_[(k - 1) % chunk_slots], writes);
    }
    process(slot_[(cut_.chunks - 1) % chunk_slots], writes);
    for (std::int64_t k = cut_.chunks; k < cut_.chunks + chunk_slots; ++k) finish(slot_[k % chunk_slots]);
  }

  struct buffer {
    pool_block<host_space> host{};      // beside a device
    pool_block<memory_space> memory{};  // where `compute` finds it
  };
  struct slot {
    std::vector<buffer> in, out;
    array_chunk what;
    std::future<void> read, written;
    order_mark<Exec> computed, done;
  };

  template <class Access>
  void add_buffer(const Exec& exec, std::vector<buffer>& to, const planned_array<Access>& a) {
    const std::int64_t halo = a.with_halo && cut_.chunks > 1 ? 2 * plan_.halo : 0;
    const std::size_t bytes = row_bytes(a, plan_.axis) * (cut_.count + halo);
    buffer b;
    b.memory = take_block<memory_space>(instance_ref(exec), bytes);
    if constexpr (is_device<Exec>) b.host = take_block<host_space>(instance_ref(exec), bytes);
    to.push_back(b);
  }

  array_chunk chunk_number(std::int64_t k) const {
    const std::int64_t n = plan_.extents.extent[plan_.axis];
    array_chunk c;
    c.number = k;
    c.first = k * cut_.count;
    c.count = std::min(cut_.count, n - c.first);
    c.slot = static_cast<int>(k % chunk_slots);
    if (cut_.chunks > 1) {
      c.high = plan_.wraps ? plan_.halo : std::min(plan_.halo, n - c.first - c.count);
      // A small chunk at the end gets more, so that a whole neighbourhood fits into it.
      const std::int64_t low = std::max(plan_.halo, 2 * plan_.halo + 1 - c.count - c.high);
      c.low = plan_.wraps ? plan_.halo : std::min(plan_.halo > 0 ? low : 0, c.first);
    }
    return c;
  }

  /// Ends the writing of an output; what fails then is of no chunk.
  void complete(array_writer& output) const {
    try {
      output.finish();
    } catch (const std::exception& e) {
      std::throw_with_nested(chunked::ChunkError(plan_.label + ": an output cannot be completed: " + e.what()));
    }
  }

  /// f, whose exceptions become ChunkErrors that say where they happened.
  template <class Access, class F>
  void guarded(const array_chunk& c, const planned_array<Access>& a, const F& f) const {
    try {
      f();
    } catch (const std::exception& e) {
      std::throw_with_nested(chunked::ChunkError(
          plan_.label + ": chunk " + std::to_string(c.number) + " of " + std::to_string(cut_.chunks) + " (" +
          a.array->location(box_along(*a.array, plan_.axis, c.first, c.count)) + "): " + e.what()));
    }
  }

  void read(slot& s) const {
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      const auto& a = plan_.inputs[i];
      char* to = host_buffer(s.in[i]);
      guarded(s.what, a, [&] {
        plan_.for_each_range(s.what, a.with_halo, [&](std::int64_t first, std::int64_t count, std::int64_t at) {
          const packed_box box = box_along(*a.array, plan_.axis, first, count);
          if (!is_device<Exec> || a.array->address(box) == nullptr)
            a.array->read(box, to + at * row_bytes(a, plan_.axis));
        });
      });
    }
  }
  static char* host_buffer(const buffer& b) {
    if constexpr (is_device<Exec>) return reinterpret_cast<char*>(b.host.data());
    else return reinterpret_cast<char*>(b.memory.data());
  }

  /// Launches what a chunk needs, when it is read.
  void process(slot& s, worker& writes) {
    s.read.get();
    const Exec& exec = instances_[s.what.slot];
    s.what.in.clear();
    s.what.out.clear();
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      if constexpr (is_device<Exec>) upload(exec, s, i);
      s.what.in.push_back(s.in[i].memory.data());
    }
    for (auto& b : s.out) s.what.out.push_back(b.memory.data());
    if (plan_.ordered && s.what.number > 0) slot_[(s.what.number - 1) % chunk_slots].computed.wait();
    {
      const scratch_of_pool<Exec> beside_others;
      compute_(exec, s.what);
    }
    s.computed.set(exec);
    if constexpr (is_device<Exec>)
      for (std::size_t i = 0; i < plan_.outputs.size(); ++i) download(exec, s, i);
    s.done.set(exec);
    s.written = writes.submit([this, &s] { write(s); });
  }
  void upload(const Exec& exec, slot& s, std::size_t i) const {
    const auto& a = plan_.inputs[i];
    const std::int64_t row = row_bytes(a, plan_.axis);
    plan_.for_each_range(s.what, a.with_halo, [&](std::int64_t first, std::int64_t count, std::int64_t at) {
      const void* from = a.array->address(box_along(*a.array, plan_.axis, first, count));
      if (from == nullptr) from = host_buffer(s.in[i]) + at * row;
      copy_to_device(exec, s.in[i].memory.data() + at * row, from, count * row);
    });
  }
  void download(const Exec& exec, slot& s, std::size_t i) const {
    const auto& a = plan_.outputs[i];
    const std::int64_t row = row_bytes(a, plan_.axis);
    void* to = a.array->address(box_along(*a.array, plan_.axis, s.what.first, s.what.count));
    if (to == nullptr) to = host_buffer(s.out[i]);
    copy_to_host(exec, to, s.out[i].memory.data() + before(s.what, a) * row, s.what.count * row);
  }
  static std::int64_t before(const array_chunk& c, const planned_array<array_writer>& a) {
    return a.with_halo ? c.low : 0;
  }

  void write(slot& s) const {
    s.done.wait();
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      const auto& a = plan_.outputs[i];
      const packed_box box = box_along(*a.array, plan_.axis, s.what.first, s.what.count);
      if (is_device<Exec> && a.array->address(box) != nullptr) continue;
      const std::int64_t skipped = is_device<Exec> ? 0 : before(s.what, a) * row_bytes(a, plan_.axis);
      guarded(s.what, a, [&] { a.array->write(box, host_buffer(s.out[i]) + skipped); });
    }
  }

  /// Waits for the chunk that a slot has had.
  void finish(slot& s) {
    if (!s.written.valid()) return;
    s.written.get();
    bytes_done_ += row_total_ * static_cast<double>(s.what.count);
    if (!plan_.settings.on_progress) return;
    chunked::progress now;
    now.chunks_done = s.what.number + 1;
    now.chunks = cut_.chunks;
    now.bytes_done = bytes_done_;
    now.bytes = row_total_ * static_cast<double>(plan_.extents.extent[plan_.axis]);
    now.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    plan_.settings.on_progress(now);
  }

  const chunk_plan& plan_;
  const chunk_function<Exec>& compute_;
  cut cut_;
  std::array<slot, chunk_slots> slot_;
  instance_lease<Exec> instances_;  // before the buffers go, it waits
  double row_total_ = 0, bytes_done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

template <class Exec>
void run_chunks(const Exec& exec, const chunk_plan& p, const chunk_function<Exec>& compute) {
  exec.fence(kernel_label(p.label));
  pipeline<Exec>(exec, p, compute).run();
}

#define QUERN_CHUNKED(Exec) template void run_chunks<Exec>(const Exec&, const chunk_plan&, const chunk_function<Exec>&);
QUERN_ON_ALL(QUERN_CHUNKED)

}  // namespace quern::impl
