// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_CHUNKED_KMEANS_HPP
#define QUERN_CHUNKED_KMEANS_HPP

#include <quern/analysis/kmeans.hpp>
#include <quern/chunked/map.hpp>
#include <quern/chunked/operands.hpp>
#include <quern/map/map.hpp>

namespace quern::impl {

/// Points that come in chunks of rows, each time that a run reads them.
template <class Exec, class Points>
class points_in_chunks {
 public:
  using T = std::remove_const_t<value_of<Points>>;
  static constexpr bool in_chunks = true;

  points_in_chunks(const std::string& label, const Points& points, const chunking& settings)
      : points_(points), plan_{label, points_.extents()} {
    plan_.settings = settings;
    plan_.ordered = true;
    points_.join(plan_.inputs, false);
  }
  const shape& extents() const { return plan_.extents; }
  /// Calls f(exec, points, number of the first one) for each chunk.
  template <class F>
  void for_each(const Exec& exec, const F& f) const {
    run_chunks<Exec>(exec, plan_, [&](const Exec& e, const array_chunk& c) {
      const auto rows = points_.part(0, c, false);
      f(e, strided<const T>{rows.data, rows.extents, rows.stride}, c.first);
    });
  }
  /// Some points less the origin, one behind the other.
  std::vector<T> read(const std::vector<std::int64_t>& numbers, const std::vector<T>& origin) const {
    const std::size_t columns = origin.size();
    std::vector<T> rows(numbers.size() * columns);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      points_.array()->read(rows_from(numbers[i], 1), rows.data() + i * columns);
    for (std::size_t e = 0; e < rows.size(); ++e) rows[e] -= origin[e % columns];
    return rows;
  }
  /// The first of some points that is finite, or whose square is.
  std::int64_t first_finite(std::int64_t first, std::int64_t count, bool of_square) const {
    constexpr std::int64_t together = 4096;
    for (std::int64_t at = 0; at < count; at += together) {
      const std::int64_t some = std::min(together, count - at);
      const packed_box box = rows_from(first + at, some);
      std::vector<T> rows(box.extents.size());
      points_.array()->read(box, rows.data());
      std::int64_t least = some;
      const least_finite_point<T> look{{rows.data(), box.extents, box.packed}, 0, of_square};
      for (std::int64_t i = 0; i < some && least == some; ++i) look(i, least);
      if (least < some) return at + least;
    }
    return count;
  }

 private:
  packed_box rows_from(std::int64_t first, std::int64_t count) const {
    return box_along(*points_.array(), 0, first, count);
  }
  input_in_chunks<Exec, Points> points_;
  chunk_plan plan_;
};

template <>
struct engine<in_chunks_place, clusterings> {
  template <class Exec, class Centers, class Labels, class Points, class Start, class... Options>
  static kmeans_result run(const Exec& exec, const Centers& centers_view, const Labels& labels, const Points& points,
                           const Start& start, const Options&... options) {
    static_assert(view_like<Centers>, "quern::kmeans: centers is a View, which every chunk of points needs");
    static_assert(!reproducibly<Options...>, "quern: clusters that are reproducible are those in memory");
    const call c("quern::kmeans", exec);
    const auto request = request_of_kmeans<Centers, Labels, Points>(c.label, start, options...);
    const auto centers = c.output(centers_view);
    const input_in_chunks<Exec, Points> in(points);
    const output_in_chunks<Exec, Labels> out(labels, c.label);
    check_kmeans_extents(c.label, in.extents(), centers.extents, out.extents());
    check_positions<value_of<Labels>>(c.label, "labels", centers.extents.extent[0]);
    check_memory(c.label, out, in, false, "points");
    check_memory(c.label, output_in_chunks<Exec, Centers>(centers_view, c.label), in, false, "points");
    if constexpr (view_like<Labels>) check_apart(c.label, {"centers", "labels"}, centers, c.output(labels));
    start.check(c, centers);
    using T = std::remove_const_t<value_of<Points>>;
    const auto found = [&](const auto& rows) {
      kmeans_run<false, Exec, T, std::remove_cvref_t<decltype(rows)>> run(c.label, exec, rows,
                                                                          centers.extents.extent[0]);
      const kmeans_result result = request(c, run);
      run.write_centers(centers_view);
      const auto numbers = run.labels();
      if constexpr (view_like<Labels>)
        map_checked(label_text(c.label, "/labels"), exec, labels, op::identity(), numbers);
      else
        engine<in_chunks_place, maps>::run(c.label, exec, labels, op::identity(), std::tie(numbers),
                                           settings_of(options...));
      return result;
    };
    if constexpr (input_in_chunks<Exec, Points>::is_resident) return found(resident_points<T>{in.memory()});
    else return found(points_in_chunks<Exec, Points>(c.label, points, settings_of(options...)));
  }
};

}  // namespace quern::impl

#endif
