// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FFT_HPP
#define QUERN_FFT_HPP

/// @file
/// Fourier transforms: the component `fft`.

#ifndef QUERN_USES_FFT
#error "quern/fft.hpp needs a target: target_link_libraries(<yours> Quern::fft)"
#endif

#include <quern/fft/convolve.hpp>
#include <quern/fft/cosine.hpp>
#include <quern/fft/fft.hpp>
#include <quern/fft/frequencies.hpp>
#include <quern/fft/plans.hpp>
#include <quern/fft/poisson.hpp>
#include <quern/fft/spectral.hpp>

#endif
