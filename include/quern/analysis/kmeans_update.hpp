// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_KMEANS_UPDATE_HPP
#define QUERN_ANALYSIS_KMEANS_UPDATE_HPP

#include <cstdint>
#include <vector>

namespace quern::impl {

/// How points are divided for sums that depend on their number alone, and not on who adds them up. Of these parts one
/// who adds them up has some, one behind the other.
struct kmeans_parts {
  std::int64_t length, parts;   // points of a part, and how many parts there are here
  int groups;                   // of sums of a part
  std::int64_t first = 0, all;  // the number of the first part that is here, and how many there are

  /// Parts of n points. Those for large sums are made of whole ones for none.
  /// @param row_bytes of the sums of all clusters
  kmeans_parts(std::int64_t n, std::int64_t row_bytes, std::int64_t clusters = 1);
  /// How many parts at most n points have, or fewer points.
  static std::int64_t most(std::int64_t n, std::int64_t row_bytes);
  /// Those of `count` points from one on, with which a part begins.
  kmeans_parts part(std::int64_t first_point, std::int64_t count) const;
  /// The same parts for the sums of other clusters.
  kmeans_parts with_clusters(std::int64_t row_bytes, std::int64_t clusters) const;
};

/// What k-means adds up over points of which others have some: a run has those from `first` on, where one of the parts
/// of `all` begins. The sums are over all who have points, and all get the same.
class other_points {
 public:
  std::int64_t all, first;

  other_points(std::int64_t of_all, std::int64_t of_first) : all(of_all), first(of_first) {}
  virtual ~other_points() = default;
  /// Sums of values in memory of the execution space.
  virtual void sum(float* values, std::int64_t count) const = 0;
  virtual void sum(double* values, std::int64_t count) const = 0;
  virtual void sum_on_host(double* values, std::int64_t count) const = 0;
  virtual std::int64_t least(std::int64_t value) const = 0;
  /// How many have points, and the number of this one.
  virtual int size() const = 0;
  virtual int number() const = 0;
};

/// Points that are far from their centres, one behind the other: the square of its distance, its number among all
/// points, its label and its coordinates.
struct far_points {
  std::int64_t columns, count;
  std::vector<double> values;

  far_points(std::int64_t d, std::int64_t n) : columns(d + 3), count(n), values(n * columns) {}
  double* point(std::int64_t e) { return values.data() + e * columns; }
  /// Those that are farthest of all, of equally far ones the first; a square that is negative is of none.
  void take_farthest(const other_points& others);
};

/// What is known of the clusters between two iterations, on the host: about an origin, in double.
struct kmeans_clusters {
  std::int64_t clusters;
  int columns;
  std::vector<double> centers, sums;
  std::vector<std::uint64_t> counts;  // and behind those of clusters that of changed labels

  kmeans_clusters(std::int64_t k, int d) : clusters(k), columns(d), centers(k * d), sums(k * d), counts(k + 1) {}
  std::vector<std::int64_t> empty() const;
  /// Moves a point from its cluster to an empty one.
  void move(const double* point, std::int64_t from, std::int64_t to);
  /// Takes the means of clusters as centres, for one that is empty that of the largest; they stay where all are empty.
  /// Returns the sum of the squares by which they moved.
  double update();
  /// The centres, and half their squares, of which those of `padded` rows are infinity.
  template <class T>
  void make_table(std::vector<T>& rows, std::vector<T>& half_squares, std::int64_t padded) const;
};

}  // namespace quern::impl

#endif
