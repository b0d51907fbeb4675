#include "io/results/xdmf.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "io/escape.hpp"
#include "io/files.hpp"
#include "io/results/hdf5.hpp"
#include "io/results/newfile.hpp"
#include "io/results/results.hpp"
#include "io/results/vtk_cells.hpp"
#include "io/roots.hpp"

namespace trestle::io {

namespace {

/// A new plain HDF5 file with contiguous datasets; it gets its name when it is whole.
class PlainFile {
 public:
  explicit PlainFile(const std::string& path)
      : path_(path), part_((unlink((path + ".part").c_str()), path + ".part")) {
    const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    file_ = std::make_unique<h5::NewFile>(part_, H5P_DEFAULT, access.id());
  }
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile() {
    file_.reset();
    if (!finished_) unlink(part_.c_str());
  }

  template <class T>
  void write(const std::string& name, const std::vector<T>& values, hsize_t width) {
    const hsize_t sizes[2] = {values.size() / width, width};
    const h5::Handle space(H5Screate_simple(width == 1 ? 1 : 2, sizes, nullptr));
    const h5::Handle set(H5Dcreate2(file_->id(), name.c_str(), h5::type_of<T>(), space.id(),
                                    H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    h5::check(set.id(), "write", path_);
    if (!values.empty())
      h5::check(H5Dwrite(set.id(), h5::type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                "write", path_);
  }
  void finish() {
    file_->sync();
    file_->close();
    file_->check_writes();
    if (rename(part_.c_str(), path_.c_str()) != 0)
      throw file_error("create", path_, errno, ExitCode::cannot_create);
    finished_ = true;
  }

 private:
  std::string path_, part_;
  std::unique_ptr<h5::NewFile> file_;
  bool finished_ = false;
};

/// A <DataItem> for a dataset of another file in the same folder.
std::string data_item(const std::string& file, const std::string& dataset, std::size_t rows,
                      std::size_t width, const char* number_type) {
  const std::string sizes = width == 1 ? std::to_string(rows) : fmt::format("{} {}", rows, width);
  return fmt::format(
      "<DataItem Dimensions=\"{}\" NumberType=\"{}\" Precision=\"8\" Format=\"HDF\">{}:/{}"
      "</DataItem>",
      sizes, number_type, escape_html(file), escape_html(dataset));
}

std::string attribute(const std::string& name, const char* type, const char* center,
                      const std::string& item) {
  return fmt::format(
      "        <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\">{}"
      "</Attribute>\n",
      escape_html(name), type, center, item);
}

/// "Mixed" topology: the code of each cell, then its points. None of our codes (4 and above) takes
/// a count after it.
std::vector<std::int64_t> mixed_topology(const ResultsContent& content) {
  std::vector<std::int64_t> topology;
  std::size_t begin = 0;
  for (mesh::CellType type : content.cell_types) {
    const VtkCell& cell = vtk_cell(type);
    topology.push_back(cell.xdmf_code);
    for (std::uint8_t k : cell.order) topology.push_back(content.cell_points[begin + k]);
    begin += cell.order.size();
  }
  return topology;
}

/// XDMF's Tensor6 is xx xy xz yy yz zz; ours is xx yy zz xy yz xz.
std::vector<double> in_xdmf_order(std::vector<double> values, int components) {
  constexpr std::array<std::size_t, 6> order{0, 3, 5, 1, 4, 2};
  if (components != 6) return values;
  for (std::size_t i = 0; i < values.size(); i += 6) {
    std::array<double, 6> ours{};
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i), 6, ours.begin());
    for (std::size_t c = 0; c < 6; ++c) values[i + c] = ours[order[c]];
  }
  return values;
}

const char* attribute_type(int components) {
  return components == 6 ? "Tensor6" : components == 3 ? "Vector" : "Scalar";
}

struct Export {
  std::string results_path, directory, name;
  ResultsContent content;
  std::vector<std::int64_t> topology;

