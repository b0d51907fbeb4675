// How steps, regions and components of a results file are called in texts for people.
#pragma once

#include <string>

#include "io/results/results.hpp"

namespace trestle::io {

/// "x", "xx", "1" (of principal values), or "" for a scalar.
std::string component_name(const ResultField& field, int component);
/// "2 NAME", or "2 (VALUE)" for a step without a name, "0" for the only one of a static case;
/// harmless on a terminal.
std::string step_label(const ResultsContent& content, std::size_t step);
const std::string& region_of(const ResultsContent& content, std::size_t point);

}  // namespace trestle::io
