#!/usr/bin/env bash
# Installs what is missing, builds into build/release, and runs a case.
usage="usage: ./run.sh [CASE.yaml] [-n RANKS] [-- ARGUMENTS OF 'trestle run']
  CASE.yaml   default: configs/bracket.yaml
  -n RANKS    processes, default 2
example: ./run.sh configs/heat_sink.yaml -n 4 -- --set solver.precision=mixed"

start=$PWD
case=
ranks=2
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) echo "$usage"; exit 0 ;;
    -n) ranks=${2:-}; shift ;;
    -n*) ranks=${1#-n} ;;
    --) shift; break ;;
    -*) echo "run.sh does not know $1
$usage" >&2; exit 64 ;;
    *) [ -z "$case" ] || { echo "one case at a time: $case, $1" >&2; exit 64; }; case=$1 ;;
  esac
  shift || { echo "$usage" >&2; exit 64; }
done
[[ $ranks =~ ^[1-9][0-9]*$ ]] || { echo "-n wants a number of processes, not '$ranks'" >&2; exit 64; }

source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"
root=$PWD
case=${case:-$root/configs/bracket.yaml}
cd "$start"
[ -f "$case" ] || { echo "no such case: $case" >&2; exit 66; }
cd "$root"
ensure_packages "$build_packages"
build_release trestle
cd "$start"
make_meshes "$case"
set_run_environment
# Ctrl-C and TERM ask the run to stop in order, with a checkpoint where it has one: mpirun would kill its ranks a second after them. A second one does
# not wait. mpirun gets a process group of its own, so that Ctrl-C reaches this script alone.
# Its odls_base_sigkill_timeout of 1 s stays: it is slept twice after every non-zero exit code.
set -m
mpirun -q --oversubscribe --bind-to none -n "$ranks" "$root/build/release/trestle" run "$case" "$@" </dev/null &
run=$!
trap 'trap "kill -TERM $run" INT TERM; kill -USR1 $run' INT TERM
set +e
while kill -0 "$run" 2>/dev/null; do wait "$run"; done
wait "$run"
