# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Quern(CMakePackage, CudaPackage, ROCmPackage):
    """A portable performance layer for simulation codes on Kokkos: elementwise operations, reductions, stencils,
    quadrature and linear algebra over Kokkos Views, for Serial, OpenMP, CUDA and HIP."""

    license("Apache-2.0 WITH LLVM-exception", checked_by="quern")

    version("main", branch="main")

    variant("openmp", default=False, description="Build for a Kokkos with OpenMP")
    variant("linalg", default=True, description="Linear algebra through Kokkos Kernels")
    variant("app", default=False, description="Build the quern program")
    variant("tests", default=False, description="Build the tests")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("kokkos@5.0: +serial")
    depends_on("kokkos +openmp", when="+openmp")
    depends_on("kokkos-kernels@5.0: +blas", when="+linalg")
    depends_on("kokkos-kernels +cublas", when="+linalg +cuda")
    depends_on("lapack", when="+linalg")
    depends_on("rocblas", when="+linalg +rocm")
    depends_on("rocsolver", when="+linalg +rocm")
    depends_on("cli11", when="+app")
    depends_on("nlohmann-json", when="+app")
    depends_on("fmt", when="+app")
    depends_on("stb", when="+app")
    depends_on("googletest", when="+tests")
    depends_on("python@3:", type=("build", "test"), when="+tests")

    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos +cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
        depends_on(f"kokkos-kernels +cuda cuda_arch={arch}", when=f"+linalg +cuda cuda_arch={arch}")
    for arch in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos +rocm amdgpu_target={arch}", when=f"+rocm amdgpu_target={arch}")
    depends_on("kokkos +wrapper", when="+cuda %gcc")

    conflicts("+cuda", when="cuda_arch=none", msg="quern +cuda needs cuda_arch=<number>, for example cuda_arch=90")
    conflicts("+rocm", when="amdgpu_target=none", msg="quern +rocm needs amdgpu_target=<name>")
    conflicts("+cuda", when="+rocm", msg="Kokkos has one device back end at a time")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define_from_variant("QUERN_ENABLE_LINALG", "linalg"),
            self.define_from_variant("QUERN_ENABLE_APP", "app"),
            self.define_from_variant("QUERN_ENABLE_TESTS", "tests"),
            self.define("QUERN_BACKEND", self.backend()),
        ]
        if spec.satisfies("+cuda ^kokkos +wrapper"):
            args.append(self.define("CMAKE_CXX_COMPILER", spec["kokkos"].kokkos_cxx))
        if spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", spec["hip"].hipcc))
        return args

    def backend(self):
        for variant, name in (("+cuda", "Cuda"), ("+rocm", "HIP"), ("+openmp", "OpenMP")):
            if self.spec.satisfies(variant):
                return name
        return "Serial"
