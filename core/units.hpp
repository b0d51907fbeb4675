// Units of measure: "W/(m^2 K)" as a factor to SI and a dimension, and quantities such as "210
// GPa".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/number.hpp"

namespace trestle {

/// Powers of m, kg, s, K, A, mol.
using Dimension = std::array<int, 6>;

/// value in SI = number * 10^exponent * factor + offset.
struct Unit {
  double factor = 1;
  int exponent = 0;   // powers of ten stand apart, so that decimal units convert without rounding
  double offset = 0;  // of degC and degF alone
  Dimension dimension{};
};

struct ParsedUnit {
  Unit unit;
  std::string fault;  // empty when `unit` holds
  bool ok() const { return fault.empty(); }
};

/// Grammar: symbols with SI prefixes, joined by blanks, `*` or `/`, with whole powers (`^2`, or the
/// digit alone: `mm2`) and parentheses: `W/(m^2 K)`, `W m^-2 K^-1`, `1/K`, `%`. After a `/` a
/// product needs parentheses, because W/m K could mean two things. Symbols: m g s K A mol, N Pa J W
/// Hz V C ohm bar L t min h d rad deg degC degF in ft lb lbf psi ksi %. For an unknown symbol the
/// fault suggests known ones, of the dimension `wanted` first.
ParsedUnit parse_unit(std::string_view text, std::optional<Dimension> wanted = std::nullopt);

/// "a pressure (Pa)", "a length (m)", "a pure number"; else "a value in UNIT".
std::string describe_dimension(std::string_view unit);

/// Whether `text` is a number followed by something that can only be meant as a unit.
bool looks_like_quantity(std::string_view text);

/// Whether a quantity is a point on the scale of temperature or a difference.
enum class Temperature { absolute, difference };

/// Reads "210 GPa" or a plain number into SI; the dimension must be that of `expected`. degC and
/// degF get their offset where `expected` is K and `meaning` absolute; a difference in them is
/// refused, and so is a temperature below 0 K.
ParsedNumber parse_quantity(std::string_view text, std::string_view expected,
                            Temperature meaning = Temperature::absolute);

}  // namespace trestle
