// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The quern program: runs the reference workloads, verifies each and shows how close to the machine's limits it comes.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <quern/config.hpp>
#include <quern/core/values/bytes_text.hpp>
#include <quern/files.hpp>
#include <sstream>

#include "distributed.hpp"
#include "input.hpp"
#include "interrupts.hpp"
#include "launcher.hpp"
#include "output_file.hpp"
#include "report.hpp"
#include "workload.hpp"

namespace app {
namespace {

std::vector<workload> all_workloads() {
  std::vector<workload> all;
  for (const auto& part : {elementwise_workloads(), reduction_workloads(), stencil_workloads(), quadrature_workloads(),
                           derivative_workloads(), random_workloads(), keyed_workloads(), indexing_workloads(),
                           analysis_workloads(), table_workloads(), linear_algebra_workloads(),
                           decomposition_workloads(), transfer_workloads(), transform_workloads()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

int list() {
  std::string last;
  for (const auto& w : all_workloads()) {
    fmt::print(
        "{:<16} {:<10} {:<54} {}\n", w.name == last ? "" : w.name, w.type, w.definition,
        w.missing.empty() ? fmt::format("reference size {}", fmt::join(w.n.reference, ", ")) : "needs " + w.missing);
    last = w.name;
  }
  list_distributed();
  return 0;
}

std::vector<workload> chosen(const run_options& o) {
  const auto all = all_workloads();
  std::vector<workload> result;
  for (const auto& name : o.names)
    if (std::none_of(all.begin(), all.end(), [&](const auto& w) { return w.name == name; }))
      throw usage_error(fmt::format("'{}' is not a workload; 'quern list' shows them", name));
  for (const auto& w : all)
    if (o.names.empty() || std::find(o.names.begin(), o.names.end(), w.name) != o.names.end()) {
      if (!w.missing.empty() && !o.names.empty()) throw usage_error(fmt::format("{} needs {}", w.name, w.missing));
      // A file brings its own type and size, so one of a workload's lines is enough.
      if (!o.input.empty() && !result.empty() && result.back().name == w.name) continue;
      result.push_back(w);
    }
  check_taken(o, takers(result), takers(all), "on one process");
  return result;
}

std::vector<std::int64_t> chosen_sizes(const workload& w, const run_options& o) {
  if (o.input.empty()) return sizes_of(o.size, w.n);
  return {contains(w.takes, option::array) && !o.chunked ? open_input(o.input, o.array)->info().extents.size()
                                                         : 0};  // for its memory
}

/// Refuses what would not fit, before anything is allocated.
void check_memory(const workload& w, std::int64_t n) {
  const double needed = w.memory(n), available = free_memory();
  if (needed <= available) return;
  const auto wanted = static_cast<std::uint64_t>(std::min(needed, 1e19)), free = static_cast<std::uint64_t>(available);
  const quern::impl::byte_unit unit(wanted, free);
  throw usage_error(
      fmt::format("{} of size {} needs {} of memory, {} are free", w.name, n, unit.text(wanted), unit.text(free)));
}

/// The fraction of the machine's limit that a measurement reaches; 0 where it has none.
double fraction_of_limit(const workload& w, const measurement& m, bool in_chunks, limits& measured) {
  if (w.limit == bound::link || (in_chunks && quern::impl::is_device<exec_space>))
    return m.bytes / m.seconds / 1e9 / measured.link_rate();
  if (w.limit == bound::memory) return m.bytes / m.seconds / 1e9 / measured.copy_rate();
  if (w.limit == bound::compute) return m.flops / m.seconds / 1e9 / measured.product_rate();
  return 0;
}

int run(const exec_space& exec, const run_options& o) {
  const auto workloads = chosen(o);
  for (const auto& w : workloads)
    for (const auto n : chosen_sizes(w, o))
      if (w.missing.empty()) check_memory(w, n);
  record_file records(o.json);
  if (!o.output.empty()) check_writable(o.output);

  const settings s{o, exec};
  limits measured(exec);
  bool all_verified = true;
  fmt::print("Quern {} on {}, {} at a time; copy rate {:.1f} GB/s\n\n", QUERN_VERSION_STRING, exec.name(),
             exec.concurrency(), measured.copy_rate());
  print_header();
  for (auto w : workloads) {
    if (!w.missing.empty()) {
      print_missing(w);
      continue;
    }
    for (const auto n : chosen_sizes(w, o)) {
      measurement m;
      {
        const progress shown("running " + w.name);
        m = w.run(s, n);
      }
      if (!m.type.empty()) w.type = m.type;
      const double fraction = fraction_of_limit(w, m, o.chunked, measured);
      records.add(record(w, m, fraction));  // what is printed is kept
      print_line(w, m, fraction);
      if (!o.input.empty() && !m.note.empty()) fmt::print("  {}\n", m.note);
      all_verified = all_verified && m.verified;
    }
  }
  print_notes(o.chunked);
  records.finish();
  return all_verified ? 0 : 1;
}

int convert(const convert_options& o) {
  if (launched_ranks() > 1)  // which might each be given names of its own, or all the same
    throw usage_error(fmt::format("convert runs in one process, and was started in {}", launched_ranks()));
  quern::files::convert(o.from, o.to, o.array, o.dataset, {.compression = o.compression});
  return 0;
}

int parsed(int argc, char** argv) {
  CLI::App program{"Quern: a portable performance layer for simulation codes on Kokkos"};
  program.set_version_flag("--version", QUERN_VERSION_STRING);
  program.require_subcommand(0, 1);  // a name that is none of them is then what the error is about
  info_options asked;
  run_options o;
  convert_options conversion;
  add_info(program, asked);
  program.add_subcommand("list", "The workloads and their reference sizes");
  add_run(program, o);
  add_convert(program, conversion);
  const bool prints = launched_rank() == 0;
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::ostringstream unseen;
    return (prints ? program.exit(e) : program.exit(e, unseen, unseen)) == 0 || !prints ? 0 : 2;
  }

  if (program.get_subcommands().empty()) throw usage_error("expected info, list, run or convert; see quern --help");
  if (program.got_subcommand("convert")) return convert(conversion);
  if (program.got_subcommand("list")) return prints ? list() : 0;
  if (!asked.file.empty()) return prints ? print_file(asked.file) : 0;
  if (program.got_subcommand("run") && runs_on_ranks(o)) return run_distributed(o);
  if (!prints) return 0;  // of info, one rank prints
  const Kokkos::ScopeGuard kokkos;
  const exec_space exec;
  if (program.got_subcommand("info")) return print_info(exec, asked.limits);
  return run(exec, o);
}

/// @throws std::runtime_error where standard output has not taken all that was printed, as on a full disk
void check_printed() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::runtime_error("not all of the output could be written to standard output");
}

/// Says what was wrong with a call, on one rank: all find the same.
/// @return the exit code
int failed(const std::exception& e, int code) {
  if (launched_rank() == 0) std::fprintf(stderr, "quern: %s\n", e.what());
  return code;
}
/// Of a user's mistake that rank alone fails, as launchers end the others when one fails, before they have printed.
int refused(const std::exception& e) { return failed(e, launched_rank() == 0 ? 2 : 0); }

}  // namespace
}  // namespace app

int main(int argc, char** argv) {
  app::watch_interrupts();
  try {
    const int status = app::parsed(argc, argv);
    app::check_printed();
    return status;
  } catch (const app::usage_error& e) {
    return app::refused(e);
  } catch (const quern::files::FileError& e) {
    return app::refused(e);
  } catch (const std::exception& e) {
    return app::failed(e, 1);
  }
}
