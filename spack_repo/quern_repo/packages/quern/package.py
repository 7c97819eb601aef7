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

    license("Apache-2.0 WITH LLVM-exception AND BSD-3-Clause")

    test_requires_compiler = True

    version("main", branch="main")

    variant("openmp", default=False, description="Build for a Kokkos with OpenMP")
    variant("highway", default=True, description="Highway's vectorized quicksort on hosts")
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
    depends_on("highway@1.1:", when="+highway")

    with when("+linalg"):
        depends_on("blas")
        depends_on("lapack")
        depends_on("kokkos-kernels@5.0: +cublas", when="+cuda")
        depends_on("kokkos-kernels@5.0: +rocblas", when="+rocm")
        depends_on("rocblas", when="+rocm")
        depends_on("rocsolver", when="+rocm")

    # Beside Kokkos's threads, a BLAS with the same ones.
    with when("+linalg +openmp"):
        depends_on("openblas threads=openmp", when="^[virtuals=blas] openblas")
        depends_on("intel-oneapi-mkl threads=openmp", when="^[virtuals=blas] intel-oneapi-mkl")
        depends_on("blis threads=openmp", when="^[virtuals=blas] blis")
        depends_on("amdblis threads=openmp", when="^[virtuals=blas] amdblis")

    depends_on("zlib-api", when="+files")
    depends_on("hdf5@1.12: ~mpi", when="+hdf5 ~mpi")
    depends_on("hdf5@1.12: +mpi", when="+hdf5 +mpi")

    with when("+fft"):
        depends_on("fftw@3: precision=float,double")
        depends_on("fftw ~mpi", when="~mpi")
        depends_on("fftw +openmp", when="+openmp")
        depends_on("hipfft +rocm", when="+rocm")

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
        depends_on(f"nccl +cuda cuda_arch={arch}", when=f"+nccl +cuda cuda_arch={arch}")
    for arch in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos +rocm amdgpu_target={arch}", when=f"+rocm amdgpu_target={arch}")
        for library, variant_ in (
            ("rocblas", "linalg"),
            ("rocsolver", "linalg"),
            ("hipfft", "fft"),
            ("rccl", "rccl"),
        ):
            depends_on(
                f"{library} amdgpu_target={arch}",
                when=f"+{variant_} +rocm amdgpu_target={arch}",
            )
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
        cmake = Executable(self.spec["cmake"].prefix.bin.cmake)
        prefixes = ";".join(get_cmake_prefix_path(self))
        arguments = [
            f"-DCMAKE_PREFIX_PATH={prefixes}",
            f"-DQuern_ROOT={self.prefix}",
            f"-DKokkos_ROOT={self.spec['kokkos'].prefix}",
        ]
        if self.quern_cxx:
            arguments.append(f"-DCMAKE_CXX_COMPILER={self.quern_cxx}")
        with working_dir(self.test_suite.current_test_cache_dir.examples.join("01_quickstart")):
            cmake("-S", ".", "-B", "build", *arguments)
            cmake("--build", "build")
            Executable("build/quickstart")()

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("QUERN_ENABLE_HIGHWAY", "highway"),
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
        if self.quern_cxx:
            args.append(self.define("CMAKE_CXX_COMPILER", self.quern_cxx))
        return args

    @property
    def quern_cxx(self):
        """The compiler that knows the device, where it is not Spack's own."""
        spec = self.spec
        if spec.satisfies("+rocm") and not (
            spec.satisfies("%cxx=clang") or spec.satisfies("%cxx=rocmcc")
        ):
            return spec["hip"].hipcc
        if spec.satisfies("^kokkos +wrapper"):
            # not for every Kokkos: without the wrapper, an external Kokkos has no kokkos_cxx
            return self["kokkos"].kokkos_cxx
        return None

    @property
    def quern_backend(self):
        for variant, name in (("+cuda", "Cuda"), ("+rocm", "HIP"), ("+openmp", "OpenMP")):
            if self.spec.satisfies(variant):
                return name
        return "Serial"
