# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# awk -f guide_source.awk SOURCE... CODE.cpp: the code blocks of a guide, or those of the doc comments of headers (from
# `/// @code` to `/// @endcode`), in the places that the last file has for them. There, `// # 3` stands for block 3 of a
# guide, and `// # chunked/chunks.hpp` or `// # chunked/chunks.hpp 2` for one of a header; `types` behind it for the structs
# in it and `statements` for the rest, where a function is around them. Lines with #include are left out. Every block must
# have a place, and code in a doc comment must be marked in this way.
function complain(problem) { print problem > "/dev/stderr"; bad = 1 }
FNR == 1 {
  code = FILENAME == ARGV[ARGC - 1]
  header = FILENAME ~ /\.hpp$/ && !code
  name = ""
  if (header) { name = FILENAME; sub(/.*include\/quern\//, "", name) }
  block = before = inside = 0
}
# The places.
code && /^ *\/\/ # [0-9a-z]/ {
  place = 3
  id = $place ~ /^[0-9]+$/ ? "" : $(place++)
  n = $place ~ /^[0-9]+$/ ? $(place++) : 1
  key = id SUBSEP n
  if (!(key in whole)) complain(FILENAME ": there is no block " n " " id)
  used[key] = 1
  printf "%s", $place == "types" ? types[key] : $place == "statements" ? statements[key] : whole[key]
  next
}
code { print; next }
# The blocks.
header {
  if (!/^ *\/\/\//) { before = 0; next }
  sub(/^ *\/\/\/ ?/, "")
  if (!inside && (/```/ || (before && /^    /))) complain(FILENAME ":" FNR ": code stands between @code and @endcode")
  before = $0 == ""
}
header ? /^@code$/ : /^```cpp$/ { inside = 1; block++; key = name SUBSEP block; whole[key] = ""; next }
header ? /^@endcode$/ : /^```/ { inside = in_type = 0; next }
inside && !/^#include/ {
  if (/^struct /) in_type = 1
  if (in_type) types[key] = types[key] $0 "\n"
  else statements[key] = statements[key] $0 "\n"
  whole[key] = whole[key] $0 "\n"
  if (in_type && /^};/) in_type = 0
}
END {
  for (key in whole)
    if (!used[key]) {
      split(key, part, SUBSEP)
      complain(FILENAME ": block " part[2] " of " (part[1] == "" ? "the guide" : part[1]) " is not compiled")
    }
  exit bad
}
