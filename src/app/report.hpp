// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_REPORT_HPP
#define QUERN_APP_REPORT_HPP

#include <nlohmann/json.hpp>
#include <quern/chunked.hpp>
#include <string>

#include "workload.hpp"

namespace app {

/// The limits of the machine, measured when first asked for: GB/s of a copy (read plus written) and GFLOP/s of a matrix
/// product in double precision.
class limits {
 public:
  explicit limits(const exec_space& exec) : exec_(exec) {}
  double copy_rate();
  double product_rate();
  /// Of pinned memory to the device; on hosts, the copy rate.
  double link_rate();

 private:
  exec_space exec_;
  double copy_ = 0, product_ = 0, link_ = 0;
};

/// Bytes of memory that are free for the workloads' arrays on the device (on the host, for host back ends).
double free_memory();

void print_header();
void print_line(const workload& w, const measurement& m, double fraction);
/// The line of a workload that this program cannot run.
void print_missing(const workload& w);
/// @param streamed whether a file was read in chunks
void print_notes(bool in_chunks);
nlohmann::json record(const workload& w, const measurement& m, double fraction);

/// `12.3 ms`, `4.56 us`.
std::string time_text(double seconds);
/// `1.2 GB`.
std::string bytes_text(double bytes);

/// A line on a terminal that shows what is being done and goes away again; nothing where there is no terminal.
class progress {
 public:
  explicit progress(const std::string& text);
  ~progress();

 private:
  bool shown_;
};

/// Options of a chunked call with the memory of the settings, whose progress is shown as a bar: rate, fraction of the
/// limit (of `what`, in GB/s), time left.
quern::chunking shown_chunking(const settings& s, double limit, const std::string& what);

/// GB/s of plain reads of a file by one thread, of at most its first 256 MB.
double plain_read_rate(const std::string& path);

int print_file(const std::string& path);
int print_info(const exec_space& exec, bool measure);

}  // namespace app

#endif
