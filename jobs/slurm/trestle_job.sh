#!/bin/bash
# Runs a case in a Slurm job that may be preempted at any time. `trestle submit` writes scripts with this wrapper in
# them; by hand:
#   sbatch -n 8 -t 12:00:00 jobs/slurm/trestle_job.sh CASE RUN_DIRECTORY [--set key=value ...]
# Settings from the environment: TRESTLE_PROGRAM (trestle), TRESTLE_CONTAINER (an Apptainer image), TRESTLE_LAUNCHER
# (mpirun or srun), TRESTLE_BINDING (core, socket, numa, none), TRESTLE_LAUNCHER_OPTIONS, TRESTLE_REQUEUE (yes or no).
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append

# --- The wrapper: starts the run, passes signals on, and decides from status.json what becomes of the job. ---
# Slurm's end of the job stays the law: a job that was cancelled is never put back.
: "${program:=${TRESTLE_PROGRAM:-trestle}}" "${container:=${TRESTLE_CONTAINER:-}}"
: "${launcher:=${TRESTLE_LAUNCHER:-mpirun}}" "${binding:=${TRESTLE_BINDING:-core}}" "${requeue:=${TRESTLE_REQUEUE:-yes}}"
if ! declare -p launcher_options >/dev/null 2>&1; then
  read -r -a launcher_options <<<"${TRESTLE_LAUNCHER_OPTIONS:-}"
fi
if [ $# -lt 2 ]; then
  echo "usage: trestle_job.sh CASE RUN_DIRECTORY [--set key=value ...]" >&2
  exit 64
fi
case_file=$1 run=${2%/}
shift 2
tasks=${SLURM_NTASKS:-1}

say() { printf '%s trestle_job: %s\n' "$(date -u +%FT%TZ)" "$*"; }

# One compute thread a rank, and a partition of the mesh that repeats (docs/devices.md).
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCOTCH_PTHREAD_NUMBER=1
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# The code of a run that stopped in order says nothing that its status does not, and any but 0 holds mpirun up for 10 s.
export TRESTLE_STOPPED_CODE=0

trestle=("$program")
if [ -n "$container" ]; then
  trestle=(apptainer exec --nv "$container" "$program")
fi
case $launcher in
  srun)
    launch=(srun --mpi=pmix --kill-on-bad-exit=1 -n "$tasks")
    case $binding in core) launch+=(--cpu-bind=cores) ;; socket) launch+=(--cpu-bind=sockets) ;; numa) launch+=(--cpu-bind=ldoms) ;; *) launch+=(--cpu-bind=none) ;; esac
    ;;
  # By itself mpirun kills ranks 1 s after a TERM; 5 s let them end a save. It waits twice as long after any failed rank.
  *) launch=(mpirun --mca odls_base_sigkill_timeout 5 -n "$tasks" --bind-to "$binding") ;;
esac
launch+=("${launcher_options[@]}")

stamp() { stat -c %.9Y "$run/status.json" 2>/dev/null || echo none; }
ended_well() { grep -qs '"state": *"completed"' "$run/status.json"; }

if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] && ended_well; then
  say "$run was completed before this job was requeued: nothing is left to do"
  exit 0
fi

# USR1 asks the run to save and stop. TERM does too: mpirun would let its ranks no time for a TERM.
pid='' asked=''
# shellcheck disable=SC2317 # called by the traps
ask_to_stop() {
  asked=$1
  say "signal $1: the run is asked to save and stop"
  [ -z "$pid" ] || kill -USR1 "$pid" 2>/dev/null
}
trap 'ask_to_stop USR1' USR1
trap 'ask_to_stop TERM' TERM

seen=$(stamp)
say "start ${SLURM_RESTART_COUNT:-0} of job ${SLURM_JOB_ID:-none} on ${SLURM_JOB_NODELIST:-$(hostname)}: $case_file, $tasks ranks, $run"
"${launch[@]}" "${trestle[@]}" run "$case_file" --output "$run" --restart auto "$@" &
pid=$!
# A signal that came before there was a run to pass it to.
[ -z "$asked" ] || { sleep 1; kill -USR1 "$pid" 2>/dev/null; }
# A trapped signal ends `wait` early; the run is over when its process is gone.
while kill -0 "$pid" 2>/dev/null; do
  wait "$pid"
done
wait "$pid"
code=$?

verdict=$("${trestle[@]}" post-exit "$run" --code "$code" --seen "$seen")
code=$?
say "$verdict"

# Whether Slurm still counts this job as running: neither cancelled nor over its time.
job_lives() { scontrol -o show job "$SLURM_JOB_ID" 2>/dev/null | grep -q ' JobState=RUNNING '; }

back_to_queue() {
  if [ "$requeue" != yes ] || [ -z "${SLURM_JOB_ID:-}" ]; then
    say "not requeued: start it again to go on"
  elif ! job_lives; then
    say "not requeued by the script: Slurm has ended this job itself"
  elif scontrol "$1" "$SLURM_JOB_ID"; then
    sleep 60 # Slurm ends the script here
  else
    say "Slurm refused to $1 the job: submit it again to go on"
  fi
}
case $verdict in
  requeue*) back_to_queue requeue ;;
  hold*) back_to_queue requeuehold ;;
esac
exit "$code"
