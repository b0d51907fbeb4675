// Memory by item (mesh, matrix, halo, Krylov vectors ...), with high-water marks.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace trestle::gpu {

/// Bytes now and at most, in total and for each item, of one memory on one rank.
class MemoryAccount {
 public:
  struct Entry {
    std::size_t bytes = 0;
    std::size_t peak = 0;
  };

  void add(std::string_view item, std::size_t bytes);
  void remove(std::string_view item, std::size_t bytes);
  const Entry& total() const { return total_; }
  const std::map<std::string, Entry, std::less<>>& items() const { return items_; }

 private:
  Entry total_;
  std::map<std::string, Entry, std::less<>> items_;
};

}  // namespace trestle::gpu
