// Whatever a metadata service answers: a notice, or a fault that is told. The bytes are its answers
// one after another, parted by NUL: the first byte of each chooses code and header, the rest is the
// body.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "jobs/spot/notice.hpp"

namespace trestle::jobs {
namespace {

std::string_view answers;

}  // namespace

// In the place of libcurl.
MetadataClient::MetadataClient(std::string address, const std::atomic<bool>* ends)
    : address_(std::move(address)), ends_(ends), curl_(nullptr) {
  static_cast<void>(ends_), static_cast<void>(curl_);  // nothing here uses them
}
MetadataClient::~MetadataClient() = default;

MetadataReply MetadataClient::ask(const MetadataRequest& request) {
  // Nothing of an answer may break out of the next question.
  if (request.path.find_first_of("\r\n ") != std::string::npos) std::abort();
  for (const std::string& header : request.headers)
    if (header.find_first_of("\r\n") != std::string::npos) std::abort();
  MetadataReply reply;
  if (answers.empty()) {
    reply.fault = "no answer";
    return reply;
  }
  const std::string_view answer = answers.substr(0, answers.find('\0'));
  answers.remove_prefix(std::min(answers.size(), answer.size() + 1));
  if (answer.empty()) return reply;
  constexpr int codes[] = {200, 200, 200, 401, 403, 404, 500, 0};
  const auto choice = static_cast<unsigned char>(answer.front());
  reply.status = codes[choice % 8];
  if ((choice & 8) != 0) reply.flavor = "Google";
  reply.body = answer.substr(1);
  if ((choice & 16) != 0) reply.etag = reply.body;
  return reply;
}

}  // namespace trestle::jobs

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trestle;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  for (auto* make : {jobs::make_aws_source, jobs::make_gcp_source, jobs::make_azure_source}) {
    jobs::MetadataClient client("http://127.0.0.1");
    const auto source = make(client);
    jobs::answers = all;
    while (!jobs::answers.empty()) {
      const std::size_t left = jobs::answers.size();
      const jobs::SpotLook look = source->look();
      if (look.notice && look.notice->level == jobs::StopLevel::none) std::abort();
      if (look.notice && look.notice->left_s && !(*look.notice->left_s >= 0)) std::abort();
      source->acknowledge();
      if (jobs::answers.size() == left) break;  // it asks no more
    }
  }
  return 0;
}
