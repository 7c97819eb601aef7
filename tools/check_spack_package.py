#!/usr/bin/env python3
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the Spack package without Spack.

Stand-ins record its directives, choose variants as Spack's solver would, for every combination of the package's own, and
apply the rules of the packages that it stands on. Its CMake arguments and README's tables are compared with CMakeLists.txt.

check_spack_package.py PACKAGE.PY CHECKOUT
"""
import itertools
import pathlib
import re
import sys
import types

path, top = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

# What spack-packages has of those used here: the variants' defaults, read there by hand. Its own repository may add more.
MODELS = {
    "kokkos": dict(serial=False, openmp=False, cuda=False, rocm=False, cuda_arch="none", amdgpu_target="none", pic=False,
                   wrapper=False, shared=True),
    "kokkos-kernels": dict(cuda=False, cuda_arch="none", cublas=False, rocblas=False, openmp=False, shared=True),
    "openblas": dict(threads="none", shared=True), "intel-oneapi-mkl": dict(threads="none", cluster=False),
    "blis": dict(threads="none"), "amdblis": dict(threads="none"), "netlib-lapack": {}, "libflame": {}, "amdlibflame": {},
    "fftw": dict(precision="float,double", openmp=False, mpi=True, shared=True),
    "hdf5": dict(mpi=True, shared=True), "openmpi": {}, "zlib": {}, "highway": {},
    "nccl": dict(cuda=True, cuda_arch="none"), "rccl": dict(amdgpu_target="auto"),
    "hipfft": dict(rocm=True, cuda=False, amdgpu_target="auto"),
    "rocblas": dict(amdgpu_target="auto"), "rocsolver": dict(amdgpu_target="auto"),
    "cli11": {}, "nlohmann-json": {}, "fmt": {}, "googletest": {}, "python": {}, "cmake": {}, "cxx": {},
}
PROVIDERS = {"blas": "openblas", "lapack": "openblas", "mpi": "openmpi", "zlib-api": "zlib"}
# What else may be behind a BLAS and LAPACK; each BLAS has threads of its own.
LINEAR_ALGEBRA = (("openblas", "openblas"), ("intel-oneapi-mkl", "intel-oneapi-mkl"), ("blis", "libflame"), ("amdblis", "amdlibflame"),
                  ("openblas", "netlib-lapack"))
COMPILERS = ("gcc", "clang")
compiler = COMPILERS[0]
for own in path.parent.parent.iterdir():
    if own.is_dir(): MODELS.setdefault(own.name.replace("_", "-"), {})
CUDA_ARCH, AMD_TARGET = "90", "gfx90a"
problems = []


def parts(text):
    """The variants that a spec names, as {name: value}."""
    found = {name: sign == "+" for sign, name in re.findall(r"(?:^|[\s\w:])([+~])(\w+)", text)}
    found.update(re.findall(r"(?<![\[%\w])(\w+)=([\w,]+)", re.sub(r"%\w+=\w+|\^\[[^]]*\]", "", text)))
    return found


class Directives:
    """What a package says, each with the conditions under which it holds."""
    def __init__(self):
        self.conditions, self.variants, self.dependencies, self.conflicts, self.versions = [], {}, [], [], []
        self.requirements = []

    def when(self, condition):
        directives = self
        class Context:
            def __enter__(self): directives.conditions.append(condition)
            def __exit__(self, *_): directives.conditions.pop()
        return Context()

    def all_of(self, condition): return [*self.conditions, *([condition] if condition else [])]
    def variant(self, name, default=False, **_): self.variants[name] = default
    def depends_on(self, spec, when=None, **_): self.dependencies.append((spec, self.all_of(when)))
    def conflict(self, spec, when=None, **_): self.conflicts.append((spec, self.all_of(when)))
    def requires(self, *specs, when=None, **_): self.requirements += [(spec, self.all_of(when)) for spec in specs]
    def version(self, name, **how): self.versions.append((name, how))


def holds(condition, variants):
    """Whether a condition holds for the package; Kokkos is without a wrapper unless it is asked for."""
    own, *others = condition.split("^")
    if any(name != compiler for name in re.findall(r"%(?:\w+=)?([a-z][\w-]*)", own)): return False
    for other in others:
        name = re.sub(r"\[[^]]*\]", "", other).split()[0]
        if name == "kokkos": return "+wrapper" not in other
        virtuals = re.findall(r"[\w-]+", (re.findall(r"\[virtuals=([^]]*)\]", other) or [""])[0])
        if name not in PROVIDERS.values() or any(PROVIDERS.get(virtual) != name for virtual in virtuals): return False
    return all(variants.get(name, "none") == value for name, value in parts(own).items())


def solve(directives, variants):
    """What the package's dependencies become; None where it says itself that this cannot be."""
    for spec, conditions in directives.conflicts:
        if all(holds(c, variants) for c in [spec, *conditions]): return None
    chosen = {}
    # A requirement of a dependency is one more of it; none of another kind is used.
    required = [(spec.lstrip("^ "), conditions) for spec, conditions in directives.requirements if spec.startswith("^")]
    if len(required) < len(directives.requirements): problems.append("requires(...) of what is not a dependency is not modelled here")
    for spec, conditions in directives.dependencies + required:
        if not all(holds(c, variants) for c in conditions): continue
        name = re.match(r"[\w-]+", spec)[0]
        name = PROVIDERS.get(name, name)
        if name not in MODELS:
            problems.append(f"there is no Spack package {name}")
            continue
        wanted = chosen.setdefault(name, {})
        for variant, value in parts(spec[len(re.match(r"[\w-]+(@[\w.:]*)?", spec)[0]):]).items():
            if variant not in MODELS[name]: problems.append(f"{name} has no variant {variant}")
            if wanted.setdefault(variant, value) != value: problems.append(f"{name} is to be both {variant}={wanted[variant]} and {value}")
    return {name: {**MODELS[name], **wanted} for name, wanted in chosen.items()}


