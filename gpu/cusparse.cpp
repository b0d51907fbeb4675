#include "gpu/cusparse.hpp"

#ifdef TRESTLE_HAVE_CUDA

#include <cusparse.h>
#include <dlfcn.h>

#include <cstdlib>

#include "core/error.hpp"

namespace trestle::gpu {
namespace {

/// The functions of libcusparse.so.12 that are used here; null `spmv` where it is missing.
struct Library {
  decltype(&cusparseCreate) create = nullptr;
  decltype(&cusparseDestroy) destroy = nullptr;
  decltype(&cusparseSetStream) set_stream = nullptr;
  decltype(&cusparseGetProperty) property = nullptr;
  decltype(&cusparseGetErrorString) error_string = nullptr;
  decltype(&cusparseCreateCsr) create_csr = nullptr;
  decltype(&cusparseCreateBsr) create_bsr = nullptr;
  decltype(&cusparseDestroySpMat) destroy_matrix = nullptr;
  decltype(&cusparseCreateDnVec) create_vector = nullptr;
  decltype(&cusparseDestroyDnVec) destroy_vector = nullptr;
  decltype(&cusparseDnVecSetValues) set_values = nullptr;
  decltype(&cusparseSpMV_bufferSize) buffer_size = nullptr;
  decltype(&cusparseSpMV_preprocess) preprocess = nullptr;
  decltype(&cusparseSpMV) spmv = nullptr;
  std::string description;
};

void* open_library() {
  constexpr const char* name = "libcusparse.so.12";
  if (const char* home = std::getenv("CUDA_HOME"))
    for (const char* folder : {"/lib64/", "/lib/"})
      if (void* handle = dlopen((std::string(home) + folder + name).c_str(), RTLD_NOW | RTLD_LOCAL))
        return handle;
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

std::string origin(void* function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "memory";
}

std::string version(const Library& library) {
  std::string text;
  for (libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    library.property(part, &value);
    text += (text.empty() ? "" : ".") + std::to_string(value);
  }
  return text;
}

Library load() {
  Library library;
  void* const handle = open_library();
  if (handle == nullptr) {
    const char* const reason = dlerror();
    library.description = std::string("own products: ") + (reason ? reason : "no cuSPARSE") +
                          " (set CUDA_HOME to use cuSPARSE)";
    return library;
  }
  std::string missing;
  const auto find = [&](auto& function, const char* symbol) {
    void* const address = dlsym(handle, symbol);
    if (address == nullptr) missing = symbol;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
  };
  find(library.create, "cusparseCreate");
  find(library.destroy, "cusparseDestroy");
  find(library.set_stream, "cusparseSetStream");
  find(library.property, "cusparseGetProperty");
  find(library.error_string, "cusparseGetErrorString");
  find(library.create_csr, "cusparseCreateCsr");
  find(library.create_bsr, "cusparseCreateBsr");
  find(library.destroy_matrix, "cusparseDestroySpMat");
  find(library.create_vector, "cusparseCreateDnVec");
  find(library.destroy_vector, "cusparseDestroyDnVec");
  find(library.set_values, "cusparseDnVecSetValues");
  find(library.buffer_size, "cusparseSpMV_bufferSize");
  find(library.preprocess, "cusparseSpMV_preprocess");
  find(library.spmv, "cusparseSpMV");
  if (!missing.empty()) {
    library = Library{};
    library.description = "own products: this cuSPARSE has no " + missing + ", use one of CUDA 13";
    return library;
  }
  library.description =
      "cuSPARSE " + version(library) + " from " + origin(reinterpret_cast<void*>(library.spmv));
  return library;
}

/// Functions of a shared object are one per process.
const Library& library() {
  static const Library loaded = load();
  return loaded;
}

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw SystemError(ExitCode::gpu_fault,
                      std::string(call) + " failed: " + library().error_string(status));
}

/// cuSPARSE has no such product: the own one runs.
struct NotSupported {};

void check_supported(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_NOT_SUPPORTED) throw NotSupported{};
  check(status, call);
}

/// The library's handle on the stream of one device; kept by the device.
std::shared_ptr<cusparseContext> handle_of(const Device& device) {
  std::shared_ptr<void>& kept = device.sparse_library();
  if (!kept) {
    cusparseHandle_t handle = nullptr;
    check(library().create(&handle), "cusparseCreate");
    kept = std::shared_ptr<void>(
        handle, [](void* p) { library().destroy(static_cast<cusparseHandle_t>(p)); });
    check(library().set_stream(handle, static_cast<cudaStream_t>(device.stream())),
          "cusparseSetStream");
  }
  return std::static_pointer_cast<cusparseContext>(kept);
}

template <class Real>
class Product final : public CusparseProduct {
 public:
  static constexpr cudaDataType type = std::is_same_v<Real, float> ? CUDA_R_32F : CUDA_R_64F;

