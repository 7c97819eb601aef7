// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_INFLATE_HPP
#define QUERN_FILES_INFLATE_HPP

/// @file
/// What zlib does for archives.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace quern::files::impl {

class inflater {
 public:
  virtual ~inflater() = default;
  /// The next bytes of a deflated stream. `more` gives compressed bytes, none where there are none left.
  /// @throws FileError if they are damaged
  virtual void inflate(char* to, std::int64_t bytes,
                       const std::function<std::pair<const char*, std::int64_t>()>& more) = 0;
};
/// @throws FileError where Quern was built without zlib
std::unique_ptr<inflater> make_inflater(const std::string& name);

/// The checksum of zip archives.
class crc32 {
 public:
  void add(const char* data, std::int64_t bytes);
  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

}  // namespace quern::files::impl

#endif