  std::string mesh_file() const { return name + "_mesh.h5"; }
  std::string step_file(std::size_t step) const { return fmt::format("{}_{:04}.h5", name, step); }
  void write_mesh() const;
  void write_step(std::size_t step) const;
  std::string mesh_text() const;
  std::string step_text(std::size_t step, double time) const;
  std::string text() const;
};

void Export::write_mesh() const {
  PlainFile file(directory + "/" + mesh_file());
  file.write("topology", topology, 1);
  file.write("points", content.coordinates, 3);
  file.write("node_tag", content.node_tags, 1);
  file.write("cell_tag", content.cell_tags, 1);
  file.write("region",
             std::vector<std::int64_t>(content.cell_regions.begin(), content.cell_regions.end()),
             1);
  file.finish();
}

void Export::write_step(std::size_t step) const {
  PlainFile file(directory + "/" + step_file(step));
  for (const ResultField& field : content.fields)
    file.write(field.name,
               in_xdmf_order(read_result_values(results_path, field.name, static_cast<int>(step)),
                             field.components),
               static_cast<hsize_t>(field.components));
  file.finish();
}

std::string Export::mesh_text() const {
  const std::size_t points = content.node_ids.size(), cells = content.cell_types.size();
  const auto item = [&](const char* dataset, std::size_t rows, std::size_t width,
                        const char* type) {
    return data_item(mesh_file(), dataset, rows, width, type);
  };
  return fmt::format(
             "        <Topology TopologyType=\"Mixed\" NumberOfElements=\"{}\">{}</Topology>\n"
             "        <Geometry GeometryType=\"XYZ\">{}</Geometry>\n",
             cells, item("topology", topology.size(), 1, "Int"),
             item("points", points, 3, "Float")) +
         attribute("node_tag", "Scalar", "Node", item("node_tag", points, 1, "Int")) +
         attribute("cell_tag", "Scalar", "Cell", item("cell_tag", cells, 1, "Int")) +
         attribute("region", "Scalar", "Cell", item("region", cells, 1, "Int"));
}

std::string Export::step_text(std::size_t step, double time) const {
  const std::string& step_name = content.step_names[step];
  std::string text =
      fmt::format("      <Grid Name=\"{}\" GridType=\"Uniform\">\n        <Time Value=\"{}\"/>\n",
                  escape_html(step_name.empty() ? fmt::format("step {}", step) : step_name), time);
  text += mesh_text();
  for (const ResultField& field : content.fields)
    text += attribute(field.name, attribute_type(field.components), "Node",
                      data_item(step_file(step), field.name, content.node_ids.size(),
                                static_cast<std::size_t>(field.components), "Float"));
  return text + "      </Grid>\n";
}

std::string Export::text() const {
  // Readers want times that grow; where ours do not (load cases), the number of the step stands in.
  const auto& times = content.step_values;
  const bool growing =
      std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) == times.end();
  std::string steps;
  for (std::size_t step = 0; step < times.size(); ++step)
    steps += step_text(step, growing ? times[step] : static_cast<double>(step));
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n"
      "    <Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n"
      "{}    </Grid>\n  </Domain>\n</Xdmf>\n",
      escape_html(name), steps);
}

void make_directory(const std::string& directory) {
  require_in_roots(directory);
  if (mkdir(directory.c_str(), 0750) != 0 && errno != EEXIST)
    throw file_error("create", directory, errno, ExitCode::cannot_create);
}

}  // namespace

std::string export_xdmf(const std::string& results_path, const std::string& directory) {
  Export work;
  work.results_path = results_path;
  work.directory = directory;
  work.name = std::filesystem::path(results_path).stem().string();
  work.content = read_results(results_path);
  work.topology = mixed_topology(work.content);
  make_directory(directory);
  work.write_mesh();
  for (std::size_t step = 0; step < work.content.step_names.size(); ++step) work.write_step(step);
  const std::string path = directory + "/" + work.name + ".xdmf";
  write_text_file(path, work.text());
  return path;
}

}  // namespace trestle::io
