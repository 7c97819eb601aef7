#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a source that must not compile, and compares what g++ says of each line with the comment that ends it.

check_messages.py SOURCE COMPILER OPTION...    exits with 1 unless each `call();  // message` has one error, of that message
"""
import re
import subprocess
import sys

source, *command = sys.argv[1:]
wanted = {}
with open(source) as file:
    for number, line in enumerate(file, 1):
        call = re.match(r"  quern::.*;\s*// (.*)$", line)
        if call:
            wanted[number] = call[1]

done = subprocess.run([*command, "-fsyntax-only", "-fmax-errors=0", source], stderr=subprocess.PIPE, text=True)
found = {number: [] for number in wanted}
called_from = 0  # the line of the source whose instantiation the compiler speaks of
for line in done.stderr.splitlines():
    at = re.match(r"(\S+?):(\d+):\d+:\s+(.*)", line)
    if not at:
        continue
    here = at[1] == source
    if here and "required from here" in at[3]:
        called_from = int(at[2])
    elif at[3].startswith("error:"):
        found.setdefault(int(at[2]) if here else called_from, []).append(at[3])

problems = [f"{source}:{number}: expected one error that says: {wanted.get(number, 'nothing')}\n  found {errors}"
            for number, errors in sorted(found.items())
            if len(errors) != 1 or wanted.get(number, "\n") not in errors[0]]
print("\n".join(problems) or f"{len(wanted)} calls have one message each")
sys.exit(1 if problems or not wanted else 0)
