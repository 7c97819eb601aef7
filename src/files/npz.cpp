// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arrays in zip archives. A member is read from its first byte on, as its compression wants.
#include <quern/files/npy.hpp>

#include <algorithm>
#include <utility>

#include "elements.hpp"
#include "inflate.hpp"
#include "npy_header.hpp"

namespace quern::files {
namespace impl {
namespace {

constexpr std::int64_t end_signature = 0x06054b50, end64_signature = 0x06064b50, locator_signature = 0x07064b50;
constexpr std::int64_t entry_signature = 0x02014b50, member_signature = 0x04034b50;
constexpr std::int64_t end_bytes = 22, locator_bytes = 20, end64_bytes = 56, entry_bytes = 46, member_bytes = 30;
constexpr std::int64_t longest_comment = 0xffff;
/// Deflate makes at most so many bytes of one.
constexpr std::int64_t greatest_expansion = 1032;
constexpr std::int64_t in_extra_field = 0xffffffff;

struct member {
  std::string name;
  bool deflated;
  std::int64_t size, compressed, header;  // bytes, and where its header lies
  std::uint32_t checksum;
  std::string unread{};  // why it cannot be read
};

/// Little-endian numbers of a record of the archive.
class record {
 public:
  record(byte_source& file, std::int64_t offset, std::int64_t bytes) : file_(file) {
    if (offset < 0 || bytes > file.size() - offset) damaged();
    bytes_.resize(bytes);
    file.read(offset, bytes, bytes_.data());
  }
  std::int64_t number(std::int64_t at, int bytes) const {
    if (at + bytes > static_cast<std::int64_t>(bytes_.size())) damaged();
    std::uint64_t n = 0;
    for (int k = bytes - 1; k >= 0; --k) n = n << 8 | bytes_[at + k];
    return static_cast<std::int64_t>(n);
  }
  std::string text(std::int64_t at, std::int64_t bytes) const {
    return std::string(reinterpret_cast<const char*>(bytes_.data()) + at, bytes);
  }

 private:
  [[noreturn]] void damaged() const {
    throw FileError(file_.name(), "is damaged: a record of the archive is outside of the file");
  }
  byte_source& file_;
  std::vector<unsigned char> bytes_;
};

struct directory {
  std::int64_t offset, bytes, entries;
};

directory find_directory(byte_source& file) {
  const std::int64_t searched = std::min(file.size(), end_bytes + longest_comment);
  const std::int64_t start = file.size() - searched;
  const record tail(file, start, searched);
  for (std::int64_t at = searched - end_bytes; at >= 0; --at) {
    if (tail.number(at, 4) != end_signature) continue;
    const std::int64_t end = start + at;
    if (end >= locator_bytes) {
      const record locator(file, end - locator_bytes, locator_bytes);
      if (locator.number(0, 4) == locator_signature) {
        const record end64(file, locator.number(8, 8), end64_bytes);
        if (end64.number(0, 4) == end64_signature)
          return {end64.number(48, 8), end64.number(40, 8), end64.number(32, 8)};
      }
    }
    return {tail.number(at + 16, 4), tail.number(at + 12, 4), tail.number(at + 10, 2)};
  }
  throw FileError(file.name(), "is not a .npz file: it has no directory of a zip archive");
}

std::vector<member> members_of(byte_source& file) {
  const directory d = find_directory(file);
  if (d.bytes < 0 || d.entries < 0 || d.entries > d.bytes / entry_bytes)
    throw FileError(file.name(), "is damaged: its directory is too small for its entries");
  const record all(file, d.offset, d.bytes);
  std::vector<member> found;
  for (std::int64_t at = 0, k = 0; k < d.entries; ++k) {
    if (all.number(at, 4) != entry_signature)
      throw FileError(file.name(), "is damaged: its directory has no entry where one is expected");
    const auto method = all.number(at + 10, 2), flags = all.number(at + 8, 2);
    const auto name_bytes = all.number(at + 28, 2), extra_bytes = all.number(at + 30, 2);
    const std::int64_t extra = at + entry_bytes + name_bytes;
    all.number(extra + extra_bytes - 1, 1);  // that it is there, as its name is
    member m{all.text(at + entry_bytes, name_bytes),
             method == 8,
             all.number(at + 24, 4),
             all.number(at + 20, 4),
             all.number(at + 42, 4),
             static_cast<std::uint32_t>(all.number(at + 16, 4))};
    for (std::int64_t field = extra; field + 4 <= extra + extra_bytes;) {
      const auto id = all.number(field, 2), bytes = all.number(field + 2, 2);
      std::int64_t value = field + 4;
      if (id == 1)
        for (std::int64_t* number : {&m.size, &m.compressed, &m.header})
          if (*number == in_extra_field) *number = all.number(std::exchange(value, value + 8), 8);
      field += 4 + bytes;
    }
    if ((flags & 1) != 0) m.unread = "encrypted";
    else if (method != 0 && method != 8) m.unread = "compressed by method " + std::to_string(method) + " of zip";
    const bool possible = m.size >= 0 && m.compressed >= 0 &&
                          (m.deflated ? m.size / greatest_expansion <= m.compressed : m.size == m.compressed);
    if (m.unread.empty() && !possible)
      throw FileError(file.name(), "is damaged: the size of " + m.name + " is impossible");
    if (m.name.ends_with(".npy")) found.push_back(m);
    at = extra + extra_bytes + all.number(at + 32, 2);
  }
  return found;
}

/// The uncompressed bytes of a member, in their order.
class member_stream : public byte_source {
 public:
  member_stream(std::shared_ptr<byte_source> file, const member& m)
      : file_(std::move(file)), member_(m), name_(file_->name() + ": " + m.name), buffer_(buffer_bytes) {
    const record header(*file_, m.header, member_bytes);
    if (header.number(0, 4) != member_signature) throw FileError(name_, "has no header in the archive");
    begin_ = m.header + member_bytes + header.number(26, 2) + header.number(28, 2);
    if (begin_ > file_->size() || m.compressed > file_->size() - begin_) throw FileError(name_, "is truncated");
    rewind();
  }
  const std::string& name() const override { return name_; }
  std::int64_t size() const override { return member_.size; }

