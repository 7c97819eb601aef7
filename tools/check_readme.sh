#!/bin/sh
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_readme.sh CHECKOUT: the README's only block of C++ is the program of the first example, less its check of
# arguments.
set -eu
block=$(awk '/^```cpp$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$1/README.md")
program=$(grep -v -e '^// ' -e 'argc > 1' "$1/examples/01_quickstart/main.cpp")
[ "$block" = "$program" ] || {
  echo "README.md and examples/01_quickstart/main.cpp differ"
  exit 1
}
