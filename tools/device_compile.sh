#!/usr/bin/env bash
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles what users read and run (guides, examples, benchmarks and the program) and the tests, which instantiate
# everything, for CUDA or HIP against a Kokkos that was built for neither: a folder before Kokkos's headers holds the
# generated ones of that back end. It cannot link, but it proves that the one source compiles, and without a warning.
# device_compile.sh cuda|hip FOLDER JOBS
set -euo pipefail
backend=$1 out=$2/$1 jobs=$3
top=$(cd "$(dirname "$0")/.." && pwd)
kokkos=${QUERN_KOKKOS_HEADERS:-/usr/local/lib/kokkos-openmp/usr/include/kokkos}
mpi=${QUERN_MPI_HEADERS:-$(echo /usr/lib/*/openmpi/include)}

case $backend in
  cuda) architectures=(sm_90) ;;
  hip) architectures=(gfx90a gfx942) ;;
esac
# Each line is one translation unit: Kokkos's headers alone take five seconds of each.
units=(
  tools/differential_test  # maps, reductions, scans, sorts and stencils of random arrays
  chunked/pipeline_test
  "distributed/stencil_test distributed/halo_test distributed/halo_add_test distributed/own_blocks_test distributed/gradient_test"
  "../src/linalg/$backend ../src/fft/device ../src/fft/fft ../src/fft/plan_cache ../src/fft/plans"  # the vendor's libraries
  "../src/linalg/unavailable ../src/fft/unavailable ../src/fits/normal_equations ../src/fits/coordinate_descent ../src/fits/logistic_steps"
  "../src/core/memory/workspace ../src/core/values/bytes_text ../src/core/call/error ../src/core/call/label ../src/core/call/per_axis ../src/core/views/axes ../src/core/views/computed_pads ../src/core/views/extents ../src/core/views/index_operands ../src/core/views/layouts ../src/core/views/mapped_array ../src/core/views/operands ../src/core/views/overlap ../src/core/views/repeat_by_counts ../src/core/launch/arguments ../src/core/launch/launch_units ../src/core/launch/loop_nest ../src/core/launch/no_vector_sort ../src/core/launch/nontemporal_store ../src/core/memory/pool ../src/core/launch/host_threads ../src/map/elementary ../src/map/transpose_tile ../src/chunked/pipeline ../src/stencil/boundary ../src/stencil/filters ../src/stencil/footprint ../src/stencil/grid ../src/stencil/separable_passes ../src/stencil/stencil ../src/random/fill ../src/analysis/label ../src/particles/domain ../src/stencil/halo_fields ../src/stencil/one_sided ../src/distributed/side_instance"
  "../src/transfer/staging ../src/transfer/box_copy ../src/transfer/copy_async ../src/chunked/array_io ../src/chunked/reindexed ../src/core/memory/free_memory ../src/print/gather ../src/print/formats ../src/print/digits ../src/print/text ../src/files/array_file ../src/files/array_info ../src/files/convert ../src/files/elements ../src/files/npy ../src/files/npy_header ../src/files/npz ../src/files/output_file ../src/files/no_zlib ../src/files/no_hdf5 ../src/files/time_series"
  "../src/distributed/communicator ../src/distributed/decomposition ../src/distributed/halo_boxes ../src/distributed/halo_sums ../src/distributed/fft ../src/distributed/operands ../src/distributed/own_blocks ../src/distributed/same_calls ../src/distributed/stencil_parts ../src/distributed/checkpoint ../src/distributed/no_device_link ../src/distributed/no_parallel_hdf5"
  "../src/distributed/box_exchange ../src/distributed/device_link ../src/fft/run"  # run asks for transforms of hosts, which device.cpp has templates of, too
  "../src/reduce/launch ../src/reduce/select ../src/scan/segmented_launch ../src/keyed/sort_reals ../src/keyed/sort_with_32_bits"
)
# The other tests, which instantiate every operation for every type. What includes hdf5.h is left out, which is not there.
tests=(
  "core/lazy_test core/lazy_scan_test core/lazy_keyed_test"
  "keyed/unique_test keyed/join_test keyed/asof_join_test keyed/insert_test"
  "keyed/group_by_test keyed/different_keys_test keyed/group_ranges_test"
  "keyed/group_order_test keyed/group_moments_test"
  "map/map_test map/functions_test map/math_test map/elementary_test map/outputs_test map/transposed_copies_test"
  map/rows_test
  "views/strided_test views/indices_test views/overlap_test"
  "views/mapped_test views/computed_pads_test views/operations_test"
  "map/ranges_test map/matrices_test map/values_test map/concatenate_test map/differences_test map/indices_test map/products_test map/transposed_copies_test map/device_map_test reduce/compare_test reduce/byte_counts_test"
  "autodiff/dual_test batch/solvers_test"
  autodiff/derivatives_test
  autodiff/special_test
  "reduce/sum_test reduce/family_test reduce/quantile_test reduce/row_selection_test reduce/short_rows_test reduce/vector_columns_test reduce/vector_extrema_test"
  "reduce/reduced_test reduce/reductions_alone_test stencil/reduced_test"
  "reduce/axes_test reduce/reproducible_test reduce/moments_test reduce/integer_moments_test reduce/rounded_moments_test"
  reduce/mask_test
  reduce/mask_family_test
  reduce/mask_axes_test reduce/mask_numpy_test reduce/reindexed_test reduce/row_segments_test
  "map/mask_test map/masked_reductions_test chunked/mask_test"
  scan/mask_test
  scan/mask_axes_test
  reduce/quantile_mask_test
  "keyed/count_masks_test keyed/compact_rows_test keyed/frequent_binning_test keyed/one_pass_compaction_test"
  keyed/group_masks_test
  "linalg/matmul_test linalg/matvec_test linalg/einsum_test linalg/covariance_test linalg/orthogonal_test"
  "batch/vmap_linalg_test batch/vmap_products_test"
  "batch/vmap_test linalg/solve_test"
  "keyed/lane_rows_test linalg/lane_factors_test linalg/lane_solve_test linalg/row_products_test fits/lane_products_test"
  "linalg/dense_test linalg/decompositions_test linalg/tall_test linalg/team_factors_test linalg/least_squares_test"
  "transfer/copy_test core/pool_test print/print_test"
  "random/fields_test random/points_test"
  "keyed/sort_test keyed/top_k_test"
  "keyed/histogram_test keyed/interpolation_test keyed/cubic_spline_test"
  "analysis/label_test analysis/kmeans_lanes_test analysis/kmeans_test analysis/assign_memory_test analysis/running_statistics_test chunked/kmeans_test particles/neighbors_test particles/pair_counts_test particles/sparse_test particles/knn_test particles/device_search_test"
  "fits/linear_regression_test fits/polyfit_test fits/curve_fit_test fits/lasso_test fits/logistic_regression_test"
  "table/table_test table/groups_test table/arrow_test table/csv_test table/csv_chunks_test table/csv_source_test table/chunks_test table/merge_test table/pivot_test table/rolling_test"
  "scan/scan_test scan/one_pass_test scan/segmented_test scan/unwrap_test"
  "stencil/stencil_test stencil/boundary_test stencil/halo_test stencil/inputs_test"
  "stencil/filters_test stencil/operators_test stencil/gradient_test stencil/gradient_of_ranks_test"
  stencil/filters_scipy_test
  stencil/filter_means_test
  stencil/filter_sums_test
  stencil/filter_separable_test
  stencil/filter_windows_test
  stencil/ndimage_test
  "stencil/order_test stencil/wide_windows_test"
  stencil/rolling_test
  "stencil/rolling_tiles_test stencil/extreme_tiles_test stencil/separable_tiles_test map/transposing_tiles_test"
  stencil/map_coordinates_test
  stencil/gaussian_derivatives_test
  "fft/fft_test fft/plans_test"
  fft/memory_test
  "fft/cosine_test fft/spectral_test"
  "integrate/integrate_test integrate/samples_test integrate/estimates_test"
  "distributed/scan_test distributed/histogram_test distributed/random_test"
  "distributed/sort_test distributed/migrate_test"
  "distributed/kmeans_test distributed/knn_test distributed/describe_test"
  "distributed/group_by_test distributed/merge_test distributed/migrate_table_test"
  "distributed/operands_test distributed/reindexed_test distributed/decomposition_test"
  "distributed/differing_calls_test distributed/differing_parameters_test"
  "distributed/window_filters_test distributed/rolling_test"
  "distributed/map_test distributed/functions_test distributed/reducing_map_test distributed/all_reduce_test distributed/running_statistics_test distributed/messages_test"
  distributed/rows_test
  distributed/calls_test
  distributed/reduce_test
  "distributed/reduce_axes_test distributed/reduce_edges_test"
  "distributed/reproducible_test distributed/extrema_test"
  distributed/mask_test
  distributed/checkpoint_test
  distributed/linalg_test
  distributed/fft_test
  "tools/frozen_test tools/frozen_axes_test tools/frozen_random_test"
  chunked/frozen_test
  distributed/frozen_test
  distributed/allocations_test
  distributed/gaps_test # alone, as includes under a condition cannot be brought together
)
benchmarks=(
  ../bench/linalg/products_bench # alone, as includes under a condition cannot be brought together
  "../bench/linalg/batched_bench ../bench/linalg/dense_bench"
  "../bench/map/map_bench ../bench/core/lazy_bench ../bench/scan/scan_bench ../bench/scan/segmented_bench"
  ../bench/reduce/reduce_bench
  "../bench/reduce/axes_bench ../bench/reduce/quantile_bench ../bench/reduce/variance_bench"
  "../bench/stencil/stencil_bench ../bench/stencil/filters_bench ../bench/stencil/order_bench ../bench/stencil/rolling_bench ../bench/integrate/integrate_bench"
  "../bench/keyed/sort_bench ../bench/keyed/unique_bench ../bench/keyed/group_bench ../bench/keyed/histogram_bench"
  "../bench/keyed/skewed_bench ../bench/keyed/interpolation_bench ../bench/map/elementary_bench ../bench/map/rows_bench"
  "../bench/views/moves_bench ../bench/views/sums_bench ../bench/views/masks_bench"
  ../bench/table/table_bench
  ../bench/sweep/short_rows_bench
  ../bench/sweep/odd_shapes_bench # alone, as bench/linalg/products_bench
  "../bench/stencil/odd_rows_bench ../bench/stencil/halo_bench ../bench/stencil/reduced_bench ../bench/sweep/sweep_bench ../bench/map/narrow_bench ../bench/reduce/narrow_bench"
  "../bench/random/random_bench ../bench/analysis/analysis_bench ../bench/fits/fits_bench"
  ../bench/autodiff/autodiff_bench
  ../bench/fft/fft_bench
  ../bench/transfer/transfer_bench
  ../bench/chunked/chunked_bench
  ../bench/distributed/distributed_bench
)
examples=(
  "../examples/01_quickstart/main ../examples/02_heat3d/main ../examples/04_out_of_core/main ../examples/05_turbulence/main ../examples/06_epidemics/main ../examples/07_heat3d_mpi/main ../examples/08_conjugate_gradients/main ../examples/09_conjugate_gradients_mpi/main ../examples/10_leapfrog/main ../examples/11_numpy_script/main"
  ../examples/03_photo_filter/main # alone, as it is what includes stb_image
)
program=(
  "../src/app/elementwise ../src/app/stencils ../src/app/quadrature ../src/app/derivatives ../src/app/report ../src/app/main ../src/app/run_options ../src/app/launcher ../src/app/interrupts ../src/app/output_file"
  "../src/app/keyed ../src/app/linear_algebra"
  ../src/app/indexing
  ../src/app/analysis
  "../src/app/decompositions ../src/app/reductions ../src/app/random_numbers ../src/app/transfers ../src/app/transforms"
  ../src/app/distributed
)
# The code of the guides, in the functions around it.
guides=$2/guides-$backend
mkdir -p "$guides"
folder=$(realpath --relative-to="$top/tests" "$guides")
for guide in autodiff operands reindexing reductions stencils simulation integration random keyed particles analysis linear_algebra fits transfers files tables chunks fft distributed; do
  awk -f "$top/tools/guide_source.awk" "$top/docs/$guide.md" "$top/tests/guides/$guide.cpp" >"$guides/$guide.cpp"
done
mapfile -t headers < <(find "$top/include/quern" -name '*.hpp' -path '*/distributed/*' | sort)
awk -f "$top/tools/guide_source.awk" "${headers[@]}" "$top/tests/guides/distributed_comments.cpp" >"$guides/distributed_comments.cpp"
mapfile -t headers < <(find "$top/include/quern" -name '*.hpp' -not -path '*/distributed/*' | sort)
awk -f "$top/tools/guide_source.awk" "${headers[@]}" "$top/tests/guides/doc_comments.cpp" >"$guides/doc_comments.cpp"
units+=("$folder/autodiff $folder/operands $folder/reindexing $folder/reductions $folder/stencils $folder/simulation $folder/integration" "$folder/random $folder/keyed $folder/particles $folder/analysis $folder/linear_algebra $folder/fits" "$folder/transfers $folder/files $folder/tables $folder/chunks $folder/fft" "$folder/distributed $folder/distributed_comments" "$folder/doc_comments")
# What is `extern` in all others (core/launch/compiled.hpp): these and the last of `units` alone compile it.
compiled=(
  "../src/scan/scan ../src/keyed/group_by ../src/keyed/group_reductions ../src/keyed/sort ../src/keyed/top_k"
  "../src/table/chunk_describe ../src/table/chunk_groups ../src/table/columns ../src/table/concat ../src/table/describe ../src/table/groups ../src/table/merge ../src/table/merge_asof ../src/table/names ../src/table/order ../src/table/partial_aggregates ../src/table/pivot ../src/table/print ../src/table/rolling ../src/table/statistics_of_groups ../src/table/table"
  "../src/table/arrow_read ../src/table/arrow_table ../src/table/arrow_write ../src/table/csv_chunks ../src/table/csv_fields ../src/table/csv_parse ../src/table/csv_read ../src/table/csv_records ../src/table/csv_source ../src/table/csv_write"
  "../src/distributed/describe ../src/distributed/group_by ../src/distributed/merge ../src/distributed/migrate_table ../src/distributed/table_rows"
  "../src/linalg/dense_kernels ../src/linalg/dense_orthogonal ../src/linalg/least_squares"
)
# With QUERN_DEVICE_COMPILE=quick one back end, CUDA, compiles these, the program and the examples.
if [[ ${QUERN_DEVICE_COMPILE:-} != quick || $backend == cuda ]]; then units+=("${compiled[@]}" "${program[@]}" "${examples[@]}"); fi
# With QUERN_DEVICE_COMPILE=quick these are left out: what they instantiate, others do too.
if [[ ${QUERN_DEVICE_COMPILE:-} != quick ]]; then
  units+=("${tests[@]}" "${benchmarks[@]}")
  units+=("../src/keyed/quicksort ../src/keyed/quicksort_positions" ../src/keyed/no_quicksort)
  units+=("../src/linalg/lane_factors ../src/linalg/lane_inverse ../src/linalg/lane_solve")
  units+=(../src/keyed/sort_signed ../src/keyed/sort_unsigned ../src/keyed/sort_with_64_bits ../src/keyed/narrow_keys)
  units+=("core/extents_test core/gaps_test core/views_test core/workspace_test map/edges_test reduce/edges_test" "random/statistics_test files/full_disk_test" "tools/callbacks_test tools/allocations_test tools/point_calls_test")
  units+=(chunked/lazy_test chunked/map_test chunked/reducing_map_test chunked/rows_test chunked/operands_test chunked/reindexed_test chunked/functions_test chunked/reduce_test "chunked/reduce_axes_test chunked/quantile_test" chunked/scan_test "chunked/stencil_test chunked/gradient_test" "chunked/window_filters_test chunked/rolling_test" "files/chunks_test files/hdf5_test files/files_test")
  units+=(core/calls_test core/functors_test core/named_test core/named_models_test)
fi
# With QUERN_DEVICE_COMPILE=resources, the program and kernels of the library, optimized: the compiler says what its kernels need of a GPU.
if [[ ${QUERN_DEVICE_COMPILE:-} == resources ]]; then
  units=(../src/app/{elementwise,stencils,quadrature,reductions,random_numbers,keyed,linear_algebra,decompositions} ../src/{reduce/select,scan/scan,keyed/sort,keyed/top_k})
fi
# With QUERN_DEVICE_COMPILE=quick a back end's further architectures, which no source here knows from the first, are left out,
# and the front ends alone read the device's part: no code is generated.
if [[ ${QUERN_DEVICE_COMPILE:-} == quick ]]; then architectures=("${architectures[0]}"); fi

# The generated headers of Kokkos, as its build writes them for this back end with Serial.
prepare() {
  local arch=$1 dir=$2 name setup upper part major minor patch
  mkdir -p "$dir/quern"
  upper=$(tr '[:lower:]' '[:upper:]' <<<"$backend")
  case $backend in
    cuda) name=CUDA setup=Cuda macros="#define KOKKOS_ARCH_HOPPER90
#define KOKKOS_ARCH_HOPPER
#define KOKKOS_ENABLE_CUDA_LAMBDA
#define KOKKOS_ENABLE_IMPL_CUDA_MALLOC_ASYNC" ;;
    hip) name=HIP setup=HIP macros="#define KOKKOS_ARCH_AMD_${arch^^}
#define KOKKOS_ARCH_AMD_GPU \"${arch}\"
#define KOKKOS_ENABLE_ROCTHRUST" ;;
  esac
  {
    grep -vE '#define KOKKOS_ENABLE_(OPENMP|ATOMICS_BYPASS)|^#define KOKKOS_ARCH_|^#endif.*CORE_CONFIG' "$kokkos/KokkosCore_config.h"
    printf '\n#ifndef KOKKOS_ENABLE_SERIAL\n#define KOKKOS_ENABLE_SERIAL\n#endif\n#define KOKKOS_ENABLE_%s\n%s\n' "$upper" "$macros"
  } >"$dir/KokkosCore_config.h"
  # The guard of the original closes at its end, where it still does.
  if [[ $(grep -cE '^#(if|ifdef|ifndef)' "$dir/KokkosCore_config.h") != $(grep -c '^#endif' "$dir/KokkosCore_config.h") ]]; then
    echo '#endif' >>"$dir/KokkosCore_config.h"
  fi
  for part in Declare Fwd Setup; do
    case $part in
      Declare) printf '#include <decl/Kokkos_Declare_SERIAL.hpp>\n#include <decl/Kokkos_Declare_%s.hpp>\n' "$name" ;;
      Fwd) printf '#include <fwd/Kokkos_Fwd_SERIAL.hpp>\n#include <fwd/Kokkos_Fwd_%s.hpp>\n' "$name" ;;
      Setup) printf '#include <setup/Kokkos_Setup_%s.hpp>\n' "$setup" ;;
    esac >"$dir/KokkosCore_Config_${part}Backend.hpp"
  done
  printf 'namespace quern::build_info {\ninline constexpr char commit[] = "", compiler[] = "", flags[] = "";\n}\n' >"$dir/build_info.hpp"
  IFS=. read -r major minor patch < <(sed -n 's/^project(Quern VERSION \([0-9.]*\).*/\1/p' "$top/CMakeLists.txt")
  sed -e "s/@PROJECT_VERSION@/$major.$minor.$patch/; s/@PROJECT_VERSION_MAJOR@/$major/; s/@PROJECT_VERSION_MINOR@/$minor/; s/@PROJECT_VERSION_PATCH@/$patch/" \
    "$top/cmake/config.hpp.in" >"$dir/quern/config.hpp"
}

# together SOURCE...: the sources as one, each in a namespace of its own, behind the headers of all. Those of the program
# and of the library are of one namespace as they are.
together() {
  local source
  if [[ $1 == ../src/* ]]; then
    printf "#include \"$top/tests/%s.cpp\"\n" "$@"
    return
  fi
  sed -n '/^#include/p' "${@/%/.cpp}" | awk '!seen[$0]++'
  for source in "$@"; do
    printf 'namespace in_%s {\n#line 1 "%s.cpp"\n' "${source//[^a-z_]/_}" "$source"
    # The function main of an example, which is one like others here, returns something.
    awk '
      /^#include/ { $0 = "" }
      /^int main\(/ { main = 1 }
      main && /^}$/ {
        if (last !~ /^  return /) print "  return 0;"
        main = 0
      }
      { print; last = $0 }' "$source.cpp"
    printf '}\n'
  done
}

# compiler ARCHITECTURE [ARGS...]: how a source is compiled, in the array `command`.
compiler() {
  local arch=$1 dir=$out/$1
  local target=-arch=$arch
  local -a mode=(-c -O1)
  if [[ ${QUERN_DEVICE_COMPILE:-} == quick && $backend == cuda ]]; then
    target=-arch=${arch/sm/compute}
    mode=(--ptx -fdevice-syntax-only)
  elif [[ ${QUERN_DEVICE_COMPILE:-} == quick ]]; then
    mode=(-fsyntax-only -Wno-unused-command-line-argument --offload-device-only)
  elif [[ ${QUERN_DEVICE_COMPILE:-} == resources ]]; then
    mode=(-c -O3 --offload-device-only -Rpass-analysis=kernel-resource-usage)
  fi
  case $backend in
    cuda)
      command=(nvcc -x cu -ccbin g++ "$target" -std=c++20 "${mode[@]}" --expt-extended-lambda -Werror=cross-execution-space-call
        "-diag-suppress=186,20011,20013,20014,20015" -isystem "$kokkos" -DDESUL_ATOMICS_ENABLE_CUDA -DKOKKOS_DEPENDENCE)
      ;;
    hip)
      command=(hipcc -x hip "--offload-arch=$arch" -std=c++20 "${mode[@]}" -fno-gpu-rdc -Wno-unused-result -isystem "$kokkos"
        -DDESUL_ATOMICS_ENABLE_HIP -DKOKKOS_DEPENDENCE)
      ;;
  esac
  if [[ ${QUERN_DEVICE_COMPILE:-} == quick ]]; then command+=(-DQUERN_TEST_PART=0); fi
  command+=(-I "$dir" -I "$top/include" -I "$top/tests" -I "$top/tests/guides" -I "$top/bench" -I "$top/src"
    -isystem /usr/include/stb -isystem "$mpi" -DOMPI_SKIP_MPICXX -DFMT_USE_CONSTEXPR=1 -DQUERN_APP_{LINALG,FFT,FILES,HDF5,DISTRIBUTED,NCCL,RCCL}"=1" "-DQUERN_EXECUTION_SPACE=Kokkos::DefaultExecutionSpace"
    -DQUERN_TEST_WITHOUT_SERIAL -DQUERN_USES_LINALG -DQUERN_USES_FILES -DQUERN_USES_FFT -DQUERN_USES_TABLE -DQUERN_USES_DISTRIBUTED '-DQUERN_TEST_DATA=""')
}

# compile ARCHITECTURE SOURCE...
compile() {
  local arch=$1 dir=$out/$1 unit object
  local -a command
  shift
  object=$dir/${1//\//_}.o
  unit=$top/tests/$1.cpp
  if (($# > 1)); then
    unit=${object%.o}.cpp
    (cd "$top/tests" && together "$@") >"$unit"
  fi
  compiler "$arch"
  # Device code that calls a function of hosts is compiled as code that never runs. The library's sources, one test, and
  # those that run kernels by threads or emulated lanes of the host are compiled for hosts, too, whose functions nvcc
  # sees called by functions of both.
  if [[ $1 != tools/differential_test && $1 != ../src/* ]] && ! grep -qE 'support/(thread_teams|emulated_lanes)' "$unit"; then command=("${command[@]/-diag-suppress=*/-diag-suppress=186}"); fi
  "${command[@]}" "$unit" -o "$object" >"$object.log" 2>&1 || {
    { grep -m 20 -E 'error|fatal' "$object.log" || tail -n 20 "$object.log"; } >&2
    echo "FAILED $backend $arch $*" >&2
    return 1
  }
  if grep -m 5 'warning' "$object.log" >&2; then
    echo "WARNED $backend $arch $*" >&2
    return 1
  fi
  echo "compiled $backend $arch $* in $SECONDS s"
}

# rejects ARCHITECTURE CASE MESSAGE...: a case of tests/compile_fail must not compile, and the first ten lines from the
# first error on must hold the message.
rejects() {
  local arch=$1 case=$2 log=$out/$1/rejects_$2.log
  local -a command
  shift 2
  compiler "$arch"
  command=("${command[@]/-diag-suppress=*/-diag-suppress=186}") # calls of host functions are errors here
  if python3 "$top/tools/first_error.py" "${command[@]}" "-DCASE_$case" "$top/tests/compile_fail/cases.cpp" -o "${log%.log}.o" >"$log" 2>&1; then
    echo "COMPILED $backend $arch $case" >&2
    return 1
  fi
  grep -qE "$*" "$log" || {
    cat "$log" >&2
    echo "UNEXPECTED $backend $arch $case" >&2
    return 1
  }
  echo "rejected $backend $arch $case"
}
export -f compiler compile rejects together
export backend kokkos mpi out top

for arch in "${architectures[@]}"; do
  prepare "$arch" "$out/$arch"
  printf "$arch %s\n" "${units[@]}"
done | xargs -L 1 -P "$jobs" bash -euo pipefail -c 'compile "$@"' _

if [[ ${QUERN_DEVICE_COMPILE:-} == resources ]]; then exit; fi

# What users read who call an operation wrongly.
xargs -L 1 -P "$jobs" bash -euo pipefail -c 'rejects "$@"' _ <<EOT
${architectures[0]} MAP_ARITY quern::map:.f.must.be.callable.with.one.value.of.each.input
${architectures[0]} SUM_ARGUMENTS no.(instance.of.overloaded|matching).function
${architectures[0]} SCAN_ARGUMENTS no.(instance.of.overloaded|matching).function
${architectures[0]} STENCIL_RANK quern::stencil:.out.must.have.rank.1,.2.or.3
${architectures[0]} INTEGRATE_ARITY quern::integrate:.f.must.be.callable.with.one.coordinate.for.each.axis
${architectures[0]} RANDOM_TYPE quern::random::bits:.out.must.be.of.32.or.64.unsigned.bits
${architectures[0]} HISTOGRAM_TYPE quern::histogram:.out.must.be.of.integers
${architectures[0]} LAZY_MATRIX write.a.lazy.array.to.a.View.with.quern::map.first
${architectures[0]} HOST_FUNCTION __host__.function|host_function
EOT
