#include "app/commands/plan.hpp"

#include <fmt/format.h>

#include "app/console.hpp"
#include "app/make_mesh.hpp"
#include "app/memory_estimate.hpp"
#include "jobs/host_memory.hpp"

namespace trestle::app {

ExitCode plan(const Comm& comm, const PlanArguments& arguments) {
  const io::Case c = read_case(comm, arguments.run);
  Console console(comm);
  for (const std::string& warning : c.warnings) console.warning(warning);
  const MeshCounts counts =
      c.mesh.box ? counts_of(*c.mesh.box, c.mesh.order) : counts_of(*make_mesh(comm, c.mesh));
  const MemoryEstimate estimate = estimate_memory(c, counts, arguments.ranks);
  console.line(fmt::format("{} nodes{}", static_cast<std::int64_t>(counts.nodes),
                           c.mesh.box ? ", or some more" : ""));
  console.line(fmt::format("{:<24}{:>12}{:>12}", "memory", "in all", "a rank"));
  for (const MemoryEstimate::Item& item : estimate.items)
    console.line(fmt::format("  {:<22}{:>12}{:>12}", item.name, text_of_bytes(item.bytes),
                             text_of_bytes(item.bytes / arguments.ranks)));
  console.line(fmt::format("  {:<22}{:>12}{:>12}", "together", text_of_bytes(estimate.total()),
                           text_of_bytes(estimate.total() / arguments.ranks)));
  const jobs::MemoryGrant here = jobs::memory_of_machine();
  console.line(fmt::format("this machine leaves {} ({})", text_of_bytes(here.bytes), here.by));
  return ExitCode::done;
}

}  // namespace trestle::app
