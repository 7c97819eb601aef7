// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_APP_RUN_OPTIONS_HPP
#define QUERN_APP_RUN_OPTIONS_HPP

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

/// The options of `quern run` that a workload takes, or does not.
enum class option : unsigned {
  size = 1,
  repeat = 2,
  input = 4,
  array = 8,
  output = 16,
  chunked = 32,
  memory = 64,
  scaling = 128
};

struct option_set {
  unsigned bits = 0;
  constexpr option_set() = default;
  constexpr option_set(option o) : bits(static_cast<unsigned>(o)) {}
  constexpr bool has(option o) const { return (bits & static_cast<unsigned>(o)) != 0; }
};
constexpr option_set operator|(option_set a, option_set b) {
  a.bits |= b.bits;
  return a;
}

constexpr option_set operator|(option a, option b) { return option_set(a) | option_set(b); }

/// What one call of `quern run` asks for.
struct run_options {
  std::vector<std::string> names;
  std::string size, input, array, output, json;
  int repeat = 0;
  bool chunked = false;
  std::size_t memory = 0;
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

/// Whether the chosen workloads take every option that was given: none is ignored.
/// @param kind of all workloads, as `on one process`
/// @throws usage_error that says which workloads take it
void check_taken(const run_options& o, const std::vector<taker>& chosen, const std::vector<taker>& all,
                 const std::string& kind);

/// The size of a workload for the text of --size.
std::vector<std::int64_t> sizes_of(const std::string& size, const std::vector<std::int64_t>& defaults,
                                   const std::vector<std::int64_t>& reference);

}  // namespace app

#endif
