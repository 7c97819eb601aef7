# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# awk -f guide_source.awk GUIDE.md GUIDE.cpp: the code blocks of a guide in the places that the second file has for them.
# There, `// # 3` stands for block 3; `// # 3 types` for the structs in it and `// # 3 statements` for the rest, where a
# function is around them. Lines with #include are left out. Every block must have a place.
FNR == 1 { file++ }
file == 1 && /^```cpp$/ { block++; inside = 1; next }
file == 1 && /^```/ { inside = 0; next }
file == 1 && inside && /^#include/ { next }
file == 1 && inside {
  if (/^struct /) in_type = 1
  if (in_type) types[block] = types[block] $0 "\n"
  else statements[block] = statements[block] $0 "\n"
  whole[block] = whole[block] $0 "\n"
  if (in_type && /^};/) in_type = 0
  next
}
file == 2 && /^ *\/\/ # [0-9]+/ {
  n = $3
  if (n < 1 || n > block) { print FILENAME ": there is no block " n > "/dev/stderr"; bad = 1 }
  used[n] = 1
  printf "%s", $4 == "types" ? types[n] : $4 == "statements" ? statements[n] : whole[n]
  next
}
file == 2 { print }
END {
  for (n = 1; n <= block; n++)
    if (!used[n]) { print FILENAME ": block " n " of the guide is not compiled" > "/dev/stderr"; bad = 1 }
  exit bad
}
