// MetadataClient: asks the metadata service of a cloud, and nobody else, within narrow bounds.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace trestle::jobs {

struct MetadataRequest {
  std::string method = "GET";
  std::string path;                  // from the root
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  std::chrono::milliseconds limit{1000};  // for all of it
};

struct MetadataReply {
  int status = 0;  // of HTTP; 0 where none came
  std::string body;
  std::string flavor;  // the header Metadata-Flavor
  std::string etag;
  std::string fault;  // why none came
  bool ok() const { return status == 200; }
};

/// The address that TRESTLE_METADATA_URL names, else that of all clouds, http://169.254.169.254.
/// Throws Error(64) unless it is http to a number that is loopback or link-local: nobody else gets
/// the token of a machine.
std::string metadata_address();

/// Plain HTTP without proxies, redirects, decompression or name service; a reply of more than 64
/// KiB is none. For one thread.
class MetadataClient {
 public:
  /// `ends`, where it is given, stops a request that waits.
  explicit MetadataClient(std::string address, const std::atomic<bool>* ends = nullptr);
  MetadataClient(const MetadataClient&) = delete;
  MetadataClient& operator=(const MetadataClient&) = delete;
  ~MetadataClient();

  MetadataReply ask(const MetadataRequest& request);

 private:
  std::string address_;
  const std::atomic<bool>* ends_;
  void* curl_;
};

}  // namespace trestle::jobs
