// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_TESTS_FFT_TRANSFORMS_HPP
#define QUERN_TESTS_FFT_TRANSFORMS_HPP

#include <quern/fft.hpp>
#include <support/reference_archive.hpp>

namespace test {

/// Transforms by numpy.fft and scipy.fft (tools/fft_reference.py): those of "fft/ortho/56/in" and so on.
inline const reference_archive transforms("fft/data/transforms.npz");

/// A transform of NumPy's or SciPy's, and how it was called.
struct transform {
  std::string group, name, norm;  // the arrays are called group + "in" and group + "out"
  std::vector<std::int64_t> axes, lengths, in_extents, out_extents;

  bool from_real() const { return transforms.holds<double>(group + "in"); }
  bool to_real() const { return transforms.holds<double>(group + "out"); }
  quern::fft_norm normalization() const {
    return norm == "ortho"     ? quern::fft_norm::ortho
           : norm == "forward" ? quern::fft_norm::forward
                               : quern::fft_norm::backward;
  }
};

/// Those of cosines and sines, or the others.
inline std::vector<transform> transforms_of(bool cosines) {
  std::vector<transform> result;
  for (const std::string& array : transforms.names()) {
    if (!array.ends_with("/in")) continue;
    transform t;
    t.group = array.substr(0, array.size() - 2);
    t.name = array.substr(0, array.find('/'));
    if (cosines != (t.name.find("ct") != std::string::npos || t.name.find("st") != std::string::npos)) continue;
    t.norm = array.substr(t.name.size() + 1, array.find('/', t.name.size() + 1) - t.name.size() - 1);
    t.axes = transforms.values<std::int64_t>(t.group + "axes");
    if (transforms.contains(t.group + "lengths")) t.lengths = transforms.values<std::int64_t>(t.group + "lengths");
    t.in_extents = transforms.extents(t.group + "in");
    t.out_extents = transforms.extents(t.group + "out");
    result.push_back(t);
  }
  return result;
}

}  // namespace test

#endif
