// Units within expressions, which take none: what to write instead.
#pragma once

#include <string>
#include <string_view>

namespace trestle::io {

/// Why an expression is refused that begins with a quantity, as 2 MPa + x does; "" for other texts.
/// `expected` is the unit of the value.
std::string quantity_in_expression(std::string_view text, std::string_view expected);

/// The same of an expression that ends with a unit, as 2*x MPa does.
std::string unit_behind_expression(std::string_view expression, std::string_view unit);

/// The same of a unit that stands for a factor, as in 2*MPa.
std::string unit_as_factor(std::string_view unit);

/// What is missing between a number and what it multiplies, as in 5 sin(x), with "write 5*sin(x)";
/// "" where that would be no expression, or a unit stands there.
std::string missing_product(std::string_view text);

/// What is missing, with "write 1 mm", where `text` is a unit of the dimension of `expected` and no
/// more; else "".
std::string missing_number(std::string_view text, std::string_view expected);

}  // namespace trestle::io
