#!/usr/bin/env bash
# Counts the GoogleTest cases inside a ctest log: summary.sh LastTest.log
awk '
  function count(line) { match(line, /[0-9]+/); return substr(line, RSTART, RLENGTH) }
  /^\[  PASSED  \] [0-9]+ test/ { passed += count($0) }
  /^\[  SKIPPED \] [0-9]+ test/ { skipped += count($0) }
  /^\[  FAILED  \] [0-9]+ test/ { failed += count($0) }
  END {
    printf "Cases inside these programs, once per number of ranks: %d passed, %d failed, %d skipped", passed, failed, skipped
    print skipped ? " (no CUDA device here, unless a case says otherwise)." : "."
  }' "$1"
