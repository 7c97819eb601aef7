# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *

# The checkout that this file lies in is where the sources come from.
checkout = pathlib.Path(__file__).resolve().parents[4].as_uri()


class Quern(CMakePackage, CudaPackage, ROCmPackage):
    """A portable performance layer for simulation codes on Kokkos: elementwise operations,
    reductions, stencils, quadrature and linear algebra over Kokkos Views, for Serial, OpenMP,
    CUDA and HIP."""

    homepage = checkout
    git = checkout

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("openmp", default=False, description="Build for a Kokkos with OpenMP")
    variant("linalg", default=True, description="A BLAS and LAPACK for linear algebra")
    variant("files", default=True, description="Compressed archives of arrays (.npz), by zlib")
    variant("hdf5", default=False, description="HDF5 files")
    variant("fft", default=False, description="Fourier transforms by FFTW, cuFFT or hipFFT")
    variant("mpi", default=False, description="Arrays that are distributed over the ranks of MPI")
    variant("nccl", default=False, description="With them on NVIDIA GPUs, NCCL")
    variant("rccl", default=False, description="With them on AMD GPUs, RCCL")
    variant("shared", default=True, description="Build shared libraries")
    variant("app", default=False, description="Build the quern program")
    variant("tests", default=False, description="Build the tests")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")

    depends_on("kokkos@5.0:")
    depends_on("kokkos +serial", when="~openmp ~cuda ~rocm")
    depends_on("kokkos +openmp", when="+openmp")

    depends_on("kokkos +pic", when="+shared")

    with when("+linalg"):
        depends_on("lapack")
        depends_on("kokkos-kernels@5.0: +cublas", when="+cuda")
        depends_on("kokkos-kernels@5.0: +rocblas", when="+rocm")
        depends_on("rocblas", when="+rocm")
        depends_on("rocsolver", when="+rocm")

    depends_on("zlib-api", when="+files")
    depends_on("hdf5", when="+hdf5")
    depends_on("hdf5 +mpi", when="+hdf5 +mpi")

    with when("+fft"):
        depends_on("fftw precision=float,double")
        depends_on("fftw +openmp", when="+openmp")
        depends_on("hipfft", when="+rocm")

    depends_on("mpi", when="+mpi")
    depends_on("nccl", when="+nccl")
    depends_on("rccl", when="+rccl")

    with when("+app"):
        depends_on("cli11")
        depends_on("nlohmann-json")
        depends_on("fmt")
        depends_on("stb", type="build")

    with when("+tests"):
        depends_on("googletest", type=("build", "test"))
        depends_on("python@3:", type=("build", "test"))
    depends_on("cmake@3.22:", type="test")

    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(f"kokkos-kernels +cuda cuda_arch={arch}", when=f"+linalg +cuda cuda_arch={arch}")
    for arch in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos +rocm amdgpu_target={arch}", when=f"+rocm amdgpu_target={arch}")
        for library in ("rocblas", "rocsolver"):
            depends_on(f"{library} amdgpu_target={arch}", when=f"+linalg +rocm amdgpu_target={arch}")
    requires("^kokkos +wrapper", when="+cuda %cxx=gcc")

    conflicts("+cuda", when="cuda_arch=none", msg="+cuda needs cuda_arch=<number>, as cuda_arch=90")
    conflicts("+rocm", when="amdgpu_target=none", msg="+rocm needs amdgpu_target=<name>")
    for library, backend in (("nccl", "cuda"), ("rccl", "rocm")):
        conflicts(f"+{library}", when="~mpi", msg=f"+{library} serves distributed arrays: +mpi")
        conflicts(f"+{library}", when=f"~{backend}", msg=f"+{library} needs +{backend}")
    conflicts("+cuda", when="+rocm", msg="Kokkos has one device back end at a time")

    @run_after("install")
    def keep_quickstart(self):
        cache_extra_test_sources(self, "examples/01_quickstart")

    def test_quickstart(self):
        """Build the first example against the installation, and run it."""
        kokkos = self.spec["kokkos"]
        cmake = Executable(self.spec["cmake"].prefix.bin.cmake)
        with working_dir(self.test_suite.current_test_cache_dir.examples.join("01_quickstart")):
            arguments = [f"-DQuern_ROOT={self.prefix}", f"-DKokkos_ROOT={kokkos.prefix}"]
            if self.spec.satisfies("^kokkos +wrapper"):
                arguments.append(f"-DCMAKE_CXX_COMPILER={self['kokkos'].kokkos_cxx}")
            cmake("-S", ".", "-B", "build", *arguments)
            cmake("--build", "build")
            Executable("build/quickstart")()

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("QUERN_ENABLE_LINALG", "linalg"),
            self.define_from_variant("QUERN_ENABLE_FILES", "files"),
            self.define_from_variant("QUERN_ENABLE_HDF5", "hdf5"),
            self.define_from_variant("QUERN_ENABLE_FFT", "fft"),
            self.define_from_variant("QUERN_ENABLE_DISTRIBUTED", "mpi"),
            self.define_from_variant("QUERN_ENABLE_NCCL", "nccl"),
            self.define_from_variant("QUERN_ENABLE_RCCL", "rccl"),
            self.define_from_variant("QUERN_ENABLE_APP", "app"),
            self.define_from_variant("QUERN_ENABLE_TESTS", "tests"),
            self.define("QUERN_BACKEND", self.quern_backend),
            self.define("Kokkos_ROOT", spec["kokkos"].prefix),
        ]
        if spec.satisfies("+rocm") and not (
            spec.satisfies("%cxx=clang") or spec.satisfies("%cxx=rocmcc")
        ):
            args.append(self.define("CMAKE_CXX_COMPILER", spec["hip"].hipcc))
        elif spec.satisfies("^kokkos +wrapper"):
            # not for every Kokkos: without the wrapper, an external Kokkos has no kokkos_cxx
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        return args

    @property
    def quern_backend(self):
        for variant, name in (("+cuda", "Cuda"), ("+rocm", "HIP"), ("+openmp", "OpenMP")):
            if self.spec.satisfies(variant):
                return name
        return "Serial"
