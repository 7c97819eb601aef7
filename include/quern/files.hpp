// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_FILES_HPP
#define QUERN_FILES_HPP

/// @file
/// Arrays in files: the component `files`.

#ifndef QUERN_USES_FILES
#error "quern/files.hpp needs a target: target_link_libraries(<yours> Quern::files)"
#endif

#include <quern/files/chunks.hpp>
#include <quern/files/convert.hpp>
#include <quern/files/hdf5.hpp>
#include <quern/files/npy.hpp>
#include <quern/files/raw.hpp>

#endif
