# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.22)

include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${WORK}")
must_work("${CMAKE_COMMAND}" --install "${BINARY}" --prefix "${WORK}/first")
file(RENAME "${WORK}/first" "${WORK}/moved")

set(configure "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -G "${GENERATOR}" -D CMAKE_BUILD_TYPE=Release
    -D "CMAKE_CXX_COMPILER=${COMPILER}" -D "CMAKE_CXX_FLAGS=${FLAGS}" -D "Kokkos_DIR=${KOKKOS}")
if(OPTIMIZATION)
  list(APPEND configure -D "CMAKE_CXX_FLAGS_RELEASE=${OPTIMIZATION} -DNDEBUG")
endif()
if(KERNELS) # on devices
  list(APPEND configure -D "KokkosKernels_DIR=${KERNELS}")
endif()

function(build_and_run name)
  must_work(${configure} -B "${WORK}/${name}" ${ARGN})
  must_work("${CMAKE_COMMAND}" --build "${WORK}/${name}")
  must_work("${WORK}/${name}/app")
  if(NOT output MATCHES "sum 12")
    message(FATAL_ERROR "${name}: expected 'sum 12', got:\n${output}")
  endif()
  message(STATUS "${name}: built and run")
endfunction()

# check_relocatable(PREFIX): no file of the package names a place on this machine: what it stands on is looked up again
function(check_relocatable prefix)
  file(GLOB_RECURSE files "${prefix}/*.cmake")
  if(NOT files)
    message(FATAL_ERROR "no package in ${prefix}")
  endif()
  foreach(file IN LISTS files)
    file(STRINGS "${file}" lines REGEX "(^|[^A-Za-z0-9_.}>*/])/[A-Za-z0-9]")
    if(lines)
      message(FATAL_ERROR "${file} names a path:\n${lines}")
    endif()
  endforeach()
endfunction()
check_relocatable("${WORK}/moved")

