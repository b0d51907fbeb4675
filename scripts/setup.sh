# shellcheck shell=bash disable=SC2034
# Sourced by run.sh, test.sh and package.sh: what the machine must have, how it is installed, and the build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Debian package | what stands for it on another distribution | what it gives.
# cmd: a program on PATH; pkg: a pkg-config module; lib: a shared library; py: a Python module; hdr: a header.
build_packages="
g++|cmd:g++|a C++20 compiler, GCC 12 or newer
cmake|cmd:cmake|CMake 3.25 or newer
ninja-build|cmd:ninja|Ninja
pkg-config|cmd:pkg-config|pkg-config
ccache|cmd:ccache|ccache, for short rebuilds
openmpi-bin|cmd:mpirun|OpenMPI's mpirun
libopenmpi-dev|cmd:mpicxx|OpenMPI's headers
libpetsc-real-dev|pkg:PETSc|PETSc 3.18 or newer, real double, with MUMPS and PT-Scotch
libslepc-real-dev|pkg:SLEPc|SLEPc
libopenblas0-serial|lib:libopenblas.so.0|OpenBLAS without threads: twice the speed of the reference BLAS in MUMPS
liblapack-dev|pkg:lapack|LAPACK, for the coarsest level of multigrid
libhdf5-openmpi-dev|pkg:hdf5-openmpi|the HDF5 build that PETSc links
libyaml-dev|pkg:yaml-0.1|libyaml
libxxhash-dev|pkg:libxxhash|xxHash
libcurl4-openssl-dev|pkg:libcurl|libcurl, for the notices of preemption of clouds
libfmt-dev|pkg:fmt|fmt 9 or newer
nlohmann-json3-dev|hdr:nlohmann/json.hpp|nlohmann-json
libcli11-dev|hdr:CLI/CLI.hpp|CLI11
libgtest-dev|hdr:gtest/gtest.h|GoogleTest
gmsh|cmd:gmsh|Gmsh with OpenCASCADE, for the meshes of configs/
"
test_packages="
python3|cmd:python3|Python 3
python3-venv|py:venv|Python virtual environments, for a newer VTK from PyPI
python3-numpy|py:numpy|NumPy
python3-h5py|py:h5py|h5py, an independent reader of the results
python3-vtk9|py:vtk|VTK, which opens the results as ParaView does
strace|cmd:strace|strace, for tests that kill a run at a chosen system call
slurmctld|cmd:slurmctld|Slurm's controller, for a private Slurm
slurmd|cmd:slurmd|Slurm's node daemon
slurm-client|cmd:sbatch|Slurm's commands
clang-14|cmd:clang++-14|clang with libFuzzer, for the fuzz targets
libclang-rt-14-dev|cmd:clang++-14|the sanitizers of clang
munge|cmd:munged|munge, which Slurm authenticates by
shellcheck|cmd:shellcheck|shellcheck, for the scripts in jobs/
"
package_packages="
xz-utils|cmd:xz|xz
patchelf|cmd:patchelf|patchelf
"

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# Processors of this shell; nproc alone would answer OMP_NUM_THREADS.
cores() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; }

on_debian() { command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }

# Whether the machine has what `$1` (a second column above) names.
has_capability() {
  local what=${1#*:}
  case $1 in
    cmd:*) command -v "$what" >/dev/null ;;
    pkg:*) pkg-config --exists "$what" 2>/dev/null ;;
    lib:*) PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q "$what" ;;
    py:*) python3 -c "import $what" 2>/dev/null ;;
    hdr:*) echo "#include <$what>" | g++ -std=c++20 -fsyntax-only -xc++ - 2>/dev/null ;;
  esac
}

# The rows of `$1` that this machine lacks.
missing_rows() {
  local installed="" package probe gives
  if on_debian; then
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  fi
  while IFS='|' read -r package probe gives; do
    [ -n "$package" ] || continue
    if on_debian; then
      grep -qxF "$package" <<<"$installed" || say "$package|$probe|$gives"
    else
      has_capability "$probe" || say "$package|$probe|$gives"
    fi
  done <<<"$1"
}

# Installs the packages of `$1` that are missing, or says what is missing and ends with 1.
ensure_packages() {
  local rows names
  rows=$(missing_rows "$1")
  [ -n "$rows" ] || return 0
  names=$(cut -d'|' -f1 <<<"$rows" | tr '\n' ' ')
  if ! on_debian; then
    fail "This machine lacks (names in brackets are Debian's; install what your distribution calls them):
$(awk -F'|' '{printf "  %s  [%s]\n", $3, $1}' <<<"$rows")"
  fi
  if [ "$(id -u)" != 0 ]; then
    fail "This machine lacks:
$(awk -F'|' '{printf "  %-22s %s\n", $1, $3}' <<<"$rows")
Nothing was changed. Install them and start again:
  sudo apt-get install --no-install-recommends $names"
  fi
  say "Installing: $names"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq -o DPkg::Lock::Timeout=600 update || say "apt-get update had errors; going on with the lists at hand"
  # shellcheck disable=SC2086  # one word per package
  apt-get -qq -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 install --no-install-recommends $names >build-setup.log 2>&1 ||
    { tail -n 20 build-setup.log >&2; rm -f build-setup.log; fail "apt-get could not install: $names"; }
  rm -f build-setup.log
}

# nvcc is taken from PATH, CUDACXX or the usual folder; without one everything builds for the CPU.
find_cuda() {
  if [ -z "${CUDACXX:-}" ] && ! command -v nvcc >/dev/null && [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then
    export CUDACXX=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
  fi
}

# Configures and builds into build/release; `$@`: targets, none for all.
build_release() {
  find_cuda
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
  mkdir -p build
  cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log >&2; fail "CMake failed"; }
  local quiet=--quiet
  [ ! -t 1 ] || quiet=
  # shellcheck disable=SC2086  # no word when empty
  ninja -C build/release -j "$(cores)" $quiet "$@" || fail "The build failed"
}

# What every process of a run needs: one compute thread a rank, and a repeatable PT-Scotch.
set_run_environment() {
  export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCOTCH_PTHREAD_NUMBER=1
  if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
}

# Meshes every NAME.msh that the case `$1` names and that is older than a NAME.geo beside it.
make_meshes() {
  local folder mesh geo part
  folder=$(dirname "$1")
  for mesh in $(sed 's/#.*//' "$1" | grep -oE '\bfile: *[^ ,}]+\.msh' | sed 's/file: *//' | tr -d "\"'"); do
    case $mesh in /*) ;; *) mesh=$folder/$mesh ;; esac
    geo=${mesh%.msh}.geo
    if [ -f "$geo" ] && { [ ! -f "$mesh" ] || [ "$geo" -nt "$mesh" ]; }; then
      say "Meshing $geo"
      part=${mesh%.msh}.part.msh
      gmsh -3 -v 2 -format msh41 -o "$part" "$geo" || { rm -f "$part"; fail "gmsh could not mesh $geo"; }
      mv "$part" "$mesh"
    fi
  done
}
