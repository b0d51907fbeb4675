#!/usr/bin/env bash
# Installs what is missing, builds into build/release, and runs every test that this machine can run.
#   ./test.sh [ARGUMENTS OF ctest]      for example ./test.sh -R mesh, ./test.sh -R ranks2
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"
ensure_packages "$build_packages$test_packages"
began=$SECONDS
build_release all
built=$SECONDS
set_run_environment
export GTEST_COLOR=no
code=0
ctest --test-dir build/release --output-on-failure --no-tests=error -j "$(nproc)" "$@" || code=$?
scripts/summary.sh build/release/Testing/Temporary/LastTest.log
say "Built in $((built - began)) s, tested in $((SECONDS - built)) s."
exit "$code"