def check(variants, got):
    """The rules of the packages that it stands on, and what Quern needs of them."""
    on = lambda name: variants.get(name) is True
    shown = " ".join(f"+{n}" for n, v in variants.items() if v is True) or "the default"
    def expect(name, variant, value, why):
        if name in got and got[name].get(variant) != value:
            problems.append(f"{name} has {variant}={got[name].get(variant)}, expected {value}: {why} (quern {shown})")
    if not on("mpi"):
        for name in ("fftw", "hdf5"): expect(name, "mpi", False, "it brings an MPI where none was asked for")
        if "openmpi" in got: problems.append(f"an MPI where none was asked for (quern {shown})")
    elif "openmpi" not in got: problems.append(f"no MPI (quern {shown})")
    else: expect("hdf5", "mpi", True, "a program must not load two libraries of HDF5")
    if on("openmp"):
        expect("kokkos", "openmp", True, "the back end")
        expect("fftw", "openmp", True, "CMake looks for fftw3_omp")
        for blas, _ in LINEAR_ALGEBRA: expect(blas, "threads", "openmp", "a BLAS on one thread beside Kokkos's")
    expect("fftw", "precision", "float,double", "both are linked")
    if on("shared"): expect("kokkos", "pic", True, "a shared library of Quern's may stand on a static Kokkos")
    expect("kokkos", "wrapper", on("cuda") and compiler == "gcc", "g++ compiles for CUDA through Kokkos's wrapper alone")
    for backend, variant, value in (("cuda", "cuda_arch", CUDA_ARCH), ("rocm", "amdgpu_target", AMD_TARGET)):
        for name in got:
            if on(backend) and variant in got[name]: expect(name, variant, value, "the solver refuses or compiles for all")
    for option, names in {"highway": ["highway"], "linalg": [PROVIDERS["blas"], PROVIDERS["lapack"]] + ["kokkos-kernels"] * (on("cuda") or on("rocm")) + ["rocblas", "rocsolver"] * on("rocm"),
                          "files": ["zlib"], "hdf5": ["hdf5"], "fft": ["fftw"] + ["hipfft"] * on("rocm"), "nccl": ["nccl"], "rccl": ["rccl"],
                          "app": ["cli11", "nlohmann-json", "fmt", "stb"], "tests": ["googletest", "python"]}.items():
        for name in names:
            if on(option) and name not in got: problems.append(f"+{option} does not depend on {name} (quern {shown})")


class Prefix(str):
    """A folder, of which attributes are folders."""
    def __getattr__(self, name): return Prefix(f"{self}/{name}")
    def join(self, name): return Prefix(f"{self}/{name}")


