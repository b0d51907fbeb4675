// The communicator: one RAII object through which every message of the program goes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/types.hpp"

namespace trestle {

template <class T>
concept Sendable = std::is_trivially_copyable_v<T>;

/// A duplicated communicator. A cheap value: copies share it, the last one frees it.
/// MPI errors become SystemError (84) with the name of the call.
class Comm {
 public:
  /// Duplicates `parent`. Collective.
  explicit Comm(MPI_Comm parent);

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  /// Rank among the ranks of this machine, and their number.
  int local_rank() const { return local_rank_; }
  int local_size() const { return local_size_; }
  MPI_Comm handle() const { return handle_->comm; }

  /// Collective.
  void barrier() const;

  /// Sum, maximum, minimum over ranks, entry by entry; the same bits on all ranks. Collective.
  template <class T>
  T sum(T value) const {
    return reduced(value, MPI_SUM);
  }
  template <class T>
  T max(T value) const {
    return reduced(value, MPI_MAX);
  }
  template <class T>
  T min(T value) const {
    return reduced(value, MPI_MIN);
  }
  template <class T>
  void sum(std::span<T> values) const {
    reduce_in_place(values, MPI_SUM);
  }
  template <class T>
  void max(std::span<T> values) const {
    reduce_in_place(values, MPI_MAX);
  }
  template <class T>
  void min(std::span<T> values) const {
    reduce_in_place(values, MPI_MIN);
  }
  bool any(bool value) const { return max(value ? 1 : 0) != 0; }
  bool all(bool value) const { return min(value ? 1 : 0) != 0; }
  /// Sum over the ranks before this one. Collective.
  GlobalIndex exclusive_sum(GlobalIndex value) const;

  /// Rank 0's value on all ranks. Collective.
  template <Sendable T>
  std::vector<T> broadcast(std::vector<T> values) const;
  std::string broadcast(const std::string& text) const;

  /// Every rank's values, in the order of ranks. Collective.
  template <Sendable T>
  std::vector<T> all_gather(std::span<const T> values) const;
  template <Sendable T>
  std::vector<T> all_gather(T value) const {
    return all_gather(std::span<const T>(&value, 1));
  }
  /// Every rank's values on rank 0 (a vector per rank), nothing elsewhere. Collective.
  template <Sendable T>
  std::vector<std::vector<T>> gather(std::span<const T> values) const;
  std::vector<std::string> gather(const std::string& text) const;

  /// to[r] goes to rank r; returns what each rank sent here. Collective.
  template <Sendable T>
  std::vector<std::vector<T>> exchange(std::vector<std::vector<T>> to) const;

  /// Runs `work` on every rank; when it throws anywhere, all ranks throw the error of the lowest
  /// failing rank, with its code and message. Collective.
  void agree(const std::function<void()>& work) const;
  /// As `agree`, with the work done before: null means all went well here. Collective.
  void raise_if_any(const std::exception_ptr& failure) const;

 private:
  struct Handle {
    explicit Handle(MPI_Comm owned) : comm(owned) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle();
    MPI_Comm comm;
  };
  template <class T>
  static MPI_Datatype datatype();
  void reduce_bytes(void* values, std::size_t count, MPI_Datatype type, MPI_Op operation) const;
  std::vector<std::byte> broadcast_bytes(std::vector<std::byte> bytes) const;
  std::vector<std::byte> all_gather_bytes(std::span<const std::byte> bytes) const;
  std::vector<std::vector<std::byte>> gather_bytes(std::span<const std::byte> bytes) const;
  /// The number of bytes that each rank sends here, of which this one sends `sizes[r]` to rank r.
  std::vector<std::size_t> exchange_sizes(std::span<const std::size_t> sizes) const;
  /// to[r] goes to rank r, from[r] is filled by it, but for this rank's own.
  void exchange_bytes(std::span<const std::span<const std::byte>> to,
                      std::span<const std::span<std::byte>> from) const;

  template <class T>
  T reduced(T value, MPI_Op operation) const {
    reduce_bytes(&value, 1, datatype<T>(), operation);
    return value;
  }
  template <class T>
  void reduce_in_place(std::span<T> values, MPI_Op operation) const {
    reduce_bytes(values.data(), values.size(), datatype<T>(), operation);
  }

  std::shared_ptr<Handle> handle_;
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int local_size_ = 1;
};

/// Throws SystemError(84) naming `call` unless `code` is MPI_SUCCESS.
void check_mpi(int code, const char* call);

/// The contiguous share of `n` things that belongs to `rank` of `size`: [first, last).
struct Share {
  GlobalIndex first;
  GlobalIndex last;
  GlobalIndex count() const { return last - first; }
};
Share share_of(GlobalIndex n, int rank, int size);
/// The rank whose share of `n` things holds `i`.
int share_owner(GlobalIndex n, int size, GlobalIndex i);

}  // namespace trestle

#include "core/comm_impl.hpp"
