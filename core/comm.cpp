#include "core/comm.hpp"

#include <climits>
#include <exception>
#include <new>
#include <numeric>

#include "core/error.hpp"
#include "core/host_guard.hpp"

namespace trestle {

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw SystemError(ExitCode::peer_lost, std::string(call) + " failed: " +
                                             std::string(text, static_cast<std::size_t>(length)) +
                                             "; see whether a rank or its node was lost");
}

namespace {

// One message carries at most INT_MAX pieces: large ones go as pieces of this many bytes.
constexpr std::size_t piece = std::size_t{1} << 30;

int as_count(std::size_t n) { return narrow<int>(n); }

}  // namespace

Comm::Handle::~Handle() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free(&comm);
}

Comm::Comm(MPI_Comm parent) {
  MPI_Comm comm = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(parent, &comm), "MPI_Comm_dup");
  handle_ = std::make_shared<Handle>(comm);
  check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
            "MPI_Comm_split_type");
  check_mpi(MPI_Comm_rank(node, &local_rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(node, &local_size_), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
}

void Comm::barrier() const { check_mpi(MPI_Barrier(handle()), "MPI_Barrier"); }

GlobalIndex Comm::exclusive_sum(GlobalIndex value) const {
  GlobalIndex before = 0;
  check_mpi(MPI_Exscan(&value, &before, 1, MPI_INT64_T, MPI_SUM, handle()), "MPI_Exscan");
  return rank_ == 0 ? 0 : before;
}

void Comm::reduce_bytes(void* values, std::size_t count, MPI_Datatype type,
                        MPI_Op operation) const {
  refuse_device_memory(values, "MPI_Allreduce");
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values, as_count(count), type, operation, handle()),
            "MPI_Allreduce");
}

std::vector<std::byte> Comm::broadcast_bytes(std::vector<std::byte> bytes) const {
  std::uint64_t n = bytes.size();
  check_mpi(MPI_Bcast(&n, 1, MPI_UINT64_T, 0, handle()), "MPI_Bcast");
  bytes.resize(n);
  for (std::size_t at = 0; at < n; at += piece)
    check_mpi(
        MPI_Bcast(bytes.data() + at, as_count(std::min(piece, n - at)), MPI_BYTE, 0, handle()),
        "MPI_Bcast");
  return bytes;
}

std::string Comm::broadcast(const std::string& text) const {
  const std::vector<char> chars = broadcast(std::vector<char>(text.begin(), text.end()));
  return {chars.begin(), chars.end()};
}

std::vector<std::vector<std::byte>> Comm::gather_bytes(std::span<const std::byte> bytes) const {
  std::vector<std::vector<std::byte>> to(static_cast<std::size_t>(size_));
  to[0].assign(bytes.begin(), bytes.end());
  std::vector<std::vector<std::byte>> parts = exchange(std::move(to));
  if (!is_root()) parts.clear();
  return parts;
}

std::vector<std::string> Comm::gather(const std::string& text) const {
  std::vector<std::string> all;
  for (const auto& part : gather(std::span<const char>(text.data(), text.size())))
    all.emplace_back(part.begin(), part.end());
  return all;
}

std::vector<std::byte> Comm::all_gather_bytes(std::span<const std::byte> bytes) const {
  std::vector<std::byte> all;
  for (const auto& part : gather_bytes(bytes)) all.insert(all.end(), part.begin(), part.end());
  return broadcast_bytes(std::move(all));
}

std::vector<std::size_t> Comm::exchange_sizes(std::span<const std::size_t> sizes) const {
  std::vector<std::size_t> came(sizes.size());
  check_mpi(MPI_Alltoall(sizes.data(), 1, MPI_UINT64_T, came.data(), 1, MPI_UINT64_T, handle()),
            "MPI_Alltoall");
  return came;
}

void Comm::exchange_bytes(std::span<const std::span<const std::byte>> to,
                          std::span<const std::span<std::byte>> from) const {
  std::vector<MPI_Request> requests;
  for (int r = 0; r < size_; ++r) {
    const std::span<std::byte> part = from[static_cast<std::size_t>(r)];
    for (std::size_t done = 0; r != rank_ && done < part.size(); done += piece)
      check_mpi(MPI_Irecv(part.data() + done, as_count(std::min(piece, part.size() - done)),
                          MPI_BYTE, r, 1, handle(), &requests.emplace_back()),
                "MPI_Irecv");
  }
  for (int r = 0; r < size_; ++r) {
    const std::span<const std::byte> part = to[static_cast<std::size_t>(r)];
    refuse_device_memory(part.data(), "MPI_Isend");
    for (std::size_t done = 0; r != rank_ && done < part.size(); done += piece)
      check_mpi(MPI_Isend(part.data() + done, as_count(std::min(piece, part.size() - done)),
                          MPI_BYTE, r, 1, handle(), &requests.emplace_back()),
                "MPI_Isend");
  }
  check_mpi(MPI_Waitall(as_count(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
}

void Comm::agree(const std::function<void()>& work) const {
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  raise_if_any(failure);
}

void Comm::raise_if_any(const std::exception_ptr& failure) const {
  const int first = min(failure ? rank_ : size_);
  if (first == size_) return;
  int code = static_cast<int>(ExitCode::bug);
  std::string message;
  if (first == rank_) {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& e) {
      code = static_cast<int>(e.code());
      message = e.what();
    } catch (const std::bad_alloc&) {
      code = static_cast<int>(ExitCode::system);
      message = "out of memory on rank " + std::to_string(rank_) +
                ": use more ranks or nodes, or a smaller mesh";
    } catch (const std::exception& e) {
      message = e.what();
    }
  }
  check_mpi(MPI_Bcast(&code, 1, MPI_INT, first, handle()), "MPI_Bcast");
  std::uint64_t n = message.size();
  check_mpi(MPI_Bcast(&n, 1, MPI_UINT64_T, first, handle()), "MPI_Bcast");
  message.resize(n);
  check_mpi(MPI_Bcast(message.data(), as_count(n), MPI_CHAR, first, handle()), "MPI_Bcast");
  throw Error(static_cast<ExitCode>(code), message);
}

Share share_of(GlobalIndex n, int rank, int size) {
  const GlobalIndex each = n / size, more = n % size;
  const GlobalIndex first = rank * each + std::min<GlobalIndex>(rank, more);
  return {first, first + each + (rank < more ? 1 : 0)};
}

int share_owner(GlobalIndex n, int size, GlobalIndex i) {
  const GlobalIndex each = n / size, more = n % size;
  const GlobalIndex large = more * (each + 1);
  return static_cast<int>(i < large ? i / (each + 1)
                                    : more + (i - large) / std::max<GlobalIndex>(each, 1));
}

}  // namespace trestle
