#include "gpu/monitor.hpp"

#include <dlfcn.h>

namespace trestle::gpu {

/// The few functions of nvml.h that are used here, as NVML 11 and newer export them; 0 is success.
struct Monitor::Library {
  struct Memory {
    unsigned long long total, free, used;
  };
  struct Utilisation {
    unsigned int gpu, memory;
  };
  using Card = void*;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*by_pci_address)(const char*, Card*) = nullptr;
  int (*name)(Card, char*, unsigned int) = nullptr;
  int (*uuid)(Card, char*, unsigned int) = nullptr;
  int (*memory)(Card, Memory*) = nullptr;
  int (*utilisation)(Card, Utilisation*) = nullptr;
  int (*capability)(Card, int*, int*) = nullptr;
  void* handle = nullptr;
  Card card = nullptr;

  bool open() {
    handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return false;
    return find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
           find(by_pci_address, "nvmlDeviceGetHandleByPciBusId_v2") &&
           find(name, "nvmlDeviceGetName") && find(uuid, "nvmlDeviceGetUUID") &&
           find(memory, "nvmlDeviceGetMemoryInfo") &&
           find(utilisation, "nvmlDeviceGetUtilizationRates") &&
           find(capability, "nvmlDeviceGetCudaComputeCapability");
  }
  template <class Function>
  bool find(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(dlsym(handle, symbol));
    return function != nullptr;
  }
};

Monitor::Monitor(const Device& device) {
  const std::string address = device.facts().pci_address;
  if (address.empty()) return;
  auto library = std::make_unique<Library>();
  if (!library->open() || library->init() != 0) return;
  if (library->by_pci_address(address.c_str(), &library->card) != 0) {
    library->shutdown();
    return;
  }
  library_ = std::move(library);
}

Monitor::~Monitor() {
  if (library_) library_->shutdown();
}
Monitor::Monitor(Monitor&&) noexcept = default;

std::optional<CardStatus> Monitor::status() const {
  if (!library_) return std::nullopt;
  const Library& nvml = *library_;
  char name[128] = {};
  char uuid[96] = {};
  Library::Memory memory{};
  Library::Utilisation utilisation{};
  int major = 0, minor = 0;
  if (nvml.name(nvml.card, name, sizeof name) != 0 ||
      nvml.uuid(nvml.card, uuid, sizeof uuid) != 0 || nvml.memory(nvml.card, &memory) != 0 ||
      nvml.capability(nvml.card, &major, &minor) != 0)
    return std::nullopt;
  // Some cards (MIG slices) do not count utilisation: zero then.
  if (nvml.utilisation(nvml.card, &utilisation) != 0) utilisation = {};
  return CardStatus{name,
                    uuid,
                    std::to_string(major) + "." + std::to_string(minor),
                    memory.used,
                    memory.total,
                    static_cast<int>(utilisation.gpu),
                    static_cast<int>(utilisation.memory)};
}

}  // namespace trestle::gpu