# check_runpath(FILE): it looks for Quern's libraries beside itself, and for a shared Kokkos where that was. Said of what is
# written into the file, as a loader may find them in other ways on this machine.
get_filename_component(kokkos_folder "${KOKKOS}/../.." ABSOLUTE)
file(GLOB kokkos_library "${kokkos_folder}/libkokkoscore.so")
function(check_runpath file)
  if(NOT CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  file(READ_ELF "${file}" RUNPATH path RPATH older CAPTURE_ERROR error)
  list(APPEND path ${older})
  set(wanted "$ORIGIN")
  if(kokkos_library AND NOT kokkos_folder MATCHES "^(/usr)?/lib(32|64)?(/[^/]*-linux-gnu[^/]*)?$")
    list(APPEND wanted "${kokkos_folder}")
  endif()
  foreach(place IN LISTS wanted)
    if(error OR NOT place IN_LIST path)
      message(FATAL_ERROR "${file} looks for its libraries in '${path}', expected '${place}' among them ${error}")
    endif()
  endforeach()
endfunction()
if(APP) # finds its shared libraries, such as a Kokkos outside of the loader's path, by itself
  must_work("${CMAKE_COMMAND}" -E env --unset=LD_LIBRARY_PATH "${WORK}/moved/bin/quern" --version)
  check_runpath("${WORK}/moved/bin/quern")
endif()

build_and_run(package -D "Quern_ROOT=${WORK}/moved")

# As a subdirectory, with shared libraries and under the strictest warnings: nothing of Quern's is installed with the consumer.
# One of the components, of transforms, is compiled. Objects of the others are those of this build, which are
# position-independent, too.
if(NOT PART STREQUAL "1") # where two configurations are tested, once
  set(strict "-Wall -Wextra -Wshadow -Werror")
  configure_file("${CMAKE_CURRENT_LIST_DIR}/take_object.sh" "${WORK}/take_object" @ONLY)
  set(launcher -D "CMAKE_CXX_COMPILER_LAUNCHER=${WORK}/take_object")
  if(DEVICE MATCHES "ON") # what wrappers of device compilers generate has warnings of its own
    set(strict)
    set(launcher)
  endif()
  build_and_run(subdirectory -D "QUERN_SOURCE=${SOURCE}" -D BUILD_SHARED_LIBS=ON -D CMAKE_UNITY_BUILD=ON -D "CMAKE_CXX_FLAGS=${FLAGS} ${strict}"
                -D "CONSUMER_FLAGS=-Wconversion" -D "QUERN_ENABLE_LINALG=${LINALG}" -D "QUERN_ENABLE_FILES=${FILES}" -D "QUERN_ENABLE_HDF5=${HDF5}"
                -D "QUERN_ENABLE_FFT=${FFT}" -D "QUERN_ENABLE_HIGHWAY=${HIGHWAY}" ${launcher})
  if(NOT EXISTS "${WORK}/subdirectory/quern/libquern_linalg.so.0.3")
    message(FATAL_ERROR "the shared library has no name with its version")
  endif()
  must_work("${CMAKE_COMMAND}" --install "${WORK}/subdirectory" --prefix "${WORK}/none")
  file(GLOB_RECURSE installed "${WORK}/none/*")
  if(installed)
    message(FATAL_ERROR "a subdirectory installs ${installed}")
  endif()

  # The same shared libraries, installed and moved: each finds the others beside itself.
  must_work("${CMAKE_COMMAND}" -D QUERN_INSTALL=ON "${WORK}/subdirectory")
  must_work("${CMAKE_COMMAND}" --build "${WORK}/subdirectory")
  must_work("${CMAKE_COMMAND}" --install "${WORK}/subdirectory" --prefix "${WORK}/shared")
  file(RENAME "${WORK}/shared" "${WORK}/shared_moved")
  file(REMOVE_RECURSE "${WORK}/subdirectory")
  check_relocatable("${WORK}/shared_moved")
  file(GLOB_RECURSE libraries "${WORK}/shared_moved/libquern_*.so")
  if(NOT libraries)
    message(FATAL_ERROR "no shared libraries in ${WORK}/shared_moved")
  endif()
  foreach(library IN LISTS libraries)
    check_runpath("${library}")
  endforeach()
  build_and_run(shared -D "Quern_ROOT=${WORK}/shared_moved")
endif()

foreach(text IN ITEMS LICENSE THIRD-PARTY-NOTICES)
  file(GLOB_RECURSE licence "${WORK}/moved/share/doc/*/${text}")
  if(NOT licence)
    message(FATAL_ERROR "${text} is not installed")
  endif()
endforeach()

# All components by name are Quern::quern too.
must_work(${configure} -B "${WORK}/named" -D "Quern_ROOT=${WORK}/moved" -D "COMPONENTS=${COMPONENTS}")

# Who wants the core alone needs Kokkos alone.
build_and_run(core -D "Quern_ROOT=${WORK}/moved" -D COMPONENTS=core -D TARGET=Quern::core
              -D CMAKE_DISABLE_FIND_PACKAGE_LAPACK=ON -D CMAKE_DISABLE_FIND_PACKAGE_BLAS=ON
              -D CMAKE_DISABLE_FIND_PACKAGE_KokkosKernels=ON)

# Headers of components whose targets are not linked.
file(WRITE "${WORK}/unlinked.cpp" "")
must_work(${configure} -B "${WORK}/unlinked" -D "Quern_ROOT=${WORK}/moved" -D COMPONENTS=core -D TARGET=Quern::core
          -D "SOURCES=${WORK}/unlinked.cpp")
set(includes)
set(sentences)
foreach(component IN ITEMS linalg files fft table distributed) # the last needs MPI's headers, without which nothing behind is read
  string(APPEND includes "#include <quern/${component}.hpp>\n")
  list(APPEND sentences "quern/${component}.hpp needs a target: target_link_libraries(<yours> Quern::${component})")
endforeach()
file(WRITE "${WORK}/unlinked.cpp" "#include <Kokkos_Core.hpp>\n${includes}int main() {}\n")
must_say("${sentences}" "${CMAKE_COMMAND}" --build "${WORK}/unlinked")

# Every example shows its options, which are text, and takes those of Kokkos; it says what it does not know, beside the
# arguments that it needs.
function(check_options program)
  foreach(arguments IN ITEMS "--help" "--kokkos-disable-warnings;--help")
    must_work("${program}" ${arguments})
    expect("Usage:|OPTIONS:|Options:")
    if(NOT output MATCHES "^[\t\n\r -~]*$")
      message(FATAL_ERROR "${program} --help prints control bytes:\n${output}")
    endif()
  endforeach()
  run("${program}" ${ARGN} --frobnicate)
  if(result EQUAL 0)
    message(FATAL_ERROR "${program} ignores --frobnicate")
  endif()
  expect("frobnicate")
endfunction()

# The examples, as complete projects.
function(build_example name program)
  list(TRANSFORM configure REPLACE "${CMAKE_CURRENT_LIST_DIR}/consumer" "${SOURCE}/examples/${name}" OUTPUT_VARIABLE example)
  must_work(${example} -B "${WORK}/${name}" -D "Quern_ROOT=${WORK}/moved")
  must_work("${CMAKE_COMMAND}" --build "${WORK}/${name}")
  set(program "${WORK}/${name}/${program}" PARENT_SCOPE)
  message(STATUS "${name}: built")
endfunction()

function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "expected '${text}', got:\n${output}")
  endif()
