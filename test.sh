#!/usr/bin/env bash
# Installs what is missing, builds into build/release, and runs every test that this machine can run.
#   ./test.sh [ARGUMENTS OF ctest]      for example ./test.sh -R mesh, ./test.sh -R ranks2, ./test.sh -L gpu
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"

# VTK of Debian 12 reads results of one state only; a newer one from PyPI reads steps too. Where it cannot be
# had, the tests that need it are skipped.
find_newer_vtk() {
  export TRESTLE_VTK_PYTHON=$PWD/build/vtk/bin/python
  "$TRESTLE_VTK_PYTHON" -c 'import vtk, h5py' 2>/dev/null && return
  say "Trying PyPI for a newer VTK"
  { python3 -m venv build/vtk && timeout 300 build/vtk/bin/pip install -q --retries 1 'vtk>=9.3' h5py; } >build/vtk.log 2>&1 && return
  say "No newer VTK (build/vtk.log says why): its tests are skipped"
  unset TRESTLE_VTK_PYTHON
}

ensure_packages "$build_packages$test_packages"
mkdir -p build
find_newer_vtk
began=$SECONDS
build_release all
tests/fuzz/run.sh build
built=$SECONDS
set_run_environment
export GTEST_COLOR=no
code=0
# The entries count halves of a core (tests/CMakeLists.txt).
ctest --test-dir build/release --output-on-failure --no-tests=error -j "$((2 * $(cores)))" "$@" || code=$?
scripts/summary.sh build/release/Testing/Temporary/LastTest.log
say "Built in $((built - began)) s, tested in $((SECONDS - built)) s."
exit "$code"
