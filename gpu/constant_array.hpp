// ConstantArray<T>: host entries for kernels, copied only where a device has memory of its own.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/array.hpp"

namespace trestle::gpu {

/// Immutable and move-only, accounted under `item`. On a `cpu` device kernels read the host's
/// entries themselves.
template <class T>
class ConstantArray {
 public:
  /// `values` outlive this object.
  ConstantArray(const Device& device, std::span<const T> values, const std::string& item)
      : copy_(device.kind() == DeviceKind::cpu ? Array<T>(device, 0, item)
                                               : upload(device, values, item)),
        view_(device.kind() == DeviceKind::cpu ? values.data() : std::as_const(copy_).data(),
              values.size()),
        in_place_(device.kind() == DeviceKind::cpu ? values.size_bytes() : 0) {
    if (in_place_ > 0) device.account().add(item, in_place_);
  }
  /// Keeps `values` where kernels read them.
  ConstantArray(const Device& device, std::vector<T>&& values, const std::string& item)
      : ConstantArray(device, std::span<const T>(values), item) {
    if (in_place_ > 0) kept_ = std::move(values);  // entries stay where they are
  }
  ConstantArray(ConstantArray&& other) noexcept
      : copy_(std::move(other.copy_)),
        kept_(std::move(other.kept_)),
        view_(other.view_),
        in_place_(std::exchange(other.in_place_, 0)) {}
  ConstantArray& operator=(ConstantArray&&) = delete;
  ~ConstantArray() {
    if (in_place_ > 0) copy_.device().account().remove(copy_.item(), in_place_);
  }

  Offset size() const { return view_.size(); }
  View<const T, 1> view() const { return view_; }
  /// A device address: for kernels only.
  const T* data() const { return view_.data(); }
  /// The entries on the host. Waits for the device.
  std::vector<T> to_host() const {
    if (copy_.size() > 0) return download(copy_);
    return {view_.data(), view_.data() + view_.size()};
  }

 private:
  Array<T> copy_;  // empty on a cpu device
  std::vector<T> kept_;
  View<const T, 1> view_;
  std::size_t in_place_;  // bytes of host entries in use
};

}  // namespace trestle::gpu