endfunction()

# What a program cannot print is an error.
function(check_full_output)
  if(EXISTS /dev/full)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE result OUTPUT_FILE /dev/full ERROR_VARIABLE errors)
    if(result EQUAL 0 OR NOT errors MATCHES "standard output cannot be written")
      message(FATAL_ERROR "${ARGV0} does not see that its output cannot be written")
    endif()
  endif()
endfunction()

build_example(01_quickstart quickstart)
must_work("${program}")
expect("mean 4.5, variance 0")
run("${program}" --size 3)
expect("quickstart takes options of Kokkos alone")

# It prints what its NumPy version has printed (numpy_version.py > numpy_output.txt).
build_example(11_numpy_script numpy_script)
execute_process(COMMAND "${program}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
file(READ "${SOURCE}/examples/11_numpy_script/numpy_output.txt" expected)
if(NOT result EQUAL 0 OR NOT "${output}" STREQUAL "${expected}")
  message(FATAL_ERROR "NumPy's version printed:\n${expected}this one:\n${output}${errors}")
endif()
run("${program}" --size 3)
expect("numpy_script takes options of Kokkos alone")

# Plain loops and Quern agree, as the program says itself.
build_example(08_conjugate_gradients conjugate_gradients)
foreach(cells IN ITEMS 17 96)
  must_work("${program}" ${cells})
  expect("loops +[0-9]+ iterations.*Quern +[0-9]+ iterations.*both agree")
endforeach()
run("${program}" 8)
expect("Usage: conjugate_gradients")
check_full_output("${program}" 16)

if(APP) # the others need what the program needs
  # Larger than the memory that it may take.
  build_example(04_out_of_core out_of_core)
  check_options("${program}")
  file(MAKE_DIRECTORY "${WORK}/files")
  check_full_output("${program}" --rows 1500 --memory 3M)
  execute_process(COMMAND "${program}" --rows 1500 --memory 3M WORKING_DIRECTORY "${WORK}/files" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  expect("smoothed 48 MB in [0-9][0-9]+ chunks\nmean of column 100.*mean after smoothing: 4[0-9]\\.")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${output}")
  endif()

  build_example(02_heat3d heat3d)
  check_options("${program}")
  set(state "${WORK}/state.npy")
  # Closed walls keep the energy; twice six steps are twelve.
  must_work("${program}" --kokkos-num-threads=1 --cells 20 --steps 12 --every 12 --slice "${WORK}/slice.npy" "${WORK}/small.png")
  string(REGEX MATCHALL "energy [0-9.]+" energies "${output}")
  list(GET energies 0 first)
  list(GET energies 1 last)
  if(NOT first STREQUAL last)
    message(FATAL_ERROR "the energy changes:\n${output}")
  endif()
  must_work("${program}" --cells 20 --steps 6 --output "${state}")
  must_work("${program}" --input "${state}" --steps 6 --slice "${WORK}/resumed.npy")
  must_work("${CMAKE_COMMAND}" -E compare_files "${WORK}/slice.npy" "${WORK}/resumed.npy")
  must_work("${program}" --cells 40 --steps 200 --every 200 --boundary constant --slice "${WORK}/slice.png")
  expect("step +200 .*maximum 0\\.[0-9]")
  run("${program}" --input "${WORK}/slice.png")
  if(result EQUAL 0)
    message(FATAL_ERROR "a picture was taken for an array")
  endif()

  # NumPy's statistics of the planes of a field over time.
  must_work("${program}" --input "${CMAKE_CURRENT_LIST_DIR}/heat.npy" --steps 3 --every 2 --statistics "${WORK}/planes.csv")
  file(READ "${CMAKE_CURRENT_LIST_DIR}/heat.regex" expected)
  file(READ "${WORK}/planes.csv" output)
  expect("^${expected}$")

  check_full_output("${program}" --cells 8 --steps 1)
  run("${program}" --cells 20 --steps 4 --every 2 --series "${WORK}/heat")
  if(HDF5)
    file(READ "${WORK}/heat.xdmf" output)
    expect("heat.h5:/000002/temperature")
  else()
    expect("built without HDF5")
  endif()

  # A signal ends a run, which leaves no half file.
  execute_process(COMMAND timeout --preserve-status -s TERM 3 "${program}" --cells 20 --steps 1000000000 --every 1000 --output "${WORK}/stopped.npy"
                  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE output)
  file(GLOB parts "${WORK}/*.part-*")
  if(NOT result EQUAL 143 OR parts)
    message(FATAL_ERROR "heat3d was stopped with ${result}: ${output}${parts}")
  endif()

  foreach(wrong IN ITEMS "--slice;${WORK}/none.jpg" "--output;${WORK}/none.txt" "--statistics;${WORK}/none.txt" "--boundary;none")
    run("${program}" --cells 8 --steps 1 ${wrong})
    if(result EQUAL 0)
      message(FATAL_ERROR "heat3d takes ${wrong}")
    endif()
  endforeach()

  build_example(03_photo_filter photo_filter)
  check_options("${program}" sharpen "${WORK}/slice.png" "${WORK}/none.png")
  must_work("${program}" sharpen "${WORK}/slice.png" "${WORK}/sharp.png")
  must_work("${program}" gaussian "${WORK}/slice.png" "${WORK}/same.png" --sigma 0)
  must_work("${CMAKE_COMMAND}" -E compare_files "${WORK}/slice.png" "${WORK}/same.png")
  must_work("${program}" edges "${WORK}/sharp.png" "${WORK}/edges.png")
  must_work("${program}" uniform "${WORK}/sharp.png" "${WORK}/uniform.jpg")
  file(READ "${WORK}/uniform.jpg" magic LIMIT 3 HEX)
  if(NOT magic STREQUAL "ffd8ff")
    message(FATAL_ERROR "uniform.jpg is not a JPEG file: ${magic}")
  endif()
  run("${program}" uniform "${WORK}/sharp.png" "${WORK}/uniform.gif")
  expect("uniform.gif ends in none of .png, .jpg and .jpeg")
  run("${program}" uniform "${WORK}/sharp.png" "${WORK}/uniform.png" --sigma 2)
  expect("--sigma needs the filter gaussian")
  run("${program}" uniform "${state}" "${WORK}/none.png")
  expect("photo_filter: .*state.npy: ")
endif()

if(APP)
  build_example(06_epidemics epidemics)
  check_options("${program}")
  check_full_output("${program}" --models 20)
  must_work("${program}" --models 2000 --output "${WORK}/shares.npy")
  expect("ever ill: mean 0\\.8[0-9]+.*simulated and solved differ by at most [0-9.]+e-(0[6-9]|1[0-9])")
endif()

if(APP) # the program runs plain loops beside, and says how its results differ from theirs
  set(rounding "(0\\.0e\\+00|[0-9.]+e-1[0-9])")
  build_example(10_leapfrog leapfrog)
  check_options("${program}")
  check_full_output("${program}" --particles 20 --steps 2)
  must_work("${program}" --particles 3001 --steps 100)
  expect("changes by at most [0-9.]+e-0[5-7]\nangular momentum changed by ${rounding}.*plain loops: positions ${rounding}, energies ${rounding}\n")
  must_work("${program}" --particles 3001 --steps 100 --quartic 0)
  expect("it is ${rounding} from the closed form.*plain loops: positions ${rounding}, energies ${rounding}\n")
endif()

if(APP AND FFT)
  build_example(05_turbulence turbulence)
  check_options("${program}")
  must_work("${program}" --points 48 --steps 20 --viscosity 0 --picture "${WORK}/vorticity.png")
  expect("changed by -?[0-9.]+e-(0[7-9]|1[0-9])") # without viscosity the energy stays, except for errors of time steps
  check_full_output("${program}" --points 16 --steps 1)
  must_work("${program}" --points 33 --steps 20 --viscosity 0.01)
  expect("changed by -[0-9.]+e-0[0-3]") # friction takes some
endif()

if(DISTRIBUTED) # the same lines on one rank as on three, and from a checkpoint
  build_example(07_heat3d_mpi heat3d_mpi)
  set(ranks "${CMAKE_COMMAND}" -E env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_btl=self,sm,vader
      OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_threads_pthreads_yield_strategy=nanosleep OMPI_MCA_threads_pthreads_nanosleep_time=1000
      OMP_NUM_THREADS=1 "${MPIEXEC}" -n)
  function(lines_of result)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${ARGN}: ${output}${errors}")
    endif()
    set(${result} "${output}" PARENT_SCOPE)
  endfunction()
  set(heat "${program}" --cells 20 --every 10)
  execute_process(COMMAND ${ranks} 3 "${program}" --help OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  string(REGEX MATCHALL "--checkpoint" shown "${output}")
  list(LENGTH shown times)
  if(NOT result EQUAL 0 OR NOT times EQUAL 1)
    message(FATAL_ERROR "of three ranks, one shows the options:\n${output}")
  endif()
  lines_of(one ${ranks} 1 ${heat} --steps 20)
  lines_of(three ${ranks} 3 ${heat} --steps 20)
  if(NOT one MATCHES "step +20 " OR NOT one STREQUAL three)
    message(FATAL_ERROR "one rank:\n${one}three:\n${three}")
  endif()
  if(PARALLEL_HDF5)
    lines_of(first ${ranks} 3 ${heat} --steps 10 --checkpoint "${WORK}/heat_mpi.h5")
    # On to a step, from a checkpoint that knows its extents; once there, nothing is left to do.
    set(resume ${ranks} 2 "${program}" --every 10 --restart "${WORK}/heat_mpi.h5" --until 20 --checkpoint "${WORK}/heat_mpi.h5")
    lines_of(second ${resume})
    lines_of(third ${resume})
    if(NOT third MATCHES "^step +20 [^\n]*\n$")
      message(FATAL_ERROR "goes on from the last step:\n${third}")
    endif()
    string(REGEX MATCH "step +20 [^\n]*" end "${second}")
    string(FIND "${one}" "${end}" place)
    if(end STREQUAL "" OR place EQUAL -1)
      message(FATAL_ERROR "one run:\n${one}in two parts:\n${first}${second}")
    endif()
    # The cluster's script, submitted three times to a stand-in for Slurm that makes it small: a job, one that goes on from its
    # checkpoint, and one after the last step, which has nothing to do.
    set(cluster "${WORK}/cluster")
    configure_file("${CMAKE_CURRENT_LIST_DIR}/srun.sh" "${cluster}/srun" COPYONLY)
    file(WRITE "${cluster}/modules.sh" "module() { :; }\n")
    file(CREATE_LINK "${program}" "${cluster}/heat3d_mpi" SYMBOLIC)
    function(submit result)
      lines_of(lines "${CMAKE_COMMAND}" -E chdir "${cluster}" "${CMAKE_COMMAND}" -E env "PATH=${cluster}:$ENV{PATH}"
               "BASH_ENV=${cluster}/modules.sh" SLURM_CPUS_PER_TASK=1 ${ARGN} bash "${SOURCE}/examples/slurm/many_nodes.sh")
      set(${result} "${lines}" PARENT_SCOPE)
    endfunction()
    string(REPLACE ";" " " ranks_of_srun "${ranks} 2")
    submit(first "SRUN=${ranks_of_srun}" SRUN_STEPS=10)
    submit(second "SRUN=${ranks_of_srun}" SRUN_STEPS=20)
    submit(third "SRUN=${ranks_of_srun}" SRUN_STEPS=20)
    if(NOT first MATCHES "step +10 [^\n]*\n$" OR NOT second MATCHES "^step +10 [^\n]*\nstep +20 [^\n]*\n$" OR
       NOT third MATCHES "^step +20 [^\n]*\n$")
      message(FATAL_ERROR "examples/slurm/many_nodes.sh, three times:\n${first}---\n${second}---\n${third}")
    endif()
  endif()
  message(STATUS "07_heat3d_mpi: one and three ranks agree")

  build_example(09_conjugate_gradients_mpi conjugate_gradients_mpi)
  foreach(number RANGE 1 4)
    lines_of(output ${ranks} ${number} "${program}" 37)
    expect("^loops +[0-9]+ iterations.*Quern +[0-9]+ iterations.*\n${number} ranks.*both agree")
  endforeach()
endif()

# Linear algebra works with a vendor behind it and without, and its target says which.
build_and_run(linalg -D "Quern_ROOT=${WORK}/moved" -D COMPONENTS=linalg -D TARGET=Quern::linalg -D SOURCES=linalg.cpp
              -D "EXPECTED_LAPACK=${LINALG}")

# The same for transforms.
build_and_run(fft -D "Quern_ROOT=${WORK}/moved" -D COMPONENTS=fft -D TARGET=Quern::fft -D SOURCES=fft.cpp -D "EXPECTED_FFT=${FFT}")

# Tables, which write files.
build_and_run(table -D "Quern_ROOT=${WORK}/moved" -D COMPONENTS=table -D TARGET=Quern::table -D SOURCES=table.cpp)

# What an installation stands on may be missing where it is used.
function(installed_needs option component package sentence)
  if(${option})
    must_say("The component '${component}' of this installation of Quern (built with QUERN_ENABLE_${option}=ON) needs ${sentence}"
             ${configure} -B "${WORK}/needs" -D "Quern_ROOT=${WORK}/moved" -D "COMPONENTS=${component}" -D
             "CMAKE_DISABLE_FIND_PACKAGE_${package}=ON" ${ARGN})
    file(REMOVE "${WORK}/needs/CMakeCache.txt")
  endif()
endfunction()
must_say("Quern needs Kokkos 5.0 or later, which was not found." ${configure} -B "${WORK}/needs" -D "Quern_ROOT=${WORK}/moved" -D
         CMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON)
file(REMOVE "${WORK}/needs/CMakeCache.txt")
installed_needs(LINALG linalg LAPACK "a BLAS and LAPACK, which was not found")
installed_needs(FILES files ZLIB "zlib, which was not found")
installed_needs(HDF5 files HDF5 "the C library of HDF5 1.12 or later, which was not found")
if(HDF5 AND PARALLEL_HDF5) # whose headers need it, too
  installed_needs(HDF5 files MPI "MPI, as the HDF5 in")
else()
  installed_needs(DISTRIBUTED distributed MPI "MPI, which was not found")
endif()
installed_needs(FFT fft none "FFTW 3 in float and double" -D QUERN_FFTW_INCLUDE_DIR=QUERN_FFTW_INCLUDE_DIR-NOTFOUND -D
                CMAKE_IGNORE_PATH=${FFTW_INCLUDE_DIR})

must_say("Quern has no component 'tables'; it has: core, linalg, files, fft," ${configure} -B "${WORK}/unknown" -D
         "Quern_ROOT=${WORK}/moved" -D COMPONENTS=tables)

# Before 1.0 another minor version is not compatible, a patch is.
foreach(version IN ITEMS 0.2 0.4 1.0)
  must_say("compatible" ${configure} -B "${WORK}/version" -D "Quern_ROOT=${WORK}/moved" -D VERSION=${version})
endforeach()
must_work(${configure} -B "${WORK}/patch" -D "Quern_ROOT=${WORK}/moved" -D VERSION=0.3.0 -D COMPONENTS=core -D
          TARGET=Quern::core)

# Another Kokkos than that of the installation.
file(WRITE "${WORK}/other/KokkosConfig.cmake"
     "set(Kokkos_VERSION 9.8.7)\nset(Kokkos_DEVICES SERIAL CUDA)\nset(Kokkos_ARCH HOPPER90)\n"
     "add_library(Kokkos::kokkos INTERFACE IMPORTED)\n")
file(WRITE "${WORK}/other/KokkosConfigVersion.cmake" "set(PACKAGE_VERSION 9.8.7)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
must_say("and found Kokkos 9.8.7 (CUDA, SERIAL; architectures: HOPPER90)" ${configure} -B "${WORK}/kokkos" -D
         "Quern_ROOT=${WORK}/moved" -D "Kokkos_DIR=${WORK}/other")
must_say("was built with Kokkos ${KOKKOS_VERSION} (" ${configure} -B "${WORK}/kokkos" -D "Quern_ROOT=${WORK}/moved" -D
         "Kokkos_DIR=${WORK}/other")