class Spec:
    """What a package may ask of a spec; anything else is an AttributeError, as in Spack."""
    def __init__(self, variants, name="quern"): self._variants, self.prefix = variants, Prefix(f"/{name}")
    def satisfies(self, condition):
        own, *others = condition.split("^")
        if any("wrapper" in other for other in others) and not self._variants.get("wrapper"): return False
        return "%" not in condition and all(self._variants.get(n) == v for n, v in parts(own).items())
    def __getitem__(self, name):
        found = Spec(self._variants, name)
        if name == "hip": found.hipcc = "hipcc"  # Spack's hip sets it on its spec
        return found


class CMakePackage:
    test_requires_compiler = False  # Spack's default
    def __init__(self, variants):
        self.spec, self.prefix = Spec(variants), Prefix("/quern")
        self.test_suite = types.SimpleNamespace(current_test_cache_dir=Prefix("/cache"))
    def __getitem__(self, name): return types.SimpleNamespace(kokkos_cxx="kokkos_cxx", prefix="/p")
    def define(self, name, value): return name, value
    def define_from_variant(self, name, variant):
        if variant not in directives.variants: problems.append(f"{name}: there is no variant {variant}")
        from_variant[variant] = name
        return name, self.spec._variants.get(variant, False)


directives, from_variant, commands = Directives(), {}, []


class Executable:
    def __init__(self, name): self.name = name
    def __call__(self, *arguments): commands.append([self.name, *arguments])


class Folder:
    def __init__(self, *_): pass
    def __enter__(self): return self
    def __exit__(self, *_): return False


words = dict(variant=directives.variant, depends_on=directives.depends_on, conflicts=directives.conflict, version=directives.version, requires=directives.requires,
             when=directives.when, run_after=lambda phase: lambda method: method, Executable=Executable, working_dir=Folder,
             get_cmake_prefix_path=lambda package: ["/prefix/of/kokkos", "/prefix/of/mpi"],
             **{name: lambda *_, **__: None for name in ("license", "maintainers", "patch")})
