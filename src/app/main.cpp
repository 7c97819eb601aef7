// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The quern program: runs the reference workloads, verifies each and shows how close to the machine's limits it comes.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <quern/config.hpp>
#include <quern/files.hpp>

#include "distributed.hpp"
#include "output_file.hpp"
#include "report.hpp"
#include "workload.hpp"

namespace app {
namespace {

std::vector<workload> all_workloads() {
  std::vector<workload> all;
  for (const auto& part : {elementwise_workloads(), reduction_workloads(), stencil_workloads(), quadrature_workloads(),
                           derivative_workloads(), random_workloads(), keyed_workloads(), linear_algebra_workloads(),
                           decomposition_workloads(), transfer_workloads(), transform_workloads()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

int list() {
  std::string last;
  for (const auto& w : all_workloads()) {
    std::string sizes;
    for (const auto n : w.reference_sizes) sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", n);
    fmt::print("{:<16} {:<8} {:<38} {}\n", w.name == last ? "" : w.name, w.type, w.definition,
               w.missing.empty() ? "reference size " + sizes : "needs " + w.missing);
    last = w.name;
  }
  list_distributed();
  return 0;
}

struct run_options {
  std::vector<std::string> names;
  std::string size;
  int repeat = 0;
  std::string input, output, json;
  bool stream = false;
  std::size_t memory = 0;
};

std::vector<workload> chosen(const run_options& o) {
  const auto all = all_workloads();
  std::vector<workload> result;
  for (const auto& name : o.names)
    if (std::none_of(all.begin(), all.end(), [&](const auto& w) { return w.name == name; }))
      throw usage_error(fmt::format("'{}' is not a workload; 'quern list' shows them", name));
  for (const auto& w : all)
    if (o.names.empty() || std::find(o.names.begin(), o.names.end(), w.name) != o.names.end()) {
      if (!w.missing.empty() && !o.names.empty()) throw usage_error(fmt::format("{} needs {}", w.name, w.missing));
      if (!o.input.empty() && !w.takes_input) throw usage_error(fmt::format("{} takes no --input", w.name));
      if (!o.output.empty() && !w.takes_output) throw usage_error(fmt::format("{} takes no --output", w.name));
      if (o.stream && !w.streams) throw usage_error(fmt::format("{} takes no --stream", w.name));
      // A file brings its own type and size, so one of a workload's lines is enough.
      if (!o.input.empty() && !result.empty() && result.back().name == w.name) continue;
      result.push_back(w);
    }
  if (!o.output.empty() && o.input.empty()) throw usage_error("--output needs an --input to work on");
  if (o.stream && o.input.empty()) throw usage_error("--stream needs an --input to read in chunks");
  if (!o.size.empty() && !o.input.empty()) throw usage_error("--size beside --input: a file brings its own size");
  return result;
}

std::vector<std::int64_t> sizes(const workload& w, const run_options& o) {
  if (!o.input.empty()) return {0};
  if (o.size.empty() || o.size == "default") return w.default_sizes;
  if (o.size == "reference") return w.reference_sizes;
  std::size_t used = 0;
  std::int64_t n = 0;
  try {
    n = std::stoll(o.size, &used);
  } catch (const std::exception&) {
  }
  if (used != o.size.size() || n < 1)
    throw usage_error(fmt::format("--size is '{}', expected default, reference or a positive number", o.size));
  return {n};
}

/// Refuses what would not fit, before anything is allocated.
void check_memory(const workload& w, std::int64_t n) {
  const double needed = w.memory(n), available = free_memory();
  if (needed > available)
    throw usage_error(fmt::format("{} of size {} needs {} of memory, {} are free", w.name, n, bytes_text(needed),
                                  bytes_text(available)));
}

int run(const exec_space& exec, const run_options& o) {
  const auto workloads = chosen(o);
  for (const auto& w : workloads)
    for (const auto n : sizes(w, o))
      if (w.missing.empty()) check_memory(w, n);
  if (!o.json.empty()) check_writable(o.json);
  if (!o.output.empty()) check_writable(o.output);

  settings s{exec, o.repeat, {}, {}, o.stream, o.memory};
  if (!o.input.empty()) s.input = o.input;
  if (!o.output.empty()) s.output = o.output;
  limits measured(exec);
  auto records = nlohmann::json::array();
  bool all_verified = true;
  fmt::print("Quern {} on {}, {} at a time; copy rate {:.1f} GB/s\n\n", QUERN_VERSION_STRING, exec.name(),
             exec.concurrency(), measured.copy_rate());
  print_header(stdout);
  for (const auto& w : workloads) {
    if (!w.missing.empty()) {
      print_missing(stdout, w);
      continue;
    }
    for (const auto n : sizes(w, o)) {
      measurement m;
      {
        const progress shown("running " + w.name);
        m = w.run(s, n);
      }
      double share = 0;
      if (w.limit == bound::memory) share = m.bytes / m.seconds / 1e9 / measured.copy_rate();
      if (w.limit == bound::link || (o.stream && quern::impl::is_device<exec_space>))
        share = m.bytes / m.seconds / 1e9 / measured.link_rate();
      if (w.limit == bound::compute) share = m.flops / m.seconds / 1e9 / measured.product_rate();
      print_line(stdout, w, m, share);
      if (!o.input.empty() && !m.note.empty()) fmt::print("  {}\n", m.note);
      records.push_back(record(w, m, share));
      all_verified = all_verified && m.verified;
    }
  }
  print_notes(stdout);
  if (!o.json.empty()) write_file(o.json, records.dump(2) + '\n');
  return all_verified ? 0 : 1;
}

int parsed(int argc, char** argv) {
  CLI::App program{"Quern: a portable performance layer for simulation codes on Kokkos"};
  program.set_version_flag("--version", QUERN_VERSION_STRING);
  program.require_subcommand(1);
  auto* info =
      program.add_subcommand("info", "What Quern and Kokkos were built with, and the machine; or what a file holds");
  std::string file;
  info->add_option("file", file, "A .npy, .npz or HDF5 file");
  bool measure = false;
  info->add_flag("--limits", measure, "Measure the copy rate and the matrix product");
  program.add_subcommand("list", "The workloads and their reference sizes");
  auto* runner = program.add_subcommand("run", "Run workloads, verify them and show how fast they are");
  run_options o;
  runner->add_option("workload", o.names, "Names as 'list' shows them; all without");
  runner->add_option("--size", o.size, "default, reference, or a number: elements, or cells along a side");
  runner->add_option("--repeat", o.repeat, "Timed runs of each; the median counts")->check(CLI::PositiveNumber);
  runner->add_option("--input", o.input,
                     "An image (smooth) or a .npy file (sum, sum_reproducible, mean_var, stddev, median, argmax)");
  runner->add_option("--output", o.output, "Where smooth writes its image");
  runner->add_flag("--stream", o.stream, "Read the .npy file in chunks: it may be larger than memory");
  runner->add_option("--memory", o.memory, "Bytes that chunks may take, as 500M or 2G; half of what is free without")
      ->transform(CLI::AsSizeValue(false));
  runner->add_option("--json", o.json, "Write the records to this file");
  std::string scaling = "weak";
  runner->add_option("--scaling", scaling, "Under mpirun: weak, a size on each rank, or strong, in all")
      ->check(CLI::IsMember({"weak", "strong"}));
  auto* converter = program.add_subcommand("convert", "Write an array of one file to another, of any size");
  std::string from, to, array, dataset = "data";
  quern::files::hdf5_options stored;
  converter->add_option("from", from, "A .npy, .npz or HDF5 file")->required();
  converter->add_option("to", to, "A .npy or HDF5 (.h5) file")->required();
  converter->add_option("--array", array, "Which array of a .npz or HDF5 file that has several");
  converter->add_option("--dataset", dataset, "Its name in a new HDF5 file");
  converter->add_option("--compression", stored.compression, "Level of compression in HDF5")->check(CLI::Range(0, 9));
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return program.exit(e) == 0 ? 0 : 2;
  }

  if (program.got_subcommand("list")) return list();
  if (!file.empty()) return print_file(file);
  if (program.got_subcommand("convert")) {
    quern::files::convert(from, to, array, dataset, stored);
    return 0;
  }
  if (program.got_subcommand("run") && are_distributed(o.names))
    return run_distributed({o.names, o.size, o.json, o.repeat, scaling == "strong"});
  const Kokkos::ScopeGuard kokkos;
  const exec_space exec;
  if (program.got_subcommand("info")) return print_info(exec, measure);
  return run(exec, o);
}

}  // namespace
}  // namespace app

int main(int argc, char** argv) {
  try {
    return app::parsed(argc, argv);
  } catch (const app::usage_error& e) {
    fmt::print(stderr, "quern: {}\n", e.what());
    return 2;
  } catch (const quern::files::FileError& e) {
    fmt::print(stderr, "quern: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "quern: {}\n", e.what());
    return 1;
  }
}
