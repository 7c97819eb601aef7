// SPDX-FileCopyrightText: the Quern authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef QUERN_DISTRIBUTED_HPP
#define QUERN_DISTRIBUTED_HPP

/// @file
/// Arrays that are distributed over the ranks of MPI: the component `distributed`.

#ifndef QUERN_USES_DISTRIBUTED
#error "quern/distributed.hpp needs a target: target_link_libraries(<yours> Quern::distributed)"
#endif

#include <quern/distributed/all_reduce.hpp>
#include <quern/distributed/checkpoint.hpp>
#include <quern/distributed/communicator.hpp>
#include <quern/distributed/decomposition.hpp>
#include <quern/distributed/describe.hpp>
#include <quern/distributed/distributed_view.hpp>
#include <quern/distributed/fft.hpp>
#include <quern/distributed/group_by.hpp>
#include <quern/distributed/halo_exchange.hpp>
#include <quern/distributed/histogram.hpp>
#include <quern/distributed/kmeans.hpp>
#include <quern/distributed/knn.hpp>
#include <quern/distributed/linalg.hpp>
#include <quern/distributed/map.hpp>
#include <quern/distributed/merge.hpp>
#include <quern/distributed/migrate.hpp>
#include <quern/distributed/migrate_table.hpp>
#include <quern/distributed/npy.hpp>
#include <quern/distributed/quantile.hpp>
#include <quern/distributed/random.hpp>
#include <quern/distributed/redistribute.hpp>
#include <quern/distributed/reduce.hpp>
#include <quern/distributed/reducing_map.hpp>
#include <quern/distributed/reducing_stencil.hpp>
#include <quern/distributed/rolling.hpp>
#include <quern/distributed/rows.hpp>
#include <quern/distributed/running_statistics.hpp>
#include <quern/distributed/scan.hpp>
#include <quern/distributed/sort.hpp>
#include <quern/distributed/stencil.hpp>
#include <quern/distributed/window_filters.hpp>

template <>
inline constexpr bool quern::impl::engines_included<quern::impl::over_ranks_place> = true;

#endif
