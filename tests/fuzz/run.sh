#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs them.
#   tests/fuzz/run.sh                     each over its corpus and the 345 mutated meshes: seconds, for every day
#   tests/fuzz/run.sh SECONDS [TARGET...] then fuzzes each target for so long; what it finds lies in build/fuzz/TARGET
# A crash, a hang of more than 5 s and an allocation of more than 256 MiB fail.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-0}
shift || true
build=$PWD/build/fuzz
compiler=${TRESTLE_FUZZ_CXX:-clang++-14}
command -v "$compiler" >/dev/null || { echo "no $compiler (Debian: clang-14 libclang-rt-14-dev)" >&2; exit 1; }
mkdir -p "$build"
[ -f "$build/build.ninja" ] || cmake -S tests/fuzz -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" >"$build/cmake.log" 2>&1 ||
  { cat "$build/cmake.log" >&2; exit 1; }
ninja -C "$build" --quiet || { echo "the fuzz targets do not build" >&2; exit 1; }
export TMPDIR=${TMPDIR:-/tmp}
python3 tests/fuzz/mutated_meshes.py "$build/mutated"
limits=(-timeout=5 -malloc_limit_mb=256 -rss_limit_mb=2048 -print_final_stats=1)
# OpenMPI's libraries leak at their start.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=0 UBSAN_OPTIONS=print_stacktrace=1

folders=(tests/io/meshes "$build/mutated")
[ $# -gt 0 ] || set -- gmsh inp
for name in "$@"; do
  mkdir -p "$build/$name"
  echo "== $name"
  "$build/fuzz_$name" "${limits[@]}" -runs=0 "${folders[@]}" 2>"$build/$name.log" ||
    { tail -n 60 "$build/$name.log" >&2; exit 1; }
  grep -E 'stat::(number_of_executed_units|peak_rss_mb)' "$build/$name.log" || true
  [ "$seconds" -gt 0 ] || continue
  "$build/fuzz_$name" "${limits[@]}" -max_total_time="$seconds" -max_len=8192 -artifact_prefix="$build/$name-" \
    "$build/$name" "${folders[@]}" 2>"$build/$name.log" || { tail -n 60 "$build/$name.log" >&2; exit 1; }
  grep -E 'stat::|DONE' "$build/$name.log"
done
