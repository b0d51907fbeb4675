// Array<T>: memory of one device. The host reaches it through read(array) and write(array) only.
#pragma once

#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/view.hpp"

namespace trestle::gpu {

/// `size` entries on one device, uninitialised, accounted under `item`. Move-only.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array(const Device& device, Offset size, std::string item)
      : Array(device, size, std::move(item), device.memory()) {}
  /// With `Memory::device` for buffers of MPI and of files, which unified memory does not suit.
  Array(const Device& device, Offset size, std::string item, Memory memory)
      : device_(device),
        size_(size),
        item_(std::move(item)),
        memory_(memory),
        data_(static_cast<T*>(device_.allocate(bytes(), item_, memory))) {}
  Array(Array&& other) noexcept
      : device_(other.device_),
        size_(std::exchange(other.size_, 0)),
        item_(other.item_),
        memory_(other.memory_),
        data_(std::exchange(other.data_, nullptr)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(size_, other.size_);
    std::swap(item_, other.item_);
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Array() { device_.release(data_, bytes(), item_); }

  const Device& device() const { return device_; }
  const std::string& item() const { return item_; }
  Offset size() const { return size_; }
  /// Whether the host may touch the entries themselves after a `synchronize`.
  bool host_reaches() const { return device_.host_reaches_memory() && memory_ == device_.memory(); }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  /// Device addresses: for kernels only.
  T* data() { return data_; }
  const T* data() const { return data_; }
  View<T, 1> view() { return View<T, 1>(data_, size_); }
  View<const T, 1> view() const { return View<const T, 1>(data_, size_); }

 private:
  Device device_;
  Offset size_;
  std::string item_;
  Memory memory_;
  T* data_;
};

/// The entries of an array on the host, for the life of this object: the memory itself where the
/// host reaches it, else a copy. Waits for the device. When `T` is not const, what was written is
/// queued to be sent back at the end of its life, before the work that is queued later.
template <class T>
class HostAccess {
  using Value = std::remove_const_t<T>;
  using ArrayType = std::conditional_t<std::is_const_v<T>, const Array<Value>, Array<Value>>;

 public:
  explicit HostAccess(ArrayType& array) : array_(array), direct_(array.host_reaches()) {
    const Device& device = array.device();
    if (direct_) {
      device.synchronize();
      data_ = const_cast<Value*>(array.data());
    } else {
      data_ = static_cast<Value*>(device.allocate_host(array.bytes(), array.item()));
      device.copy_to_host(data_, array.data(), array.bytes());
      device.synchronize();
    }
  }
  /// Throws SystemError (82) when the way back fails, but not while another error is on its way.
  ~HostAccess() noexcept(false) {
    if (direct_) return;
    std::exception_ptr failure;
    if constexpr (!std::is_const_v<T>) {
      try {
        array_.device().copy_from_host(array_.data(), data_, array_.bytes());
      } catch (...) {
        failure = std::current_exception();
      }
    }
    array_.device().release_host(data_, array_.bytes(), array_.item());
    if (failure && std::uncaught_exceptions() == 0) std::rethrow_exception(failure);
  }
  HostAccess(const HostAccess&) = delete;
  HostAccess& operator=(const HostAccess&) = delete;

  std::span<T> span() const { return {data_, static_cast<std::size_t>(array_.size())}; }
  T& operator[](Offset i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + array_.size(); }
  Offset size() const { return array_.size(); }

 private:
  ArrayType& array_;
  bool direct_;
  Value* data_;
};

template <class T>
HostAccess<const T> read(const Array<T>& array) {
  return HostAccess<const T>(array);
}
template <class T>
HostAccess<T> write(Array<T>& array) {
  return HostAccess<T>(array);
}

/// A new array with the values of a host range.
template <class T>
Array<T> upload(const Device& device, std::span<const T> values, std::string item) {
  Array<T> array(device, static_cast<Offset>(values.size()), std::move(item));
  device.copy_from_host(array.data(), values.data(), values.size_bytes());
  device.synchronize();
  return array;
}
template <class T>
Array<T> upload(const Device& device, const std::vector<T>& values, std::string item) {
  return upload(device, std::span<const T>(values), std::move(item));
}
template <class T>
std::vector<T> download(const Array<T>& array) {
  const auto host = read(array);
  return {host.begin(), host.end()};
}

}  // namespace trestle::gpu