  /// @param offset where it is before the last read, all is decompressed again
  void read(std::int64_t offset, std::int64_t bytes, void* to) override {
    if (offset < at_) rewind();
    std::vector<char> skipped(std::min<std::int64_t>(offset - at_, buffer_bytes));
    while (at_ < offset) next(skipped.data(), std::min<std::int64_t>(offset - at_, buffer_bytes));
    constexpr std::int64_t max_bytes = 1 << 30;
    for (std::int64_t done = 0; done < bytes; done += max_bytes)
      next(static_cast<char*>(to) + done, std::min(max_bytes, bytes - done));
  }

 private:
  static constexpr std::int64_t buffer_bytes = 256 << 10;

  void rewind() {
    at_ = taken_ = 0;
    checksum_ = {};
    inflater_ = member_.deflated ? make_inflater(name_) : nullptr;
  }
  void next(char* to, std::int64_t bytes) {
    if (bytes > member_.size - at_) throw FileError(name_, "ends at byte " + std::to_string(member_.size));
    if (inflater_ == nullptr) {
      file_->read(begin_ + at_, bytes, to);
    } else {
      inflater_->inflate(to, bytes, [&]() -> std::pair<const char*, std::int64_t> {
        const std::int64_t n = std::min(member_.compressed - taken_, buffer_bytes);
        file_->read(begin_ + taken_, n, buffer_.data());
        taken_ += n;
        return {buffer_.data(), n};
      });
    }
    checksum_.add(to, bytes);
    at_ += bytes;
    if (at_ == member_.size && checksum_.value() != member_.checksum)
      throw FileError(name_, "is damaged: its checksum is not that of the archive");
  }

  std::shared_ptr<byte_source> file_;
  member member_;
  std::string name_;
  std::vector<char> buffer_;
  std::int64_t begin_ = 0, at_ = 0, taken_ = 0;
  crc32 checksum_;
  std::unique_ptr<inflater> inflater_;
};

}  // namespace

std::vector<std::string> names_in_npz(byte_source& file) {
  std::vector<std::string> names;
  for (const member& m : members_of(file)) names.push_back(m.name.substr(0, m.name.size() - 4));
  return names;
}

std::unique_ptr<array_file> open_npz(std::shared_ptr<byte_source> file, const std::string& name) {
  const auto members = members_of(*file);
  const auto found = std::ranges::find(members, name + ".npy", &member::name);
  if (found == members.end()) {
    std::string names;
    for (const auto& m : members) names += (names.empty() ? "" : ", ") + m.name.substr(0, m.name.size() - 4);
    throw FileError(file->name(), "has no array '" + name + "'; it has: " + names);
  }
  if (!found->unread.empty()) throw UnreadType(file->name() + ": " + found->name, "is ", found->unread);
  const auto stream = std::make_shared<member_stream>(std::move(file), *found);
  const array_info info = parse_npy_header(*stream);
  if (info.extents.size() > (stream->size() - info.offset) / info.type.bytes)
    throw FileError(stream->name(), "is truncated: it has " + std::to_string(stream->size()) + " bytes, too few for " +
                                        info.type.str() + " " + info.extents.str());
  return array_of_bytes(stream, info);
}

}  // namespace impl

std::vector<std::string> npz_names(const std::string& path) { return impl::names_in_npz(*impl::open_file(path)); }

array_info npz_info(const std::string& path, const std::string& name) {
  return impl::open_npz(impl::open_file(path), name)->info();
}

}  // namespace quern::files
