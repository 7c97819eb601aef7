// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_SRC_LINALG_LETTERS_HPP
#define QUERN_SRC_LINALG_LETTERS_HPP

#include <quern/linalg/blas.hpp>

/// @file
/// The letters by which a BLAS is told what to do.

namespace quern::impl::blas {

inline const char* transposition(form f) { return f == form::as_is ? "N" : f == form::transposed ? "T" : "C"; }
inline const char* letter(side where) { return where == side::left ? "L" : "R"; }
inline const char* triangle(triangle_kind kind) { return kind.upper ? "U" : "L"; }
inline const char* diagonal(triangle_kind kind) { return kind.unit ? "U" : "N"; }

}  // namespace quern::impl::blas

#endif
