// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "launcher.hpp"

namespace app {
namespace {

/// An option that needs something besides. Where that is not there, giving it is an error: no option is ignored.
struct need {
  const CLI::Option* option;
  std::string what;
  std::function<bool()> is_met;
};

/// Checks what a command's options need when it has been parsed, and then calls `then`.
void check_needs(CLI::App* command, const std::vector<need>& needs, const std::function<void()>& then = [] {}) {
  command->callback([needs, then] {
    for (const need& n : needs)
      if (n.option->count() > 0 && !n.is_met())
        throw usage_error(fmt::format("{} needs {}", n.option->get_name(), n.what));
    then();
  });
}

bool ends_in(const std::string& path, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](const char* e) { return path.ends_with(e); });
}
bool is_hdf5(const std::string& path) { return ends_in(path, {".h5", ".hdf5"}); }

}  // namespace

bool may_have_several(const std::string& path) { return ends_in(path, {".npz", ".h5", ".hdf5"}); }

std::string names_of(const std::vector<taker>& all, const std::string& option) {
  std::vector<std::string> names;
  for (const taker& t : all)
    if (contains(t.takes, option) && (names.empty() || names.back() != t.name)) names.push_back(t.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void add_info(CLI::App& program, info_options& o) {
  auto* c =
      program.add_subcommand("info", "What Quern and Kokkos were built with, and the machine; or what a file holds");
  c->add_option("file", o.file, "A .npy, .npz or HDF5 file");
  const auto* limits = c->add_flag("--limits", o.limits, "Measure the copy rate and the matrix product");
  check_needs(c, {{limits, "a call without a file", [&] { return o.file.empty(); }}});
}

void add_convert(CLI::App& program, convert_options& o) {
  auto* c = program.add_subcommand("convert", "Write an array of one file to another, of any size");
  c->add_option("from", o.from, "A .npy, .npz or HDF5 file")->required();
  c->add_option("to", o.to, "A .npy or HDF5 (.h5) file")->required();
  const auto* array = c->add_option("--array", o.array, "Which array of a .npz or HDF5 file that has several");
  const auto* dataset = c->add_option("--dataset", o.dataset, "Its name in a new HDF5 file; data without");
  const auto* compression =
      c->add_option("--compression", o.compression, "Level of compression in HDF5")->check(CLI::Range(0, 9));
  const auto to_hdf5 = [&] { return is_hdf5(o.to); };
  check_needs(
      c, {{array, "a file that may hold several arrays (.npz, .h5) to read", [&] { return may_have_several(o.from); }},
          {dataset, "an HDF5 file (.h5) to write", to_hdf5},
          {compression, "an HDF5 file (.h5) to write", to_hdf5}});
}

void add_run(CLI::App& program, run_options& o) {
  auto* c = program.add_subcommand("run", "Run workloads, verify them and show how fast they are");
  c->add_option("workload", o.names, "Names as 'list' shows them; all without");
  const auto* size =
      c->add_option(option::size, o.size, "default, reference, or a number: elements, or cells along a side");
  const auto* repeat =
      c->add_option(option::repeat, o.repeat, "Timed runs of each; the median counts")->check(CLI::PositiveNumber);
  const auto* input = c->add_option(option::input, o.input,
                                    "An image (smooth), a CSV file (describe), or a .npy, .npz or HDF5 file of numbers "
                                    "(sum, sum_reproducible, mean_var, stddev, median, argmax)");
  const auto* array = c->add_option(option::array, o.array, "Which array of a .npz or HDF5 file that has several");
  const auto* output =
      c->add_option(option::output, o.output, "Where smooth writes its image: .png, .jpg, .pgm or .ppm");
  const auto* chunked =
      c->add_flag(option::chunked, o.chunked, "Read the .npy file in chunks: it may be larger than memory");
  const auto* memory =
      c->add_option(option::memory, o.memory,
                    "Bytes that chunks may take, as 500M (of 1000 kB) or 2G; half of what is free without")
          ->transform(CLI::AsSizeValue(true))
          ->check(CLI::PositiveNumber);
  const auto* json = c->add_option("--json", o.json,
                                   "Write the records to this file; after Ctrl-C, those of the workloads that were "
                                   "done (not in a pipe, which gets all at the end)");
  const auto* scaling = c->add_option(option::scaling, o.scaling,
                                      "Under mpirun: weak, a size on each rank (the default), or strong, in all")
                            ->check(CLI::IsMember({"weak", "strong"}));
  check_needs(
      c,
      {{size, "a workload that makes its own data: a file brings its own size", [&] { return o.input.empty(); }},
       {repeat, "a file that is read whole: with --chunked it is read once", [&] { return !o.chunked; }},
       {array, "an --input that may hold several arrays (.npz, .h5)", [&] { return may_have_several(o.input); }},
       {input, "the name of a file", [&] { return !o.input.empty(); }},
       {output, "the name of a file", [&] { return !o.output.empty(); }},
       {json, "the name of a file", [&] { return !o.json.empty(); }},
       {output, "an --input to work on", [&] { return !o.input.empty(); }},
       {chunked, "an --input to read in chunks", [&] { return !o.input.empty(); }},
       {chunked, "a .npy file: others are read whole", [&] { return !may_have_several(o.input); }},
       {memory, "--chunked: its chunks take that memory", [&] { return o.chunked; }},
       {scaling, "ranks, as in: mpirun -n 4 quern run heat --scaling strong", [] { return launched(); }}},
      [&o, c] {
        for (const std::string& name : {option::size, option::repeat, option::input, option::array, option::output,
                                        option::chunked, option::memory, option::scaling})
          if (c->get_option(name)->count() > 0) o.given.push_back(name);
      });
}

void check_taken(const run_options& o, const std::vector<taker>& chosen, const std::vector<taker>& all,
                 const std::string& kind) {
  for (const std::string& name : o.given) {
    const std::string takers = names_of(all, name);
    if (takers.empty()) throw usage_error(fmt::format("no workload {} takes {}", kind, name));
    // Of all workloads, a size is for those that have one.
    if (name == option::size && o.names.empty()) continue;
    for (const taker& t : chosen) {
      if (contains(t.takes, name)) continue;
      if (o.names.empty())
        throw usage_error(fmt::format("{} needs the name of a workload that takes it: {}", name, takers));
      throw usage_error(fmt::format("{} takes no {}; {} {}", t.name, name, takers,
                                    takers.find(',') == std::string::npos ? "does" : "do"));
    }
  }
}

std::vector<std::int64_t> sizes_of(const std::string& size, const sizes& all) {
  if (size.empty() || size == "default") return all.defaults;
  if (size == "reference") return all.reference;
  std::size_t used = 0;
  std::int64_t n = 0;
  try {
    n = std::stoll(size, &used);
  } catch (const std::exception&) {
  }
  if (used != size.size() || n < 1)
    throw usage_error(fmt::format("--size is '{}', expected default, reference or a positive number", size));
  return {n};
}

}  // namespace app
