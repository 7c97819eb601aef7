// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_RUN_OPTIONS_HPP
#define QUERN_APP_RUN_OPTIONS_HPP

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace app {

/// A user's mistake: exit code 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The options of `quern run` that a workload takes, or does not, by their names.
namespace option {
inline const std::string size = "--size", repeat = "--repeat", input = "--input", array = "--array",
                         output = "--output", chunked = "--chunked", memory = "--memory", scaling = "--scaling";
}
using option_set = std::vector<std::string>;

inline bool contains(const option_set& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// What one call of `quern run` asks for.
struct run_options {
  std::vector<std::string> names{};
  std::string size{}, input{}, array{}, output{}, json{};  // empty: none; `array` of an input that has several
  int repeat = 0;                                          // 0: as many as fit into a fifth of a second
  bool chunked = false;                                    // read the input in chunks
  std::size_t memory = 0;                                  // that these may take; 0: half of what is free
  std::string scaling = "weak";
  option_set given{};
};

/// What one call of `quern convert` asks for.
struct convert_options {
  std::string from, to, array, dataset = "data";
  int compression = 0;
};

/// What one call of `quern info` asks for.
struct info_options {
  std::string file;
  bool limits = false;
};

/// Whether files of that name may hold several arrays.
bool may_have_several(const std::string& path);

/// Adds the subcommands with their options, which are declared here and nowhere else, each with what it needs.
void add_run(CLI::App& program, run_options& o);
void add_convert(CLI::App& program, convert_options& o);
void add_info(CLI::App& program, info_options& o);

/// A workload by what it takes, of any kind.
struct taker {
  std::string name;
  option_set takes;
};

template <class Workload>
std::vector<taker> takers(const std::vector<Workload>& all) {
  std::vector<taker> result;
  for (const auto& w : all) result.push_back({w.name, w.takes});
  return result;
}

/// The names of workloads that take an option, each once.
std::string names_of(const std::vector<taker>& all, const std::string& option);

/// Whether the chosen workloads take every option that was given: none is ignored.
/// @param kind of all workloads, as `on one process`
/// @throws usage_error that says which workloads take it
void check_taken(const run_options& o, const std::vector<taker>& chosen, const std::vector<taker>& all,
                 const std::string& kind);

/// The sizes of a workload, by default and for reference.
struct sizes {
  std::vector<std::int64_t> defaults, reference;
  sizes(std::int64_t usual, std::int64_t large) : defaults{usual}, reference{large} {}
  sizes(std::vector<std::int64_t> usual, std::vector<std::int64_t> large)
      : defaults(std::move(usual)), reference(std::move(large)) {}
};

/// The sizes of a workload for the text of --size.
std::vector<std::int64_t> sizes_of(const std::string& size, const sizes& all);

}  // namespace app

#endif
