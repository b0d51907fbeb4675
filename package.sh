#!/usr/bin/env bash
# Makes dist/trestle-VERSION-linux-x86_64.tar.xz, which runs on another Linux machine (glibc 2.36 or newer) with
# nothing installed.
#   ./package.sh            make it
#   ./package.sh --prove    make it, then run it in a bare Debian root (needs root, debootstrap and a Debian mirror)
source "$(dirname "${BASH_SOURCE[0]}")/scripts/setup.sh"
case ${1:-} in
  "" | --prove) ;;
  *) echo "usage: ./package.sh [--prove]" >&2; exit 64 ;;
esac

trap 'echo "package.sh failed in line $LINENO" >&2' ERR
ensure_packages "$build_packages$package_packages"
build_release trestle test_gpu test_solver test_fem test_physics
version=$(sed -n 's/^project(trestle VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=trestle-$version-linux-x86_64
root=dist/$name
archive=$root.tar.xz
rm -rf "$root" "$archive"
mkdir -p "$root"/{bin,lib/openmpi,lib/pmix,tests,share,configs,licenses}

plugin_folder() { find /usr/lib -name "$1" -printf '%h\n' -quit 2>/dev/null; }
mpi_plugins=$(plugin_folder mca_plm_isolated.so)
pmix_plugins=$(plugin_folder 'pmix_mca_*.so')
[ -n "$mpi_plugins" ] || fail "OpenMPI's plugins were not found"

# Everything but glibc's own libraries, which must be those of the machine's loader.
libraries_of() {
  ldd "$@" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
    grep -vE '/(ld-linux[^/]*|lib(c|m|mvec|dl|pthread|rt|resolv|util|nsl|anl|nss_[a-z]+))\.so\.[0-9]+$'
}

cp build/release/trestle "$root/bin/trestle"
cp "$(readlink -f "$(command -v mpirun)")" "$root/bin/mpirun"
cp "$(readlink -f "$(command -v orted)")" "$root/bin/orted"
for folder in gpu solver fem physics; do cp "build/release/tests/test_$folder" "$root/tests/"; done
# One machine talks through shared memory: the fabrics of clusters stay out, and with them their libraries.
find "$mpi_plugins/" -name 'mca_*.so' | grep -vE '_(ofi|ucx|openib|psm2?|cm|romio321)\.so$' |
  xargs -I{} cp -L {} "$root/lib/openmpi/"
[ -z "$pmix_plugins" ] || cp -L "$pmix_plugins"/pmix_mca_*.so "$root/lib/pmix/"
sources=$(libraries_of "$root"/bin/* "$root"/tests/* "$root"/lib/*/*.so)
for library in $sources; do cp -L "$library" "$root/lib/"; done
cp -rL /usr/share/openmpi "$root/share/openmpi"
chmod -R u+w "$root"
strip --strip-unneeded "$root/bin/trestle" "$root"/tests/test_*
for file in "$root"/bin/* "$root"/tests/* "$root"/lib/*.so* "$root"/lib/*/*.so; do patchelf --remove-rpath "$file"; done

for case in configs/*.yaml; do make_meshes "$case"; done
cp -r configs/. "$root/configs/"
cp -r LICENSE README.md CHANGELOG.md docs "$root/"
for library in $sources; do
  file=$(readlink -f "$library")
  owner=$( (dpkg-query -S "$file" || dpkg-query -S "${file#/usr}") 2>/dev/null | cut -d: -f1)
  cp -L "/usr/share/doc/$owner/copyright" "$root/licenses/$owner"
done

# The launchers: where OpenMPI was moved to, one machine, one compute thread a rank.
cat >"$root/environment.sh" <<'END'
# Sourced by the launchers; $here is the folder of the archive.
export OPAL_PREFIX=$here OPAL_PKGLIBDIR=$here/lib/openmpi OMPI_MCA_plm=isolated
export PMIX_PREFIX=$here PMIX_PKGLIBDIR=$here/lib/pmix
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 SCOTCH_PTHREAD_NUMBER=1
if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
END
write_launcher() {
  printf '%s\n' '#!/bin/sh' 'here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)' '. "$here/environment.sh"' "$2" >"$root/$1"
  chmod +x "$root/$1"
}
write_launcher trestle 'exec "$here/bin/trestle" "$@"'
write_launcher mpirun 'exec "$here/bin/mpirun" --oversubscribe --bind-to none "$@"'
write_launcher gpu-tests 'code=0
for test in "$here"/tests/test_*; do "$test" --gtest_filter="*/cuda_*" || code=$?; done
exit $code'
cat >"$root/INSTALL" <<END
Trestle $version for Linux on x86-64 (AVX2) with glibc 2.36 or newer. Nothing needs to be installed: unpack it anywhere.

  ./trestle info                                          the machine, its devices and the libraries
  ./trestle run configs/unit_square.yaml                  a case on one rank
  ./mpirun -n 4 ./trestle run configs/bracket.yaml        a case on four ranks of this machine
  ./gpu-tests                                             the tests of a GPU

GPUs are used where there is a driver. libcusparse.so.12 of a CUDA installation is used where it is found.
END

tar -C dist -c --sort=name --owner=0 --group=0 "$name" | xz -T0 -6 >"$archive"
say "$archive: $(du -h "$archive" | cut -f1), unpacked $(du -sh "$root" | cut -f1)"
[ "$(stat -c %s "$archive")" -lt 60000000 ] || fail "The archive is larger than 60 MB"
if [ "${1:-}" = --prove ]; then scripts/prove_package.sh "$archive"; fi
