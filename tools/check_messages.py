#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a source that must not compile, and compares what g++ says of each line with the comment that ends it.

check_messages.py SOURCE COMPILER OPTION...    exits with 1 unless each `call();  // message` has one error, of that message;
                                               with words in brackets behind it others may follow, and the words stand in
                                               the first ten lines of the first one
"""
import re
import subprocess
import sys

source, *command = sys.argv[1:]
wanted = {}
with open(source) as file:
    for number, line in enumerate(file, 1):
        call = re.match(r"  quern::.*;\s*// ([^[]*?)(?: \[(.*)\])?$", line)
        if call:
            wanted[number] = call[1], (call[2] or "").split(", ")

done = subprocess.run([*command, "-fsyntax-only", "-fmax-errors=0", source], stderr=subprocess.PIPE, text=True)
found = {number: [] for number in wanted}
called_from = 0  # the line of the source whose instantiation the compiler speaks of
lines = done.stderr.splitlines()


def first_lines(last):
    """The first ten lines of the error that ends there: what the compiler says of where it is comes before it."""
    first = last
    while first > 0 and not re.search(r": (error|note): ", lines[first - 1]):
        first -= 1
    while re.match(r"\s*\d* \|", lines[first]):
        first += 1
    return " ".join(lines[first:first + 10])


for i, line in enumerate(lines):
    at = re.match(r"(\S+?):(\d+):\d+:\s+(.*)", line)
    if not at:
        continue
    here = at[1] == source
    if here and "required from here" in at[3]:
        called_from = int(at[2])
    elif at[3].startswith("error:"):
        found.setdefault(int(at[2]) if here else called_from, []).append((at[3], first_lines(i)))

problems = []
for number, errors in sorted(found.items()):
    message, words = wanted.get(number, ("nothing", [""]))
    if len(errors) != 1 and not (words[0] and errors) or message not in errors[0][0]:
        problems.append(f"{source}:{number}: expected one error that says: {message}\n  found {[e[0] for e in errors]}")
    elif missing := [word for word in words if word not in errors[0][1]]:
        problems.append(f"{source}:{number}: the first ten lines do not say {missing}: {errors[0][1]}")
print("\n".join(problems) or f"{len(wanted)} calls have one message each")
sys.exit(1 if problems or not wanted else 0)
