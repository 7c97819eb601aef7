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
          "integrate", "particles", "analysis", "fits", "chunked", "files", "table", "distributed")
# All of it is for the modules above.
OPEN = ("core", "reducers")
# What a module offers beside the headers of its users and its launch.hpp.
INTERFACES = {
    "map": {"map/masked.hpp", "map/restrided.hpp"},  # results that a mask selects; parts of inputs
    "reduce": {"reduce/call.hpp", "reduce/partial.hpp",  # the description of a reduction, and states of parts of an array
               "reduce/strided_reduction.hpp",  # what reduce_launch is called with
               "reduce/tuning.hpp"},  # what its kernels want, where a reduction is of what another kernel computes
    "transfer": {"transfer/box_copy.hpp", "transfer/staging.hpp"},  # copies of bytes
    "print": {"print/text.hpp"},  # columns of text
    "scan": {"scan/carries.hpp", "scan/segments.hpp", "scan/segmented_launch.hpp"},  # what a scan carries from part to part; segments
    "stencil": {"stencil/boundary.hpp", "stencil/filter_engine.hpp", "stencil/filter_windows.hpp", "stencil/footprint.hpp",  # windows of any size, and in other places
                "stencil/grid.hpp", "stencil/reducing_axes.hpp",  # the cells of a stencil, and of its reductions, in other places
                "stencil/halo_fields.hpp", "stencil/halo_passes.hpp",  # ghosts of fields, which ranks bring, too
                "stencil/window.hpp"},  # the windows of rolling, without their kernels
    "keyed": {"keyed/asof_options.hpp",  # which rows an as-of join takes, also of tables
              "keyed/counted_quantile.hpp",  # quantiles of what does not fit into memory at once
              "keyed/bins.hpp", "keyed/compaction.hpp", "keyed/counted.hpp", "keyed/groups.hpp",  # sums of keys that are known; results that are counted
              "keyed/hash_keys.hpp",  # a hash of keys, which also says the rank of one
              "keyed/order.hpp", "keyed/sort_order.hpp"},  # orders of sorts, also over ranks; the direction of a sort, without the sort
    "random": {"random/fill.hpp", "random/generator.hpp", "random/philox.hpp"},  # fields of numbers; a generator, and its bits, in kernels
    "fft": {"fft/run.hpp"},  # what a transform is asked for, of which ranks do one axis after the other
    "linalg": {"linalg/decomposed.hpp", "linalg/dense_kernels.hpp", "linalg/dense_orthogonal.hpp", "linalg/lapack.hpp",  # factorizations of blocks, and what
               "linalg/matrix_checks.hpp", "linalg/matrix_product.hpp", "linalg/product_kernels.hpp", "linalg/tall_kernels.hpp"},  # products and tall matrices are cut into over ranks
    "files": {"files/array_file.hpp", "files/array_info.hpp",  # boxes of arrays in files; what formats report
              "files/output_file.hpp"},  # a file that stands when it is whole
    "particles": {"particles/near_points.hpp", "particles/nearest_so_far.hpp", "particles/row_tiles.hpp"},  # the walk through the cells around a point; distances by products
    "analysis": {"analysis/kmeans_run.hpp", "analysis/kmeans_start.hpp", "analysis/kmeans_update.hpp"},  # iterations over points of which others have some
    "table": {"table/column.hpp", "table/described_column.hpp", "table/merge.hpp", "table/partial_aggregates.hpp"},  # types of columns; descriptions and aggregates of parts; the options of a merge
    "chunked": {"chunked/array_io.hpp"},  # what reads and writes an array by boxes
}

# Private headers that a source of another module may include, and why.
PRIVATE = {("distributed/parallel_hdf5.cpp", "../files/hdf5_handle.hpp"),  # what the handle of a file does for one process is done for all ranks
           ("distributed/table_rows.hpp", "../table/columns.hpp"), ("distributed/group_by.cpp", "../table/groups.hpp"),  # columns without
           ("distributed/merge.cpp", "../table/merge_keys.hpp")}  # their types, groups of them, and names of keys, of which ranks have parts


# A declaration at namespace scope, as clang-format writes it.
DECLARATION = re.compile(r"^(?:template <[^\n]*> )?(?:(?:struct|class|enum class|using|concept) (\w+)|(?=\S)(?:[\w:<>,*& ]+[ *&])(\w+)(?:\(| =|\{|;))", re.M)


def includes(header):
    return re.findall(r"#include <quern/([\w/]+\.hpp)>", header.read_text())


def code_of(header):
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', re.sub(r"//.*", "", header.read_text()))


def is_below(other, module):
    return LAYERS.index(other) < LAYERS.index(module)


def hidden_names(codes, is_offered):
    """The names of several words that headers which are not offered declare, and where; those that several declare tell nothing."""
    places = {}
    for header, code in codes.items():
        for match in DECLARATION.finditer(code):
            places.setdefault(match[1] or match[2], set()).add(header)
    only = {name: headers.pop() for name, headers in places.items() if len(headers) == 1}
    return {name: header for name, header in only.items() if "_" in name.strip("_") and not name.isupper() and not is_offered(header)}


def declares(code, name):
    """Whether a name is one of the header's own, of a local variable or a member."""
    return any(match[1] not in ("return", "else") for match in re.finditer(rf"(\w+)[>&*]* [&*]?{name}(?: =\s|;|\{{|\()", code))


def names_used(codes, hidden):
    """The uses of hidden names in modules above: a header that is not included may still be there through another one."""
    problems = []
    for header, code in codes.items():
        words = set(re.findall(r"(?<![.\w>])[A-Za-z]\w*", code))
        for name in sorted(words & hidden.keys()):
            module, other = header.split("/")[0], hidden[name].split("/")[0]
            if module != other and is_below(other, module) and not declares(code, name):
                problems.append(f"{header} uses {name} of {hidden[name]}, which {other} does not offer to other modules")
    return problems


def main(top):
    headers = pathlib.Path(top, "include/quern")
    modules = {path.name for path in headers.iterdir() if path.is_dir()}
    problems = [f"{name} has no place among the layers" for name in sorted(modules ^ set(LAYERS))]
    offered = {m: set(includes(headers / f"{m}.hpp")) if (headers / f"{m}.hpp").exists() else set() for m in LAYERS}

    def is_offered(header):
        module = header.split("/")[0]
        return module in OPEN or header in offered[module] | {f"{module}/launch.hpp"} | INTERFACES.get(module, set())

    def check(name, included):
        module, other = name.removeprefix("src/").split("/")[0], included.split("/")[0]
        if module not in modules or other not in modules or module == other: return
        if not is_below(other, module): problems.append(f"{name} includes {included}, which lies above it")
        elif not is_offered(included): problems.append(f"{name} includes {included}, which {other} does not offer to other modules")

    codes = {}
    for header in sorted(headers.glob("*/**/*.hpp")):
        name = str(header.relative_to(headers))
        codes[name] = code_of(header)
        for included in includes(header):
            if "/" in included: check(name, included)
            elif included != "config.hpp": problems.append(f"{name} includes {included}, which is for users")
    for source in sorted(pathlib.Path(top, "src").glob("*/**/*.[ch]pp")):
        name = str(source.relative_to(pathlib.Path(top, "src")))
        private = re.findall(r'#include "(\.\./[^"]+)"', source.read_text())
        problems += [f"src/{name} includes {other}, which is private to another module" for other in private if (name, other) not in PRIVATE]
        for included in includes(source): check(f"src/{name}", included)
    problems += names_used(codes, hidden_names(codes, is_offered))
    print("\n".join(problems) or f"{len(modules)} modules include what lies below them")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
