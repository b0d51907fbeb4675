#!/usr/bin/env bash
# Runs an archive of package.sh in a bare Debian root: prove_package.sh ARCHIVE
set -euo pipefail
archive=$(readlink -f "$1")
[ "$(id -u)" = 0 ] || { echo "A proof needs root (debootstrap, chroot)" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "A proof needs debootstrap: apt-get install debootstrap" >&2; exit 1; }
root=$(mktemp -d)
clean() {
  for folder in proc sys dev/shm; do umount --lazy "$root/$folder" 2>/dev/null || true; done
  rm -rf --one-file-system "$root"
}
trap clean EXIT
debootstrap --variant=minbase bookworm "$root" >"$root.log" 2>&1 || { tail "$root.log" >&2; exit 1; }
rm "$root.log"
mkdir -p "$root/opt" "$root/dev/shm"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/dev/shm"
xz -dc "$archive" | tar -C "$root/opt" -x
here=/opt/$(basename "$archive" .tar.xz)
inside() { echo "+ $*"; chroot "$root" "$@"; }
inside "$here/trestle" info
inside "$here/trestle" run "$here/configs/unit_square.yaml" --output /tmp/one
inside "$here/mpirun" -n 2 "$here/trestle" run "$here/configs/pressure_vessel.yaml" --output /tmp/two
inside "$here/mpirun" -n 2 "$here/trestle" run "$here/configs/heat_sink.yaml" --output /tmp/three \
  --set solver.method=petsc
echo "The archive runs in a bare Debian root."
