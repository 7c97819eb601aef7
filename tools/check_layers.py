#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the includes of headers and sources: a module includes headers of those below it alone, and of these what they offer.

  tools/check_layers.py TOP
"""
import pathlib
import re
import sys

# From the bottom up. autodiff has dual numbers and derivatives of functions, which need the functions of map alone: it lies below all that
# may differentiate, as newton in batch does. files lies below the engine of ranks, which writes checkpoints.
LAYERS = ("core", "map", "reducers", "reduce", "transfer", "print", "scan", "stencil", "autodiff", "keyed", "random", "fft", "linalg", "batch",
          "integrate", "particles", "analysis", "chunked", "files", "table", "distributed")
# All of it is for the modules above.
OPEN = ("core", "reducers")
# What a module offers beside the headers of its users and its launch.hpp.
INTERFACES = {
    "map": {"map/restrided.hpp"},  # parts of inputs
    "reduce": {"reduce/call.hpp", "reduce/partial.hpp"},  # the description of a reduction, and states of parts of an array
    "transfer": {"transfer/box_copy.hpp", "transfer/staging.hpp"},  # copies of bytes
    "scan": {"scan/carries.hpp", "scan/segments.hpp", "scan/segmented_launch.hpp"},  # what a scan carries from part to part; segments
    "stencil": {"stencil/boundary.hpp", "stencil/filter_engine.hpp", "stencil/footprint.hpp"},  # windows of any size, and in other places
    # quantiles of what does not fit into memory at once; the direction of a sort, without the sort
    "keyed": {"keyed/counted_quantile.hpp", "keyed/sort_order.hpp"},
    "random": {"random/fill.hpp", "random/generator.hpp"},  # fields of numbers, and a generator in kernels
    "particles": {"particles/near_points.hpp"},  # the walk through the cells around a point
    "chunked": {"chunked/array_io.hpp"},  # what reads and writes an array by boxes
}

# Private headers that a source of another module may include, and why.
PRIVATE = {("distributed/parallel_hdf5.cpp", "../files/hdf5_handle.hpp")}  # what the handle of a file does for one process is done for all ranks


def includes(header):
    return re.findall(r"#include <quern/([\w/]+\.hpp)>", header.read_text())


def main(top):
    headers = pathlib.Path(top, "include/quern")
    modules = {path.name for path in headers.iterdir() if path.is_dir()}
    problems = [f"{name} has no place among the layers" for name in sorted(modules ^ set(LAYERS))]
    offered = {m: set(includes(headers / f"{m}.hpp")) if (headers / f"{m}.hpp").exists() else set() for m in LAYERS}
    for header in sorted(headers.glob("*/**/*.hpp")):
        name = str(header.relative_to(headers))
        module = name.split("/")[0]
        for included in includes(header):
            other = included.split("/")[0]
            if "/" not in included:
                if included != "config.hpp": problems.append(f"{name} includes {included}, which is for users")
            elif other in modules and LAYERS.index(other) > LAYERS.index(module):
                problems.append(f"{name} includes {included}, which lies above it")
            elif other not in (module, *OPEN) and included not in offered[other] | {f"{other}/launch.hpp", *INTERFACES.get(other, {})}:
                problems.append(f"{name} includes {included}, which {other} does not offer to other modules")
    for source in sorted(pathlib.Path(top, "src").glob("*/**/*.[ch]pp")):
        name = str(source.relative_to(pathlib.Path(top, "src")))
        private = re.findall(r'#include "(\.\./[^"]+)"', source.read_text())
        problems += [f"src/{name} includes {other}, which is private to another module" for other in private if (name, other) not in PRIVATE]
        module = name.split("/")[0]
        for included in includes(source):
            other = included.split("/")[0]
            if module in modules and other in modules and LAYERS.index(other) > LAYERS.index(module):
                problems.append(f"src/{name} includes {included}, which lies above it")
    print("\n".join(problems) or f"{len(modules)} modules include what lies below them")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