for name in ("spack", "spack.package", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["spack.package"].__dict__.update(words)
bases = {"cmake": CMakePackage, "cuda": type("CudaPackage", (), {"cuda_arch_values": ("80", CUDA_ARCH)}),
         "rocm": type("ROCmPackage", (), {"amdgpu_targets": ("gfx942", AMD_TARGET)})}
for name, base in bases.items():
    module = types.ModuleType(name)
    setattr(module, base.__name__, base)
    sys.modules[f"spack_repo.builtin.build_systems.{name}"] = module

scope = {"__file__": str(path)}
exec(compile(path.read_text(), str(path), "exec"), scope)
package = scope["Quern"]
for name, how in directives.versions:
    if {"branch", "tag", "commit"} & set(how) and not hasattr(package, "git") and "git" not in how:
        problems.append(f"version {name} names a branch or commit, but the package has no git address")

# Every combination of the variants, on each back end.
backends = ({}, dict(cuda=True, cuda_arch=CUDA_ARCH), dict(rocm=True, amdgpu_target=AMD_TARGET))
possible = 0
for values in itertools.product((False, True), repeat=len(directives.variants)):
    for backend in backends:
        variants = {"cuda": False, "rocm": False, **dict(zip(directives.variants, values)), **backend}
        got = solve(directives, variants)
        allowed = not (variants.get("nccl") and not (variants.get("mpi") and variants["cuda"])) and \
            not (variants.get("rccl") and not (variants.get("mpi") and variants["rocm"]))
        if (got is not None) != allowed:
            problems.append(f"{variants} is {'refused' if allowed else 'accepted, and an option ignored'}")
        elif got is not None:
            possible += 1
            check(variants, got)
            for compiler in COMPILERS[1:] * variants["cuda"]: check(variants, solve(directives, variants))
            compiler = COMPILERS[0]
            for PROVIDERS["blas"], PROVIDERS["lapack"] in LINEAR_ALGEBRA[1:] * variants["linalg"]: check(variants, solve(directives, variants))
            PROVIDERS |= dict.fromkeys(("blas", "lapack"), LINEAR_ALGEBRA[0][0])
for device in ("cuda", "rocm"):
    if solve(directives, {"cuda": False, "rocm": False, device: True}) is not None: problems.append(f"+{device} without an architecture is accepted")
if solve(directives, {"cuda": True, "cuda_arch": CUDA_ARCH, "rocm": True, "amdgpu_target": AMD_TARGET}) is not None: problems.append("+cuda +rocm is accepted")

# CMake's options, of which those that change the library are a variant's.
cmake = "".join(p.read_text() for p in [top / "CMakeLists.txt", *sorted((top / "cmake").glob("*.cmake"))])
defaults = dict(re.findall(r'^option\((QUERN_\w+) ".*" (\S+)\)', cmake, re.M)) | dict(re.findall(r'^set\((QUERN_\w+) "(.*?)" CACHE', cmake, re.M))
backend_names = set(re.search(r"set\(_known ([^)]*)\)", (top / "cmake/QuernBackend.cmake").read_text())[1].split())
for variants in ({}, {"openmp": True}, {"cuda": True}, {"cuda": True, "wrapper": True}, {"rocm": True}, dict.fromkeys(directives.variants, True)):
    shown = " ".join(variants) or "the default"
    try:
        made = package(variants)
        if ("Kokkos_ROOT", "/kokkos") not in made.cmake_args(): problems.append("the build is not told where Kokkos is (Kokkos_ROOT)")
        for name, value in made.cmake_args():
            if name.startswith("QUERN_") and name not in defaults: problems.append(f"{name} is no option of CMakeLists.txt")
            if name == "QUERN_BACKEND" and value not in backend_names: problems.append(f"QUERN_BACKEND has no value {value}")
        commands.clear()
        for test in [t for t in dir(package) if t.startswith("test_") and callable(getattr(package, t))]:
            getattr(made, test)()
        configured = next((c for c in commands if "-S" in c), [])
        if not any(str(a).startswith("-DCMAKE_PREFIX_PATH=") and "/prefix/of/mpi" in a for a in configured):
            problems.append("the test configures without the prefixes of what the package stands on (get_cmake_prefix_path)")
        for root in ("-DKokkos_ROOT=/kokkos", "-DQuern_ROOT=/quern"):
            if root not in configured: problems.append(f"the test configures without {root}")
        wanted = "hipcc" if variants.get("rocm") else "kokkos_cxx" if variants.get("wrapper") else None
        if wanted and f"-DCMAKE_CXX_COMPILER={wanted}" not in configured: problems.append(f"the test of {shown} is not compiled by {wanted}")
    except AttributeError as error:
        problems.append(f"{shown}: {error}")
if commands and not package.test_requires_compiler: problems.append("the test compiles, but there is no test_requires_compiler = True")
for option in ("HIGHWAY", "LINALG", "FILES", "HDF5", "FFT", "DISTRIBUTED", "NCCL", "RCCL", "APP", "TESTS"):
    if f"QUERN_ENABLE_{option}" not in from_variant.values(): problems.append(f"no variant sets QUERN_ENABLE_{option}")

# README's tables.
readme = (top / "README.md").read_text()
rows = re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", readme, re.M)
written = {name: value.strip() for names, value in rows for name in re.findall(r"`(\w+)`", names)}
def shown(value): return {"ON": "on", "OFF": "off", True: "on", False: "off", "${PROJECT_IS_TOP_LEVEL}": "on at top level"}.get(value, value)
for name, value in defaults.items():
    if name.startswith("QUERN_TEST_"): continue  # of developers
    if name not in written: problems.append(f"README's table of options lacks {name}")
    elif value and written[name] != shown(value): problems.append(f"README says that {name} is {written[name]}, and it is {shown(value)}")
for name in written:
    if name.startswith("QUERN_") and name not in defaults: problems.append(f"README names an option {name}, which there is not")
table = dict(re.findall(r"^\| `\+(\w+)` \| (\w+) \|", readme, re.M))
sets = dict(re.findall(r"^\| `\+(\w+)` \| \w+ \| `(\w+)`", readme, re.M))
for name, value in directives.variants.items():
    if table.get(name) != shown(value): problems.append(f"README says that the variant {name} is {table.get(name)}, and it is {shown(value)}")
    if from_variant.get(name) != sets.get(name): problems.append(f"README says that +{name} sets {sets.get(name)}, and it sets {from_variant.get(name)}")
for name in table:
    if name not in directives.variants: problems.append(f"README names a variant {name}, which there is not")

# The same problem of many combinations is told once, with the first of them.
groups = {}
for problem in problems: groups.setdefault(problem.split(" (quern ")[0], []).append(problem)
texts = [found[0] + (f", and in {len(set(found)) - 1} other combinations" if len(set(found)) > 1 else "") for found in groups.values()]
print("\n".join(texts) or f"the Spack package fits in {possible} combinations of its variants")
sys.exit(bool(problems))
