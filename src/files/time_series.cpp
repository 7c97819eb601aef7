// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Time series: an XDMF file describes what the HDF5 file beside it holds.
#include <filesystem>
#include <iomanip>
#include <quern/files/hdf5.hpp>
#include <sstream>

namespace quern::files {
namespace {

std::string list(const std::vector<double>& values) {
  std::ostringstream s;
  s << std::setprecision(17);
  for (std::size_t d = 0; d < values.size(); ++d) s << (d > 0 ? " " : "") << values[d];
  return s.str();
}

std::string list(const shape& extents) {
  std::string s;
  for (int d = 0; d < extents.rank; ++d) s += (d > 0 ? " " : "") + std::to_string(extents.extent[d]);
  return s;
}

std::string escaped(const std::string& text) {
  std::string s;
  for (const char c : text) {
    if (c == '&') s += "&amp;";
    else if (c == '<') s += "&lt;";
    else if (c == '"') s += "&quot;";
    else s += c;
  }
  return s;
}

const char* number_type(data_type type) {
  switch (type.kind) {
    case number_kind::signed_integer:
      return type.bytes == 1 ? "Char" : "Int";
    case number_kind::boolean:
    case number_kind::unsigned_integer:
      return type.bytes == 1 ? "UChar" : "UInt";
    default:
      return "Float";
  }
}

std::string step_name(std::size_t number) {
  std::ostringstream s;
  s << std::setw(6) << std::setfill('0') << number;
  return s.str();
}

}  // namespace

time_series::time_series(const std::string& name, std::vector<double> spacing, std::vector<double> origin)
    : name_(name),
      spacing_(std::move(spacing)),
      origin_(std::move(origin)),
      file_(impl::create_hdf5(name + ".h5", false)) {
  const std::size_t rank = spacing_.size();
  if (origin_.empty()) origin_.assign(rank, 0.0);
  if ((rank != 2 && rank != 3) || origin_.size() != rank)
    throw Error("quern::files::time_series", "spacing has " + std::to_string(rank) + " numbers and origin " +
                                                 std::to_string(origin_.size()) + ", expected 2 or 3 of each");
}

std::string time_series::add(double time, const std::string& field, const shape& extents, data_type type) {
  const std::string label = "quern::files::time_series";
  if (extents.rank != static_cast<int>(spacing_.size()) || (!steps_.empty() && extents != extents_))
    throw Error(label, "the field " + field + " has extents " + extents.str() + ", expected " +
                           (steps_.empty() ? "rank " + std::to_string(spacing_.size()) : extents_.str()));
  if (type.kind == number_kind::complex) throw Error(label, "complex fields are not shown; write their parts");
  extents_ = extents;
  if (steps_.empty() || time > steps_.back().time) steps_.push_back({time, {}});
  else if (time < steps_.back().time)
    throw Error(label,
                "the time " + std::to_string(time) + " is before the last, " + std::to_string(steps_.back().time));
  steps_.back().fields.emplace_back(field, type);
  return step_name(steps_.size() - 1) + "/" + field;
}

void time_series::finish_field() {
  file_.flush();
  const int rank = extents_.rank;
  const std::string file = std::filesystem::path(name_ + ".h5").filename().string();
  std::ostringstream text;
  text << std::setprecision(17);
  text << "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
       << "<Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    text << "<Grid Name=\"" << step_name(k) << "\">\n<Time Value=\"" << steps_[k].time << "\"/>\n"
         << "<Topology TopologyType=\"" << rank << "DCoRectMesh\" Dimensions=\"" << list(extents_) << "\"/>\n"
         << "<Geometry GeometryType=\"" << (rank == 3 ? "ORIGIN_DXDYDZ" : "ORIGIN_DXDY") << "\">\n";
    for (const auto& values : {origin_, spacing_})
      text << "<DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"" << rank << "\">"
           << list(values) << "</DataItem>\n";
    text << "</Geometry>\n";
    for (const auto& [field, type] : steps_[k].fields)
      text << "<Attribute Name=\"" << escaped(field) << "\" AttributeType=\"Scalar\" Center=\"Node\">\n"
           << "<DataItem Format=\"HDF\" NumberType=\"" << number_type(type) << "\" Precision=\"" << type.bytes
           << "\" Dimensions=\"" << list(extents_) << "\">" << escaped(file) << ":/" << step_name(k) << "/"
           << escaped(field) << "</DataItem>\n</Attribute>\n";
    text << "</Grid>\n";
  }
  text << "</Grid>\n</Domain>\n</Xdmf>\n";
  impl::output_file out(name_ + ".xdmf");
  const std::string bytes = text.str();
  out.write(bytes.data(), static_cast<std::int64_t>(bytes.size()));
  out.commit();
}

}  // namespace quern::files
