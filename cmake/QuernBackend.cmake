# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Checks QUERN_BACKEND against the Kokkos that was found and says what to install where they do not fit.
set(QUERN_EXECUTION_SPACE "Kokkos::DefaultExecutionSpace")
if(QUERN_BACKEND)
  set(_known Serial OpenMP Cuda HIP)
  if(NOT QUERN_BACKEND IN_LIST _known)
    message(FATAL_ERROR "QUERN_BACKEND is '${QUERN_BACKEND}', expected one of: ${_known}")
  endif()
  string(TOUPPER "${QUERN_BACKEND}" _device)
  if(NOT _device IN_LIST Kokkos_DEVICES)
    message(
      FATAL_ERROR
        "QUERN_BACKEND is ${QUERN_BACKEND}, but the Kokkos found in ${Kokkos_DIR} was built for: ${Kokkos_DEVICES}.\n"
        "Install a Kokkos configured with Kokkos_ENABLE_${_device}=ON (with Spack: kokkos +openmp, +cuda cuda_arch=90 or "
        "+rocm amdgpu_target=gfx90a) and point Kokkos_ROOT or CMAKE_PREFIX_PATH at it."
    )
  endif()
  set(QUERN_EXECUTION_SPACE "Kokkos::${QUERN_BACKEND}")
endif()

# A preset names the architecture that it was made for; Kokkos decides what is compiled.
set(QUERN_KOKKOS_ARCH "" CACHE STRING "Architecture that Kokkos must have been built for, as in Kokkos_ARCH_<name>")
if(QUERN_KOKKOS_ARCH AND NOT QUERN_KOKKOS_ARCH IN_LIST Kokkos_ARCH)
  message(
    FATAL_ERROR
      "This configuration is for Kokkos_ARCH_${QUERN_KOKKOS_ARCH}, but the Kokkos found in ${Kokkos_DIR} was built for: "
      "${Kokkos_ARCH}.\nInstall a Kokkos configured with Kokkos_ARCH_${QUERN_KOKKOS_ARCH}=ON and point Kokkos_ROOT or "
      "CMAKE_PREFIX_PATH at it."
  )
endif()
