// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <quern/table/described_column.hpp>

#include "chunk_quantiles.hpp"
#include "chunks.hpp"
#include "host_columns.hpp"

namespace quern {
namespace impl {

/// A description of tables that follow each other, which are read again and again.
template <class Exec>
class chunk_description {
 public:
  chunk_description(const std::string& label, const std::vector<double>& quantiles)
      : label_(label), quantiles_(quantiles) {}

  void add(const Table<Exec>& part) {
    if (columns_.empty()) begin(part);
    const auto described = host_columns_of(label_, part.describe({}));
    for (auto& c : columns_) {
      const auto found =
          std::find_if(described.begin(), described.end(), [&](const auto& d) { return d.name == c.name; });
      const auto* const v = static_cast<const double*>(found->data);
      c.parts.push_back({v[0], v[1], v[2], v[3], v[4]});
    }
    if (!quantiles_.empty()) add_to_ranks(part);
  }
  /// Of another reading.
  void add_to_ranks(const Table<Exec>& part) {
    const Exec& exec = layout_->exec();
    use_on(label_, exec, part);
    for (auto& c : columns_)
      c.ranks.add(as_type(label_, exec, table_access<Exec>::find(part, label_, c.name), column_type::float64));
    exec.fence(kernel_label(label_));
  }
  /// After the first reading.
  void ask_for_quantiles() {
    for (auto& c : columns_) {
      c.all = described_column::joined(c.parts);
      const auto n = static_cast<std::int64_t>(c.all.count);
      for (const double q : quantiles_) {
        if (n == 0) continue;
        const auto at = quantile_rule{q}.among(n);
        c.ranks.ask({at.first, at.second});
      }
    }
  }
  void end_reading() {
    for (auto& c : columns_) c.ranks.end_reading();
  }
  bool needs_reading() const {
    return std::any_of(columns_.begin(), columns_.end(), [](const auto& c) { return c.ranks.needs_reading(); });
  }

  Table<Exec> table() const {
    std::vector<column_in<Exec>> result = {columns_of(*layout_).front()};
    for (const auto& c : columns_) {
      std::vector<double> values = {c.all.count, c.all.mean, c.all.deviation, c.all.least};
      for (std::size_t k = 0; k < quantiles_.size(); ++k) values.push_back(quantile(c, k));
      values.push_back(c.all.greatest);
      result.push_back(column_of_host(layout_->exec(), c.name, column_type::float64, values.data(), values.size()));
    }
    return table_access<Exec>::make(layout_->exec(), std::move(result));
  }

 private:
  struct column {
    std::string name;
    counted_ranks<Exec> ranks;
    std::vector<described_column> parts{};
    described_column all{};
  };
  /// The columns of the result, and checks.
  void begin(const Table<Exec>& first) {
    layout_ = first.head(0).describe(quantiles_);
    for (const auto& name : layout_->names())
      if (name != "statistic") columns_.push_back({name, {label_, first.exec()}});
  }
  double quantile(const column& c, std::size_t k) const {
    if (c.all.count == 0) return std::numeric_limits<double>::quiet_NaN();
    const auto at = quantile_rule{quantiles_[k]}.among(static_cast<std::int64_t>(c.all.count));
    return between(c.ranks.value(2 * k), c.ranks.value(2 * k + 1), at.fraction);
  }

  const std::string& label_;
  const std::vector<double>& quantiles_;
  std::optional<Table<Exec>> layout_;
  std::vector<column> columns_;
};

}  // namespace impl

template <execution_space Exec>
Table<Exec> TableChunks<Exec>::describe(const std::vector<double>& quantiles) const {
  const std::string& label = impl::label_text("quern::TableChunks::describe");
  impl::chunk_layout layout(label);
  impl::chunk_description<Exec> description(label, quantiles);
  layout.each(*this, [&](const auto& part) { impl::in_operation(label, [&] { description.add(part); }); });
  description.ask_for_quantiles();
  for (description.end_reading(); description.needs_reading(); description.end_reading())
    layout.each(*this, [&](const auto& part) { description.add_to_ranks(part); });
  return description.table();
}

#define QUERN_TABLE_CHUNK_DESCRIBE(E) template Table<E> TableChunks<E>::describe(const std::vector<double>&) const;
QUERN_ON_ALL(QUERN_TABLE_CHUNK_DESCRIBE)

}  // namespace quern
