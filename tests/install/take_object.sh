#!/bin/sh
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# take_object COMMAND...: compiles, or copies the object from another build of Quern, whose folder CMake fills in, where it is one
# of core, files, linalg or table and that build has it.
set -eu
build='@BINARY@'
object=
for argument; do
  case $argument in
    *CMakeFiles/quern_core.dir/*.o | *CMakeFiles/quern_files.dir/*.o | *CMakeFiles/quern_linalg.dir/*.o | *CMakeFiles/quern_table.dir/*.o)
      object=$argument
      ;;
  esac
done
if [ -n "$object" ] && [ -f "$build/CMakeFiles/${object##*CMakeFiles/}" ]; then
  exec cp "$build/CMakeFiles/${object##*CMakeFiles/}" "$object"
fi
exec "$@"
