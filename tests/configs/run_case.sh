#!/usr/bin/env bash
# Runs a case of configs/ on 2 ranks: it completes and meets what it expects. run_case.sh TRESTLE CASE
trestle=$1
case=$2
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/setup.sh"
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
make_meshes "$case"
set_run_environment
mpirun -q --oversubscribe --bind-to none -n 2 "$trestle" run "$case" --output "$output" --overwrite
