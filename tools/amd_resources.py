#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what the program's kernels need of AMD GPUs, as the table of docs/performance.md.

  tools/amd_resources.py FOLDER   where `./dev resources` left FOLDER/<architecture>/*.o.log

Each kernel is compiled for many types and functions. A row is one kernel: how many of these there are, and the largest
numbers of registers, of bytes of scratch memory and of spilled registers among them, and the smallest occupancy.
"""
import collections
import pathlib
import re
import subprocess
import sys

WAVES = 8  # of a SIMD unit at most, on the architectures that are compiled for
REMARK = re.compile(r"remark:\s+(.*?): (\S+) \[-Rpass-analysis=kernel-resource-usage\]")


def kernels_of(log):
    """(mangled name, {resource: value}) of each kernel of a compiler's remarks."""
    found = []
    for what, value in REMARK.findall(log):
        if what == "Function Name":
            found.append((value, {}))
        elif found:
            found[-1][1][what] = value
    return found


def demangled(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


def main(folder):
    rows = collections.defaultdict(dict)
    for arch in sorted(p.name for p in pathlib.Path(folder).iterdir() if p.is_dir()):
        found = [k for log in sorted(pathlib.Path(folder, arch).glob("*app*.o.log")) for k in kernels_of(log.read_text())]
        names = demangled(sorted({name for name, _ in found}))
        instances = collections.defaultdict(dict)
        for name, resources in found:
            kernel = re.search(r"quern::impl::(\w+)", names[name])
            if kernel:
                instances[kernel.group(1)][name] = resources
        for kernel, of_name in instances.items():
            largest = lambda what: max(int(r[what]) for r in of_name.values())
            waves = min(int(r["Occupancy [waves/SIMD]"]) for r in of_name.values())
            rows[kernel][arch] = (len(of_name), f"{largest('VGPRs')} + {largest('AGPRs')}", largest("ScratchSize [bytes/lane]"),
                                  largest("VGPRs Spill"), largest("LDS Size [bytes/block]"), f"{100 * waves // WAVES} %")
    print("| kernel | architecture | compiled | VGPRs + AGPRs | scratch, bytes | spilled | static LDS, bytes | occupancy |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for kernel in sorted(rows):
        for arch, values in rows[kernel].items():
            print(f"| {kernel} | {arch} |", " | ".join(map(str, values)), "|")


if __name__ == "__main__":
    main(sys.argv[1])
