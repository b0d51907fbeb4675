#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs them.
#   tests/fuzz/run.sh                     each over its corpus, and some thousand changes of it that are always the same: for every day
#   tests/fuzz/run.sh build               builds what that takes, and runs nothing
#   tests/fuzz/run.sh SECONDS [TARGET...] then fuzzes each target for so long; what it finds lies in build/fuzz_long/TARGET
# A crash, a hang of more than 5 s and an allocation of more than 256 MiB fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-0} only_build=false
shift || true
[ "$seconds" != build ] || { seconds=0 only_build=true; }
build=$PWD/build/fuzz level=-O0
[ "$seconds" -eq 0 ] || build=$PWD/build/fuzz_long level=-O1
compiler=${TRESTLE_FUZZ_CXX:-clang++-14}
command -v "$compiler" >/dev/null || { echo "no $compiler (Debian: clang-14 libclang-rt-14-dev)" >&2; exit 1; }
mkdir -p "$build"
[ -f "$build/build.ninja" ] || cmake -S tests/fuzz -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DTRESTLE_FUZZ_LEVEL=$level >"$build/cmake.log" 2>&1 ||
  { cat "$build/cmake.log" >&2; exit 1; }
export CCACHE_SLOPPINESS=pch_defines,time_macros  # so that it takes precompiled headers
ninja -C "$build" --quiet || { echo "the fuzz targets do not build" >&2; exit 1; }
! "$only_build" || exit 0
export TMPDIR=${TMPDIR:-/tmp}
limits=(-timeout=5 -malloc_limit_mb=256 -rss_limit_mb=2048 -print_final_stats=1)
# OpenMPI's libraries leak at their start.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=0 UBSAN_OPTIONS=print_stacktrace=1

python3 tests/fuzz/mutated_meshes.py "$build/mutated"
# For each target: the longest input, changes for every day, folders to begin with.
describe() {
  case $1 in
    gmsh | inp) longest=8192 changes=0 folders=(tests/io/meshes "$build/mutated") ;;
    hdf5_mesh) longest=256 changes=1000 folders=() ;;
    case) longest=4096 changes=200 folders=(configs "tests/fuzz/corpus/$1") ;;
    status) longest=4096 changes=500 folders=("tests/fuzz/corpus/$1") ;;
    *) longest=4096 changes=5000 folders=("tests/fuzz/corpus/$1") ;;
  esac
}
run() {
  "$build/fuzz_$name" "${limits[@]}" -artifact_prefix="$build/$name-" "$@" 2>"$build/$name.log" || { tail -n 60 "$build/$name.log" >&2; exit 1; }
}
for_every_day() {
  local name=$1 quick=$build/quick_$1
  describe "$name"
  rm -rf "$quick" && mkdir -p "$quick" "$build/$name"  # libFuzzer writes what it finds into its first folder
  run -runs="$changes" -seed=1 -max_len="$longest" "$quick" "${folders[@]}"
  echo "== $name" "$(grep -E 'stat::(number_of_executed_units|peak_rss_mb)' "$build/$name.log" || true)"
}

[ $# -gt 0 ] || set -- gmsh inp hdf5_mesh case expression manifest status metadata
cores=$(env -u OMP_NUM_THREADS nproc) running=0 code=0
for name in "$@"; do
  if [ "$running" -ge "$cores" ]; then
    wait -n || code=1
    running=$((running - 1))
  fi
  for_every_day "$name" &
  running=$((running + 1))
done
for ((; running > 0; running--)); do wait -n || code=1; done
[ "$seconds" -gt 0 ] && [ "$code" = 0 ] || exit "$code"
for name in "$@"; do
  describe "$name"
  echo "== $name"
  run -max_total_time="$seconds" -max_len="$longest" "$build/$name" "${folders[@]}"
  grep -E 'stat::|DONE' "$build/$name.log"
done