  Product(const Device& device, const BlockRows<Real>& a, Array<Index> offsets)
      : device_(device),
        handle_(handle_of(device)),
        offsets_(std::move(offsets)),
        algorithm_(a.block == 1 ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_BSR_ALG1),
        buffer_(device, 0, "matrix", Memory::device) {
    try {
      prepare(a);
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~Product() override { destroy(); }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void apply(const void* x, void* y, bool add) override {
    check(library().set_values(x_, const_cast<void*>(x)), "cusparseDnVecSetValues");
    check(library().set_values(y_, y), "cusparseDnVecSetValues");
    const Real beta = add ? one_ : zero_;
    check(library().spmv(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_, &beta,
                         y_, type, algorithm_, buffer_.data()),
          "cusparseSpMV");
  }
  std::string algorithm() const override {
    return algorithm_ == CUSPARSE_SPMV_CSR_ALG2 ? "cusparse_csr_alg2" : "cusparse_bsr_alg1";
  }

 private:
  void prepare(const BlockRows<Real>& a) {
    void* const columns = const_cast<Index*>(a.columns.data());
    void* const values = const_cast<Real*>(a.values.data());
    const Offset n_entries = a.columns.size();
    if (a.block == 1)
      check_supported(library().create_csr(&matrix_, a.n_rows, a.n_columns, n_entries,
                                           offsets_.data(), columns, values, CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
                      "cusparseCreateCsr");
    else
      check_supported(library().create_bsr(&matrix_, a.n_rows, a.n_columns, n_entries, a.block,
                                           a.block, offsets_.data(), columns, values,
                                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_BASE_ZERO, type, CUSPARSE_ORDER_ROW),
                      "cusparseCreateBsr");
    // Any valid addresses do until the first product; vectors of this size also serve preprocess.
    Array<Real> x(device_, a.n_columns * a.block, "matrix", Memory::device);
    Array<Real> y(device_, a.n_rows * a.block, "matrix", Memory::device);
    check_supported(library().create_vector(&x_, x.size(), x.data(), type), "cusparseCreateDnVec");
    check_supported(library().create_vector(&y_, y.size(), y.data(), type), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check_supported(library().buffer_size(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one_,
                                          matrix_, x_, &zero_, y_, type, algorithm_, &bytes),
                    "cusparseSpMV_bufferSize");
    buffer_ = Array<std::byte>(device_, static_cast<Offset>(bytes), "matrix", Memory::device);
    if (a.block == 1)
      check_supported(
          library().preprocess(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, matrix_, x_,
                               &zero_, y_, type, algorithm_, buffer_.data()),
          "cusparseSpMV_preprocess");
    device_.synchronize();
  }
  void destroy() {
    if (matrix_ != nullptr) library().destroy_matrix(matrix_);
    if (x_ != nullptr) library().destroy_vector(x_);
    if (y_ != nullptr) library().destroy_vector(y_);
  }

  Device device_;
  std::shared_ptr<cusparseContext> handle_;
  Array<Index> offsets_;
  cusparseSpMVAlg_t algorithm_;
  Array<std::byte> buffer_;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
  const Real one_ = 1;
  const Real zero_ = 0;
};

}  // namespace

std::string cusparse_availability() { return library().description; }

template <class Real>
std::unique_ptr<CusparseProduct> make_cusparse_product(const Device& device,
                                                       const BlockRows<Real>& matrix,
                                                       Array<Index> offsets) {
  if (library().spmv == nullptr) return nullptr;
  try {
    return std::make_unique<Product<Real>>(device, matrix, std::move(offsets));
  } catch (const NotSupported&) {
    return nullptr;
  }
}

}  // namespace trestle::gpu

#else

namespace trestle::gpu {

std::string cusparse_availability() { return "own products: this program was built without CUDA"; }

template <class Real>
std::unique_ptr<CusparseProduct> make_cusparse_product(const Device&, const BlockRows<Real>&,
                                                       Array<Index>) {
  return nullptr;
}

}  // namespace trestle::gpu

#endif

namespace trestle::gpu {

template std::unique_ptr<CusparseProduct> make_cusparse_product(const Device&,
                                                                const BlockRows<float>&,
                                                                Array<Index>);
template std::unique_ptr<CusparseProduct> make_cusparse_product(const Device&,
                                                                const BlockRows<double>&,
                                                                Array<Index>);

}  // namespace trestle::gpu
