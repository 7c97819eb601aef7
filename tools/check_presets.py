#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The presets are what README says of them.

check_presets.py CHECKOUT: presets of back ends have every component, program, tests and benchmarks, and the architecture
of README's table; `library` is the library alone, `debug` has assertions; each visible preset writes compile_commands.json,
can be built and, with tests, tested; what presets set are options of CMake's files.
"""
import json
import pathlib
import re
import sys

top = pathlib.Path(sys.argv[1])
presets = json.loads((top / "CMakePresets.json").read_text())
readme = (top / "README.md").read_text()
cmake = "".join(p.read_text() for p in [top / "CMakeLists.txt", *sorted((top / "cmake").glob("*.cmake"))])
options = set(re.findall(r"option\((QUERN_\w+)", cmake)) | set(re.findall(r"set\((QUERN_\w+) [^)]*\bCACHE\b", cmake))
enable = {name for name in options if name.startswith("QUERN_ENABLE_")} - {"QUERN_ENABLE_HIGHWAY"}  # which is AUTO
vendors = {"QUERN_ENABLE_NCCL", "QUERN_ENABLE_RCCL"}  # of one kind of device each
off_unless_set = enable - {"QUERN_ENABLE_APP"}
problems = []
configure = {p["name"]: p for p in presets["configurePresets"]}


def resolved(name, seen=()):
    """A preset's variables with those that it inherits; of several parents, the first one counts."""
    if name in seen or name not in configure:
        problems.append(f"{(*seen, name)}: inherits itself or what does not exist")
        return {}
    preset = configure[name]
    parents = preset.get("inherits", [])
    found = {}
    for parent in reversed([parents] if isinstance(parents, str) else parents):
        found |= resolved(parent, (*seen, name))
    found |= {key: preset[key] for key in ("binaryDir",) if key in preset}
    for key, value in preset.get("cacheVariables", {}).items():
        found[key] = value["value"] if isinstance(value, dict) else value
    return found


def expect(name, found, variable, value):
    if found.get(variable) != value:
        problems.append(f"preset {name}: {variable} is {found.get(variable)}, expected {value}")


visible = {name: resolved(name) for name, preset in configure.items() if not preset.get("hidden")}
for name, found in visible.items():
    expect(name, found, "CMAKE_EXPORT_COMPILE_COMMANDS", "ON")
    expect(name, found, "binaryDir", "${sourceDir}/build/${presetName}")
    for variable in found:
        if variable.startswith("QUERN_") and variable not in options:
            problems.append(f"preset {name}: there is no option {variable}")
    if found.get("QUERN_BENCHMARK_KOKKOSKERNELS") == "ON":
        expect(name, found, "QUERN_ENABLE_BENCHMARKS", "ON")
    if name not in {p.get("configurePreset") for p in presets["buildPresets"] if p["name"] == name}:
        problems.append(f"preset {name}: there is none to build it")
    tested = name in {p.get("configurePreset") for p in presets["testPresets"] if p["name"] == name}
    if tested != (found.get("QUERN_ENABLE_TESTS") == "ON"):
        problems.append(f"preset {name}: {'tests without' if tested else 'no preset to run its'} tests")

# README's table of back ends: name, presets, how Kokkos is built.
table = re.search(r"\| back end \| preset \| Kokkos built with \|\n\| [-| ]+\|\n((?:\|.*\n)+)", readme)
rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table[1].splitlines()] if table else []
if not rows:
    problems.append("README has no table of back ends")
backends = {"Serial": "Serial", "OpenMP": "OpenMP", "CUDA": "Cuda", "HIP": "HIP"}
listed = set()
for backend, names, kokkos in rows:
    names = re.findall(r"`([\w-]+)`", names)
    listed |= set(names)
    if backend not in backends:
        continue
    if f"Kokkos_ENABLE_{backend.upper()}" not in kokkos:
        problems.append(f"README: {backend} is not of a Kokkos with {kokkos}")
    architectures = re.findall(r"Kokkos_ARCH_(\w+)", kokkos) or [None] * len(names)
    if len(architectures) != len(names):
        problems.append(f"README: {names} with the architectures {architectures}")
    for name, architecture in zip(names, architectures):
        found = visible.get(name, {})
        expect(name, found, "QUERN_BACKEND", backends[backend])
        expect(name, found, "QUERN_KOKKOS_ARCH", architecture)
        expect(name, found, "CMAKE_BUILD_TYPE", "Release")
        for option in sorted(off_unless_set - vendors):
            expect(name, found, option, "ON")
        if found.get("QUERN_ENABLE_APP", "ON") != "ON":
            problems.append(f"preset {name}: is without the program")
own = {"asan"}  # for Quern's developers, in no table
if listed != set(visible) - own:
    problems.append(f"README's table has the presets {sorted(listed)}, and there are {sorted(set(visible) - own)}")
for name in re.findall(r"--preset ([\w-]+)", readme):
    if name not in visible:
        problems.append(f"README: there is no preset {name}")

library, debug = visible.get("library", {}), visible.get("debug", {})
expect("library", library, "QUERN_ENABLE_APP", "OFF")
for option in sorted(off_unless_set):
    if library.get(option, "OFF") != "OFF":
        problems.append(f"preset library: {option} is {library[option]}")
expect("debug", debug, "CMAKE_BUILD_TYPE", "Debug")
expect("debug", debug, "QUERN_BACKEND", None)
for option in sorted(off_unless_set - vendors - {"QUERN_ENABLE_BENCHMARKS"}):
    expect("debug", debug, option, "ON")
if "NDEBUG" in " ".join(map(str, debug.values())):
    problems.append("preset debug: is without assertions")

print("\n".join(problems) or f"{len(visible)} presets are what README says")
sys.exit(bool(problems))
