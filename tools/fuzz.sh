#!/usr/bin/env bash
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fuzzes what reads files of arrays, comma-separated values and Arrow's arrays, with clang's libFuzzer and sanitizers: fuzz.sh FOLDER
# SECONDS JOBS. The latter two get a third of the time each behind the first. Finds are kept in FOLDER/finds; the seeds are the files
# of the tests, tests/fuzz/seeds and tests/fuzz/csv_seeds.
set -euo pipefail
out=$1 seconds=$2 jobs=$3
top=$(cd "$(dirname "$0")/.." && pwd)
kokkos=${QUERN_KOKKOS_HEADERS:-/usr/include/kokkos}
mkdir -p "$out/objects" "$out/corpus" "$out/csv_corpus" "$out/arrow_corpus" "$out/finds"

# All sources of the modules that read files, without HDF5 and Highway: a list by hand would miss a file that moves.
mapfile -t sources < <(cd "$top" && echo tests/fuzz/{files,csv,arrow}_fuzz.cpp src/table/{arrow_read,arrow_write,csv_fields,csv_parse,csv_records,names}.cpp | tr ' ' '\n' && find src/core src/transfer src/chunked src/files -name '*.cpp' \
  -not -name 'hdf5*' -not -name no_zlib.cpp -not -name vector_sort.cpp | sort)
flags=(-std=c++20 -O1 -g "-fsanitize=fuzzer-no-link,address,undefined" -fno-sanitize-recover=undefined -DQUERN_USES_FILES
  -I "$top/include" -I "$top/src" -I "$top/tests" -isystem "$kokkos")
for source in "${sources[@]}"; do
  printf '%s\0' "$source"
done | xargs -0 -P "$jobs" -I '{}' sh -c 'name=$(echo "$1" | tr / _); shift; exec clang++ "$@" -o "'"$out"'/objects/$name.o"' \
  sh '{}' "${flags[@]}" -c "$top/{}"
for target in files csv arrow; do
  mapfile -t objects < <(find "$out/objects" -name '*.o' -not -name 'tests_fuzz_*' && echo "$out/objects/tests_fuzz_${target}_fuzz.cpp.o")
  clang++ -fsanitize=fuzzer,address,undefined "${objects[@]}" -o "$out/fuzz_$target" -lkokkoscore -lz -lpthread -ldl
done
# Quern's threads are kept out of it where files of arrays are read: a run is one thread.
cd "$out"
fuzz() {
  local target=$1 seconds=$2
  shift 2
  "$out/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=128 \
    -artifact_prefix="$out/finds/" -print_final_stats=1 "$@" 2>&1 | tail -n 25
  [[ ${PIPESTATUS[0]} == 0 ]]
}
fuzz files "$seconds" -max_len=65536 "$out/corpus" "$top/tests/files/data" "$top/tests/fuzz/seeds"
fuzz csv "$seconds" -max_len=4096 "$out/csv_corpus" "$top/tests/fuzz/csv_seeds"
fuzz arrow "$seconds" -max_len=1024 "$out/arrow_corpus"
