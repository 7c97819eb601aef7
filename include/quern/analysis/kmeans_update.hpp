// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_ANALYSIS_KMEANS_UPDATE_HPP
#define QUERN_ANALYSIS_KMEANS_UPDATE_HPP

#include <cstdint>
#include <vector>

namespace quern::impl {

/// How points are divided for sums that depend on their number alone, and not on who adds them up.
struct kmeans_parts {
  std::int64_t length, parts;  // points of a part, and how many there are
  int groups;                  // of sums of a part

  /// `row_bytes`: of the sums of all clusters.
  kmeans_parts(std::int64_t n, std::int64_t row_bytes);
};

/// What is known of the clusters between two iterations, on the host: about an origin, in double.
struct kmeans_clusters {
  std::int64_t clusters;
  int columns;
  std::vector<double> centers, sums;
  std::vector<unsigned long long> counts;  // and behind those of clusters that of changed labels

  kmeans_clusters(std::int64_t k, int d) : clusters(k), columns(d), centers(k * d), sums(k * d), counts(k + 1) {}
  std::vector<std::int64_t> empty() const;
  /// Moves a point from its cluster to an empty one.
  void move(const double* point, std::int64_t from, std::int64_t to);
  /// Takes the means of clusters as centres, for one that is empty that of the largest; returns the sum of the squares
  /// by which they moved.
  double update();
  /// The centres, and half their squares, of which those of `padded` rows are infinity.
  template <class T>
  void make_table(std::vector<T>& rows, std::vector<T>& half_squares, std::int64_t padded) const;
};

}  // namespace quern::impl

#endif
