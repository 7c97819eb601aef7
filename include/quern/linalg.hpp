// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_LINALG_HPP
#define QUERN_LINALG_HPP

/// @file
/// Linear algebra.

#include <quern/linalg/covariance.hpp>
#include <quern/linalg/eigh.hpp>
#include <quern/linalg/einsum.hpp>
#include <quern/linalg/inner.hpp>
#include <quern/linalg/least_squares.hpp>
#include <quern/linalg/matmul.hpp>
#include <quern/linalg/matvec.hpp>
#include <quern/linalg/multivariate_normal.hpp>
#include <quern/linalg/principal_components.hpp>
#include <quern/linalg/qr.hpp>
#include <quern/linalg/running_covariance.hpp>
#include <quern/linalg/solve.hpp>
#include <quern/linalg/svd.hpp>

#endif
