// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_TABLE_MERGE_KEYS_HPP
#define QUERN_SRC_TABLE_MERGE_KEYS_HPP

#include <quern/table/merge.hpp>

namespace quern::impl {

/// The names of the keys of a merge in both tables, of columns of these names.
/// @throws Error if there is no key, or the options name them in two ways
std::pair<std::vector<std::string>, std::vector<std::string>> names_of_keys(const std::string& label,
                                                                            const merge_options& options,
                                                                            const std::vector<std::string>& left,
                                                                            const std::vector<std::string>& right);

}  // namespace quern::impl

#endif
