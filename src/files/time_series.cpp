// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Time series: an XDMF file describes what the HDF5 file beside it holds.
#include <cctype>
#include <cmath>
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
    else if (c == '>') s += "&gt;";
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

/// The shortest text that reads as the same number.
std::string number(double value) {
  std::ostringstream s;
  s << value;
  return s.str();
}

constexpr const char* series_label = "quern::files::TimeSeries";

/// Whether a text is UTF-8, as XML is. (RFC 3629, section 4, without its ban on long forms)
bool is_utf8(const std::string& text) {
  int following = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool follows = (byte & 0xc0) == 0x80;
    if (follows != (following > 0) || byte >= 0xf8) return false;
    if (follows) --following;
    else following = byte < 0x80 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  }
  return following == 0;
}

/// A name is one in HDF5, in XML and in XDMF's paths.
void check_name(const std::string& what, const std::string& name) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(series_label, what + " '" + name + "' " + problem);
  };
  if (name.empty()) throw Error(series_label, what + " is empty");
  if (name == "." || name == "..") refuse("is the name of a folder");
  for (const char c : name)
    if (static_cast<unsigned char>(c) < 32 || c == 127 || c == '/' || c == ':')
      refuse("has a '/', a ':' or a control character, which XDMF and HDF5 cannot hold in a name");
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  if (is_space(name.front()) || is_space(name.back())) refuse("begins or ends with white space");
  if (!is_utf8(name)) refuse("is not UTF-8");
}

std::vector<double> checked_origin(const std::string& name, const std::vector<double>& spacing,
                                   std::vector<double> origin) {
  const std::size_t rank = spacing.size();
  if (origin.empty()) origin.assign(rank, 0.0);
  if ((rank != 2 && rank != 3) || origin.size() != rank)
    throw Error(series_label, "spacing has " + std::to_string(rank) + " numbers and origin " +
                                  std::to_string(origin.size()) + ", expected 2 or 3 of each");
  for (const double v : spacing)
    if (!std::isfinite(v) || v == 0)
      throw Error(series_label, "spacing has " + number(v) + "; distances must be finite and not 0");
  for (const double v : origin)
    if (!std::isfinite(v)) throw Error(series_label, "origin has " + number(v) + "; coordinates must be finite");
  check_name("the name of the series", std::filesystem::path(name).filename().string());
  return origin;
}

}  // namespace

TimeSeries::TimeSeries(const std::string& name, std::vector<double> spacing, std::vector<double> origin)
    : name_(name),
      spacing_(std::move(spacing)),
      origin_(checked_origin(name, spacing_, std::move(origin))),
      file_(impl::create_hdf5(name + ".h5")) {}

std::string TimeSeries::add(double time, const std::string& field, const shape& extents, data_type type,
                            const hdf5_options& options) {
  impl::check_options(options);
  check_name("the name of a field", field);
  if (!std::isfinite(time)) throw Error(series_label, "the time is " + number(time) + "; it must be finite");
  if (extents.rank != static_cast<int>(spacing_.size()) || (!steps_.empty() && extents != extents_))
    throw Error(series_label, "the field " + field + " has extents " + extents.str() + ", expected " +
                                  (steps_.empty() ? "rank " + std::to_string(spacing_.size()) : extents_.str()));
  if (type.kind == number_kind::complex) throw Error(series_label, "complex fields are not shown; write their parts");
  if (!steps_.empty() && time < steps_.back().time)
    throw Error(series_label, "the time " + number(time) + " is before the last, " + number(steps_.back().time));
  const bool begins = steps_.empty() || time > steps_.back().time;
  if (!begins)
    for (const auto& [name, of] : steps_.back().fields)
      if (name == field) throw Error(series_label, "the field " + field + " was written at the time " + number(time));
  extents_ = extents;
  if (begins) steps_.push_back({time, {}});
  steps_.back().fields.emplace_back(field, type);
  return step_name(steps_.size() - 1) + "/" + field;
}

void TimeSeries::complete(const std::function<void()>& write) {
  try {
    write();
    const std::string text = description();
    impl::output_file out(name_ + ".xdmf");
    out.write(text.data(), static_cast<std::int64_t>(text.size()));
    out.close();
    impl::publish_hdf5(*file_.handle());
    out.commit();
  } catch (...) {
    impl::revert_hdf5(*file_.handle());
    throw;
  }
}

std::string TimeSeries::description() const {
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
  return text.str();
}

}  // namespace quern::files
