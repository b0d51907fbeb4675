#!/usr/bin/env bash
# run.sh refuses wrong arguments with the code of docs/exit_codes.md before it installs or builds anything.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
failures=0
expect() { # CODE ARGUMENTS...
  local code=$1 got=0
  shift
  "$root/run.sh" "$@" >/dev/null 2>&1 </dev/null || got=$?
  [ "$got" = "$code" ] && return
  echo "run.sh $*: exit code $got instead of $code"
  failures=1
}
expect 0 --help
expect 64 -n
expect 64 -n 0
expect 64 -n two
expect 64 --ranks 2
expect 64 one.yaml two.yaml
expect 66 no_such_case.yaml
exit "$failures"
