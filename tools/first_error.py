#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a compiler and prints what a user reads of its output: the ten lines from the first error on.

first_error.py COMMAND...    exits with the status of the command
"""
import re
import subprocess
import sys

done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
lines = done.stdout.splitlines()
is_error = re.compile(r"(?<![\w-])error(?: #[\w-]+)?:")  # no -Werror, no error.hpp
first = next((number for number, line in enumerate(lines) if is_error.search(line)), 0)
print("\n".join(lines[first:first + 10]))
sys.exit(done.returncode)
