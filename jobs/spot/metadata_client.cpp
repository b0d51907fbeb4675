#include "jobs/spot/metadata_client.hpp"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <mutex>
#include <regex>

#include "core/error.hpp"

namespace trestle::jobs {
namespace {

constexpr std::size_t most_bytes = 1 << 16;

bool is_near(const std::string& host) {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) {
    const std::uint32_t address = ntohl(four.s_addr);
    return address >> 24 == 127 || address >> 16 == (169U << 8 | 254U);
  }
  in6_addr six{};
  if (host.size() < 3 || host.front() != '[' || host.back() != ']') return false;
  if (inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &six) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&six) || IN6_IS_ADDR_LINKLOCAL(&six);
}

std::size_t take_body(char* bytes, std::size_t size, std::size_t n, void* reply) {
  std::string& body = static_cast<MetadataReply*>(reply)->body;
  if (body.size() + size * n > most_bytes) return 0;  // which ends the transfer with an error
  body.append(bytes, size * n);
  return size * n;
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t n, void* to) {
  const std::string line(bytes, size * n);
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return size * n;
  std::string name = line.substr(0, colon), value = line.substr(colon + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t first = value.find_first_not_of(" \t"),
                    last = value.find_last_not_of(" \t\r\n");
  value = first == std::string::npos ? "" : value.substr(first, last - first + 1);
  auto& reply = *static_cast<MetadataReply*>(to);
  if (name == "metadata-flavor") reply.flavor = value;
  if (name == "etag") reply.etag = value;
  return size * n;
}

int is_over(void* ends, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return ends != nullptr && static_cast<const std::atomic<bool>*>(ends)->load() ? 1 : 0;
}

template <class T>
void set(CURL* curl, CURLoption option, T value) {
  if (const CURLcode code = curl_easy_setopt(curl, option, value); code != CURLE_OK)
    throw Error(ExitCode::bug, fmt::format("libcurl refuses option {}: {}",
                                           static_cast<int>(option), curl_easy_strerror(code)));
}

}  // namespace

std::string metadata_address() {
  const char* given = std::getenv("TRESTLE_METADATA_URL");
  if (given == nullptr || *given == 0) return "http://169.254.169.254";
  std::smatch parts;
  const std::string text = given;
  static const std::regex shape(R"(http://([0-9.]+|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?/?)");
  if (!std::regex_match(text, parts, shape) || !is_near(parts[1]))
    throw Error(
        ExitCode::usage,
        "TRESTLE_METADATA_URL must be http:// and a numerical address of this machine or of "
        "its link, such as http://127.0.0.1:8080 or http://169.254.169.254");
  return text.back() == '/' ? text.substr(0, text.size() - 1) : text;
}

MetadataClient::MetadataClient(std::string address, const std::atomic<bool>* ends)
    : address_(std::move(address)), ends_(ends) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_NOTHING); });
  curl_ = curl_easy_init();
  if (curl_ == nullptr) throw SystemError(ExitCode::system, "libcurl cannot be set up");
}

MetadataClient::~MetadataClient() { curl_easy_cleanup(curl_); }

MetadataReply MetadataClient::ask(const MetadataRequest& request) {
  MetadataReply reply;
  CURL* curl = curl_;
  curl_easy_reset(curl);
  curl_slist* headers = nullptr;
  for (const std::string& header : request.headers)
    headers = curl_slist_append(headers, header.c_str());
  set(curl, CURLOPT_URL, (address_ + request.path).c_str());
  set(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  set(curl, CURLOPT_HTTPHEADER, headers);
  if (!request.body.empty()) set(curl, CURLOPT_POSTFIELDS, request.body.c_str());
  set(curl, CURLOPT_PROXY, "");
  set(curl, CURLOPT_NOPROXY, "*");
  set(curl, CURLOPT_PROTOCOLS_STR, "http");
  set(curl, CURLOPT_FOLLOWLOCATION, 0L);
  set(curl, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(curl, CURLOPT_NOSIGNAL, 1L);
  set(curl, CURLOPT_CONNECTTIMEOUT_MS, 1000L);
  set(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request.limit.count()));
  set(curl, CURLOPT_WRITEFUNCTION, take_body);
  set(curl, CURLOPT_WRITEDATA, &reply);
  set(curl, CURLOPT_HEADERFUNCTION, take_header);
  set(curl, CURLOPT_HEADERDATA, &reply);
  set(curl, CURLOPT_NOPROGRESS, 0L);
  set(curl, CURLOPT_XFERINFOFUNCTION, is_over);
  set(curl, CURLOPT_XFERINFODATA, ends_);
  const CURLcode code = curl_easy_perform(curl);
  curl_slist_free_all(headers);
  if (code != CURLE_OK) return {.fault = curl_easy_strerror(code)};
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  return reply;
}

}  // namespace trestle::jobs
