#!/bin/sh
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rules that no formatter knows: licence lines, include guards named after the path, no trailing blanks, no tabs, and no
# vendor's header in a public one.
set -eu
bad=0
complain() {
  echo "$1" >&2
  bad=1
}

for f in $(git ls-files --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cmake' '*.py' '*.sh' '*CMakeLists.txt' dev .ci/run); do
  case $f in examples/* | tests/install/consumer/*) continue ;; esac
  head -n 4 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' || complain "$f: no licence line"
done
for f in $(git ls-files --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cmake' '*.md' '*.txt' '*.sh' dev .ci/run); do
  if grep -nE '[[:blank:]]+$' "$f" >&2; then complain "$f: blanks at the end of a line"; fi
  if grep -nP '\t' "$f" >&2; then complain "$f: tabs"; fi
done
for f in $(git ls-files --cached --others --exclude-standard -- 'include/*.hpp'); do
  guard=$(echo "${f#include/}" | tr 'a-z/.' 'A-Z__')
  grep -q "#ifndef $guard\$" "$f" || complain "$f: expected the include guard $guard"
  if grep -qE 'Kokkos::|KOKKOS_' "$f" && ! grep -qE '#include <(Kokkos_|quern/)' "$f"; then
    complain "$f: uses Kokkos without an include"
  fi
  if [ "$(wc -l < "$f")" -gt 450 ]; then complain "$f: more than 450 lines"; fi
  if grep -nE '#include <(cuda|hip|cub|thrust|rocprim|cublas|cusolver|nccl|rccl)' "$f" >&2; then
    complain "$f: a public header includes a vendor's"
  fi
  case $f in include/quern/distributed/*) continue ;; esac
  if grep -n '#include <mpi' "$f" >&2; then complain "$f: MPI is of the component distributed alone"; fi
done
exit $bad
