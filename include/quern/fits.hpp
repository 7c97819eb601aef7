// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FITS_HPP
#define QUERN_FITS_HPP

/// @file
/// Fits of functions to data.

#include <quern/fits/curve_fit.hpp>
#include <quern/fits/lasso.hpp>
#include <quern/fits/linear_regression.hpp>
#include <quern/fits/logistic_regression.hpp>
#include <quern/fits/polyfit.hpp>
#include <quern/fits/train_test_split.hpp>

#endif
