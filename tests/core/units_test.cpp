#include "core/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace trestle {
namespace {

double si(const std::string& text, const std::string& unit) {
  const ParsedNumber number = parse_quantity(text, unit);
  EXPECT_TRUE(number.ok()) << text << ": " << number.fault;
  return number.value;
}

std::string fault(const std::string& text, const std::string& unit,
                  Temperature meaning = Temperature::absolute) {
  const ParsedNumber number = parse_quantity(text, unit, meaning);
  EXPECT_FALSE(number.ok()) << text << " was read as " << number.value;
  return number.fault;
}

// Decimal units convert without a rounding of their own, so the literals are met to the bit.
TEST(Quantity, OfDecimalUnitsIsTheNearestDouble) {
  EXPECT_EQ(si("210 GPa", "Pa"), 210e9);
  EXPECT_EQ(si("210GPa", "Pa"), 210e9);
  EXPECT_EQ(si("7850 kg/m^3", "kg/m^3"), 7850);
  EXPECT_EQ(si("7.85 g/cm^3", "kg/m^3"), 7850);
  EXPECT_EQ(si("7.85e-9 t/mm^3", "kg/m^3"), 7850);
  EXPECT_EQ(si("12e-6 1/K", "1/K"), 12e-6);
  EXPECT_EQ(si("25 W/(m^2 K)", "W/(m^2 K)"), 25);
  EXPECT_EQ(si("0.5 MPa", "Pa"), 5e5);
  EXPECT_EQ(si("5 bar", "Pa"), 5e5);
  EXPECT_EQ(si("0.1 mm", "m"), 1e-4);
  EXPECT_EQ(si("-1 kN", "N"), -1000);
  EXPECT_EQ(si("0.3 kN/mm^2", "Pa"), 3e8);
  EXPECT_EQ(si("1 %", ""), 0.01);
}

TEST(Quantity, OfOtherUnitsHasTheirExactFactor) {
  EXPECT_EQ(si("10 min", "s"), 600);
  EXPECT_EQ(si("2 h", "s"), 7200);
  EXPECT_EQ(si("1 d", "s"), 86400);
  EXPECT_DOUBLE_EQ(si("180 deg", ""), std::numbers::pi);
  EXPECT_DOUBLE_EQ(si("1 in", "m"), 0.0254);
  EXPECT_DOUBLE_EQ(si("1 ft", "m"), 0.3048);
  EXPECT_DOUBLE_EQ(si("1 lb", "kg"), 0.45359237);
  EXPECT_DOUBLE_EQ(si("1 lbf", "N"), 4.4482216152605);
  EXPECT_NEAR(si("1 psi", "Pa"), 6894.757293168361, 1e-11);
}

TEST(Quantity, OfATemperatureCountsFromItsOwnZero) {
  EXPECT_EQ(si("20 degC", "K"), 293.15);
  EXPECT_EQ(si("20 \u00B0C", "K"), 293.15);
  EXPECT_EQ(si("-273.15 degC", "K"), 0);
  EXPECT_NEAR(si("32 degF", "K"), 273.15, 1e-12);
  EXPECT_EQ(si("300 K", "K"), 300);
  EXPECT_EQ(si("25 W/(m^2 degC)", "W/(m^2 K)"), 25);  // no offset within a compound
  EXPECT_NE(fault("-300 degC", "K").find("absolute zero"), std::string::npos);
  EXPECT_NE(fault("1 degC", "K", Temperature::difference).find("difference"), std::string::npos);
}

TEST(Quantity, MayBeWrittenWithPastedSigns) {
  EXPECT_EQ(si("3 \u00B5m", "m"), 3e-6);
  EXPECT_EQ(si("25 W/(m\u00B2\u00B7K)", "W/(m^2 K)"), 25);
  EXPECT_EQ(si("25 W m^-2 K^-1", "W/(m^2 K)"), 25);
  EXPECT_EQ(si("25 W/m^2/K", "W/(m^2 K)"), 25);
  EXPECT_EQ(si("210 N/mm2", "Pa"), 210e6);
  EXPECT_EQ(si("210 N/mm^2", "Pa"), 210e6);
  EXPECT_EQ(si("25 W m-2 K-1", "W/(m^2 K)"), 25);
  EXPECT_NE(fault("1 mm22", "m").find("power"), std::string::npos);
  EXPECT_NE(fault("1 mm 2", "m^2").find("expected a unit"), std::string::npos);
  EXPECT_EQ(si("1 ksi", "Pa"), si("1000 psi", "Pa"));
}

TEST(Quantity, OfAnotherDimensionIsRefusedByName) {
  EXPECT_EQ(fault("3 m", "Pa"), "expected a pressure (Pa), got m");
  EXPECT_NE(fault("314 rad/s", "Hz").find("divide it by 2 pi"), std::string::npos);
  EXPECT_NE(fault("360 deg/s", "Hz").find("divide it by 2 pi"), std::string::npos);
  EXPECT_EQ(fault("3 Pa", "m"), "expected a length (m), got Pa");
  EXPECT_EQ(fault("3 kg", ""), "expected a pure number, got kg");
  EXPECT_EQ(fault("3 W/m", "W/(m K)"), "expected a heat conductivity (W/(m K)), got W/m");
}

TEST(Quantity, WithAnUnknownOrDoubtfulUnitIsRefused) {
  EXPECT_EQ(fault("210 Gpa", "Pa"), "unknown unit \"Gpa\", did you mean GPa?");
  EXPECT_EQ(fault("210 GPA", "Pa"), "unknown unit \"GPA\", did you mean GPa?");
  EXPECT_EQ(fault("210 MPA", "Pa"), "unknown unit \"MPA\", did you mean MPa or mPa?");
  EXPECT_EQ(fault("210 mpa", "Pa"), "unknown unit \"mpa\", did you mean MPa or mPa?");
  EXPECT_EQ(fault("1 MM", "m"), "unknown unit \"MM\", did you mean Mm or mm?");
  EXPECT_EQ(fault("1 KN/mm2", "Pa"), "unknown unit \"KN\", did you mean kN?");
  EXPECT_EQ(fault("1 inches", "m"), "unknown unit \"inches\", did you mean in?");
  EXPECT_EQ(fault("20 Celsius", "K"), "unknown unit \"Celsius\", did you mean degC?");
  EXPECT_EQ(fault("20 C", "K"), "expected a temperature (K), got C (coulomb), did you mean degC?");
  EXPECT_EQ(fault("1 atm", "Pa"), "unknown unit \"atm\"; known: Pa, bar, psi, ksi");
  EXPECT_EQ(fault("2x", ""), "unknown unit \"x\"");
  EXPECT_EQ(fault("210 N/mm**2", "Pa"), "write ^ for a power, as in N/mm^2");
  EXPECT_EQ(fault("210 000 MPa", "Pa"), "a blank within a number: write 210000");
  EXPECT_EQ(fault("1.5D+3", "m"), "the exponent of a number stands behind an e: write 1.5e+3");
  EXPECT_NE(fault("25 W/m^2 K", "W/(m^2 K)").find("parentheses"), std::string::npos);
  EXPECT_NE(fault("1 m^", "m").find("power"), std::string::npos);
  EXPECT_NE(fault("1 m^12", "m").find("power"), std::string::npos);
  EXPECT_NE(fault("1 W/(m K", "W/(m K)").find(")"), std::string::npos);
  EXPECT_NE(fault("1 m/", "m").find("missing"), std::string::npos);
  for (const char* text : {"210 GPa*1", "210 1*GPa", "210 GPa 1", "210 1 GPa", "210 GPa/1"})
    EXPECT_NE(fault(text, "Pa").find("a unit has no number within"), std::string::npos) << text;
  EXPECT_FALSE(parse_unit("((((((((((((m))))))))))))").ok());
  EXPECT_FALSE(parse_unit(std::string(1000, 'm')).ok());
}

TEST(Quantity, ThatLeavesTheRangeOfDoublesIsRefused) {
  EXPECT_NE(fault("1e305 GPa", "Pa").find("too large"), std::string::npos);
  EXPECT_NE(fault("1e-320 nm", "m").find("too small"), std::string::npos);
  EXPECT_NE(fault("1e307 h", "s").find("too large"), std::string::npos);
}

TEST(Number, IsReadInEveryFormOfTheGrammar) {
  const std::pair<const char*, double> numbers[] = {
      {"1e5", 100000},    {"1E5", 100000},   {"1.e5", 100000},  {"1.0e5", 100000}, {"1.0e+5", 1e5},
      {"2.1e11", 2.1e11}, {"1e-4", 0.0001},  {".5", 0.5},       {"5.", 5},         {"+3", 3},
      {"210e9", 210e9},   {"7.8e+03", 7800}, {"12E-6", 1.2e-5}, {"0", 0},          {"0.1", 0.1},
      {"-.5e1", -5},      {"0e400", 0},      {"1e308", 1e308}};
  for (const auto& [text, value] : numbers) {
    const ParsedNumber number = parse_number(text);
    EXPECT_TRUE(number.ok()) << text << ": " << number.fault;
    EXPECT_EQ(number.value, value) << text;
  }
  EXPECT_TRUE(std::signbit(parse_number("-0").value));
}

TEST(Number, InAFormThatProgramsDisagreeAboutIsRefusedWithTheReason) {
  const std::pair<const char*, const char*> refused[] = {{"010", "leading zeros"},
                                                         {"007", "leading zeros"},
                                                         {"00.5", "leading zeros"},
                                                         {"-08", "leading zeros"},
                                                         {"0x10", "hexadecimal"},
                                                         {"0o17", "octal"},
                                                         {"0b11", "binary"},
                                                         {"1_000", "separators"},
                                                         {"1,5", "write 1.5"},
                                                         {"0,3 GPa", "write 0.3 GPa"},
                                                         {"-1,5e3", "write -1.5e3"},
                                                         {"1,000,000", "separates thousands"},
                                                         {"1.000,5", "separates thousands"},
                                                         {".nan", "finite"},
                                                         {".inf", "finite"},
                                                         {"-.INF", "finite"},
                                                         {"inf", "finite"},
                                                         {"NaN", "finite"},
                                                         {"1e400", "too large"},
                                                         {"-1e400", "too large"},
                                                         {"1e-400", "too small"},
                                                         {"1e99999999999999999999", "too large"},
                                                         {"1e-99999999999999999999", "too small"}};
  for (const auto& [text, reason] : refused) {
    const ParsedNumber number = parse_number(text);
    EXPECT_TRUE(number.refused) << text;
    EXPECT_NE(number.fault.find(reason), std::string::npos) << text << ": " << number.fault;
  }
}

TEST(Number, IsNotWhatOnlyResemblesOne) {
  for (const char* text :
       {"", "abc", "1e", "e5", ".", "+", "-", "1.2.3", "--1", "1 2", "12:30", "1e5x"}) {
    EXPECT_FALSE(parse_number(text).ok()) << text;
    EXPECT_FALSE(parse_number(text).refused) << text;
  }
}

TEST(Number, WholeMayBeInAnyExactForm) {
  EXPECT_EQ(parse_integer("1000").value, 1000);
  EXPECT_EQ(parse_integer("1e3").value, 1000);
  EXPECT_EQ(parse_integer("2.0").value, 2);
  EXPECT_EQ(parse_integer("-3").value, -3);
  for (const char* text : {"1.5", "1e-1", "010", "0x10", "1e300", "abc", ""})
    EXPECT_FALSE(parse_integer(text).ok()) << text;
}

TEST(Number, WhatIsNoNumberHasNoSign) {
  EXPECT_EQ(format_number(-std::nan("")), "nan");
  EXPECT_EQ(format_number(-HUGE_VAL), "-inf");
}

TEST(Number, WrittenReadsBackToTheSameBits) {
  for (double value :
       {0.1, 1.0 / 3.0, 1e-8, 2.1e11, -1.7976931348623157e308, 5e-324, 123456789.0}) {
    const ParsedNumber number = parse_number(format_number(value));
    EXPECT_TRUE(number.ok()) << format_number(value);
    EXPECT_EQ(number.value, value);
  }
}

TEST(UserText, InAMessageIsShortAndHarmless) {
  EXPECT_EQ(in_quotes("a\x1b]0;b"), "\"a\\x1b]0;b\"");
  EXPECT_LT(in_quotes(std::string(1000, 'x')).size(), 70u);
}

}  // namespace
}  // namespace trestle
