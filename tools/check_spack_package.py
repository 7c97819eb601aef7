#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the Spack package without Spack: stand-ins record its directives, and its CMake arguments are compared with CMakeLists.txt.

check_spack_package.py PACKAGE.PY CHECKOUT
"""
import pathlib
import re
import sys
import types

# Packages that spack-packages has, checked by hand; its own repository may add more.
KNOWN = {"c", "cxx", "fortran", "cmake", "kokkos", "kokkos-kernels", "blas", "lapack", "rocblas", "rocsolver", "cli11",
         "nlohmann-json", "fmt", "googletest", "benchmark", "python", "cuda", "hip", "zlib-api", "hdf5", "fftw", "hipfft", "mpi", "nccl", "rccl"}
path, top = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
KNOWN |= {p.name.replace("_", "-") for p in path.parent.parent.iterdir() if p.is_dir()}
problems, variants, dependencies, versions = [], {"cuda", "rocm", "cuda_arch", "amdgpu_target"}, set(), []


class When:
    def __init__(self, *_): pass
    def __enter__(self): return self
    def __exit__(self, *_): return False


class Spec:
    """What a package may ask of a spec; anything else is an AttributeError, as in Spack."""
    def __init__(self, on): self.on, self.prefix = on, types.SimpleNamespace(bin="/bin")
    def satisfies(self, condition):
        return all(flag in self.on for flag in re.findall(r"\+\w+", condition.split("^")[0])) and "%" not in condition
    def __getitem__(self, name):
        found = Spec(self.on)
        if name == "hip": found.hipcc = "hipcc"  # Spack's hip sets it on its spec
        return found


class CMakePackage:
    def __init__(self, on): self.spec = Spec(on)
    def __getitem__(self, name): return types.SimpleNamespace(kokkos_cxx="kokkos_cxx", prefix="/p")
    def define(self, name, value): return name, value
    def define_from_variant(self, name, variant):
        if variant not in variants: problems.append(f"{name}: there is no variant {variant}")
        return name, f"+{variant}" in self.spec.on


directives = dict(
    variant=lambda name, **_: variants.add(name),
    depends_on=lambda spec, **_: dependencies.add(re.match(r"[\w-]+", spec)[0]),
    version=lambda name, **how: versions.append((name, how)), When=When, when=When,
    run_after=lambda phase: lambda method: method,
    **{name: lambda *_, **__: None for name in ("license", "conflicts", "requires", "maintainers", "patch")})
for name in ("spack", "spack.package", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["spack.package"].__dict__.update(directives)
bases = {"cmake": CMakePackage, "cuda": type("CudaPackage", (), {"cuda_arch_values": ("80", "90")}),
         "rocm": type("ROCmPackage", (), {"amdgpu_targets": ("gfx90a",)})}
for name, base in bases.items():
    module = types.ModuleType(name)
    setattr(module, base.__name__, base)
    sys.modules[f"spack_repo.builtin.build_systems.{name}"] = module

scope = {"__file__": str(path)}
exec(compile(path.read_text(), str(path), "exec"), scope)
package = scope["Quern"]
for name, how in versions:
    if {"branch", "tag", "commit"} & set(how) and not hasattr(package, "git") and "git" not in how:
        problems.append(f"version {name} names a branch or commit, but the package has no git address")
problems += [f"there is no Spack package {name}" for name in sorted(dependencies - KNOWN)]

options = set(re.findall(r"^(?:option|set)\((QUERN_\w+)", (top / "CMakeLists.txt").read_text(), re.M))
backends = set(re.search(r"set\(_known ([^)]*)\)", (top / "cmake/QuernBackend.cmake").read_text())[1].split())
for on in ((), ("+openmp",), ("+cuda",), ("+cuda", "+wrapper"), ("+rocm",), ("+linalg", "+app", "+tests"), ("+files", "+hdf5")):
    try:
        for name, value in package(set(on)).cmake_args():
            if name.startswith("QUERN_") and name not in options: problems.append(f"{name} is no option of CMakeLists.txt")
            if name == "QUERN_BACKEND" and value not in backends: problems.append(f"QUERN_BACKEND has no value {value}")
    except AttributeError as error:
        problems.append(f"cmake_args of {' '.join(on) or 'the default'}: {error}")
print("\n".join(dict.fromkeys(problems)) or "the Spack package fits")
sys.exit(bool(problems))
