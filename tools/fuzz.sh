#!/usr/bin/env bash
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fuzzes what reads files of arrays, with clang's libFuzzer and sanitizers: fuzz.sh FOLDER SECONDS JOBS. Finds are kept in
# FOLDER/finds; the seeds are the files of the tests and tests/fuzz/seeds.
set -euo pipefail
out=$1 seconds=$2 jobs=$3
top=$(cd "$(dirname "$0")/.." && pwd)
kokkos=${QUERN_KOKKOS_HEADERS:-/usr/include/kokkos}
mkdir -p "$out/objects" "$out/corpus" "$out/finds"

# All sources of the modules that read files, without HDF5 and Highway: a list by hand would miss a file that moves.
mapfile -t sources < <(cd "$top" && echo tests/fuzz/files_fuzz.cpp && find src/core src/transfer src/chunked src/files -name '*.cpp' \
  -not -name 'hdf5*' -not -name no_zlib.cpp -not -name vector_sort.cpp | sort)
flags=(-std=c++20 -O1 -g "-fsanitize=fuzzer-no-link,address,undefined" -fno-sanitize-recover=undefined -DQUERN_USES_FILES
  -I "$top/include" -isystem "$kokkos")
for source in "${sources[@]}"; do
  printf '%s\0' "$source"
done | xargs -0 -P "$jobs" -I '{}' sh -c 'name=$(echo "$1" | tr / _); shift; exec clang++ "$@" -o "'"$out"'/objects/$name.o"' \
  sh '{}' "${flags[@]}" -c "$top/{}"
clang++ -fsanitize=fuzzer,address,undefined "$out"/objects/*.o -o "$out/fuzz_files" -lkokkoscore -lz -lpthread -ldl
# Quern's threads are kept out of it: a run is one thread.
cd "$out"
"$out/fuzz_files" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=128 \
  -artifact_prefix="$out/finds/" -print_final_stats=1 "$out/corpus" "$top/tests/files/data" "$top/tests/fuzz/seeds" 2>&1 | tail -n 25
[[ ${PIPESTATUS[0]} == 0 ]]
