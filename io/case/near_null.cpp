// The part `near_null` of the section `solver`: fields that a case gives to multigrid.
#include "io/case/options.hpp"
#include "io/case/parts.hpp"
#include "io/case/tables.hpp"

namespace trestle::io {
namespace {

const OptionTable<physics::NearNull>& near_null_table() {
  static const OptionTable<physics::NearNull> table{
      option(OptionInfo{.name = "replace",
                        .kind = OptionKind::boolean,
                        .help = "They stand for the constants or the rigid motions; without it "
                                "beside them. Six in all."},
             &physics::NearNull::replace)};
  return table;
}

OptionInfo field_info_of(const physics::Description& physics) {
  const bool vector = physics.results.front().components > 1;
  return {.name = "field",
          .kind = OptionKind::field,
          .help = "In x, y, z; of displacements a list of components.",
          .required = true,
          .min_count = vector ? 2 : 0,
          .max_count = vector ? 3 : 1,
          .zero_scalar = vector};
}

}  // namespace

OptionInfo near_null_info(const physics::Description& physics) {
  OptionInfo info{.name = "near_null",
                  .kind = OptionKind::mapping,
                  .help =
                      "Fields of the unknown that the operator maps to about nothing; the "
                      "multigrid `amg` and PETSc's GAMG keep them on coarse levels.",
                  .entries = near_null_table().infos()};
  OptionInfo fields{.name = "fields",
                    .kind = OptionKind::list,
                    .help = "A list of `{field: value}`.",
                    .required = true};
  fields.entries = {field_info_of(physics)};
  info.entries.insert(info.entries.begin(), fields);
  return info;
}

void read_near_null(const YamlNode& root, const physics::Description& physics, Case& c) {
  const YamlNode* solver = root.find("solver");
  const YamlEntry* entry =
      solver != nullptr && solver->is_mapping() ? solver->find_entry("near_null") : nullptr;
  if (entry == nullptr || !entry->value.is_mapping()) return;
  physics::NearNull& near_null = c.problem.near_null;
  near_null.where = entry->where();
  fill_options(entry->value, near_null_table(), near_null);
  const YamlNode* fields = entry->value.find("fields");
  if (fields == nullptr || !fields->is_list()) return;
  for (const YamlNode& item : fields->items)
    if (const YamlNode* field = item.is_mapping() ? item.find("field") : nullptr)
      if (auto value = read_field(*field, field_info_of(physics), "field", nullptr))
        near_null.fields.push_back(std::move(*value));
}

}  // namespace trestle::io
