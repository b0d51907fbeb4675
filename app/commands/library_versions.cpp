#include "app/commands/library_versions.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <hdf5.h>
#include <petscsys.h>
#include <slepcsys.h>
#include <xxhash.h>
#include <yaml.h>
#include <CLI/Version.hpp>

#include <nlohmann/json.hpp>

namespace trestle::app {
namespace {

std::string dotted(unsigned number, unsigned base) {
  return fmt::format("{}.{}.{}", number / base / base, number / base % base, number % base);
}

}  // namespace

std::string library_versions() {
  PetscInt petsc[3] = {}, slepc[3] = {};
  PetscGetVersionNumber(&petsc[0], &petsc[1], &petsc[2], nullptr);
  SlepcGetVersionNumber(&slepc[0], &slepc[1], &slepc[2], nullptr);
  unsigned hdf5[3] = {};
  H5get_libversion(&hdf5[0], &hdf5[1], &hdf5[2]);
  return fmt::format(
      "PETSc {}, SLEPc {}, HDF5 {}, libyaml {}, xxHash {}, fmt {}, nlohmann-json {}.{}.{}, CLI11 "
      "{}, glibc {}",
      fmt::join(petsc, "."), fmt::join(slepc, "."), fmt::join(hdf5, "."), yaml_get_version_string(),
      dotted(XXH_versionNumber(), 100), dotted(FMT_VERSION, 100), NLOHMANN_JSON_VERSION_MAJOR,
      NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH, CLI11_VERSION,
      gnu_get_libc_version());
}

}  // namespace trestle::app
